"""What comes next in a phase: rules on its state alone."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import msgspec

from clew.agents.roles import wished
from clew.flows.plan.events import RunGates
from clew.flows.plan.phases.events import (
    BLOCKED,
    COMPLETED,
    FAILED,
)
from clew.flows.plan.phases.states import PhaseWork
from clew.journal.flow import Action, Pause, Record
from clew.words.models import AgentRole
from clew.words.phases import ErrorKind
from clew.words.plans import shown
from clew.words.records import AgentCall, Concluded, RunSession

__all__ = ["decide"]


def decide(state: PhaseWork, now: datetime) -> Collection[Action]:
    """Return the action that comes next; one after the other."""
    if state.ended or state.opened is None or state.in_flight:
        return ()
    if (state.calls or state.request.work) and not state.failed:
        if state.gates is not None:
            return (_end(state, COMPLETED, ""),)
        return (RunGates(phase=state.request.phase_id, base=_base(state), commit=state.commit),)
    if why := _overspent(state):
        return (_end(state, FAILED, why),)
    action = _after_failure(state) if state.failed else _ask(state)
    if isinstance(action, AgentCall) and state.quiet_until and now < state.quiet_until:
        return (Pause(until=state.quiet_until, why=f"{action.agent} asked to be left alone"),)
    return (action,)


def _after_failure(state: PhaseWork) -> Action:
    """Repair what is red, or ask the agent again, or give the phase up."""
    last = state.errors[-1]
    if last.type is ErrorKind.DEPENDENCY:
        return _end(state, BLOCKED, last.message)
    if len(state.errors) > state.request.max_retries:
        return _end(state, FAILED, last.message)
    if state.gates and state.gates.tests_failed and not state.debugged:
        return _debug(state)
    return _ask(state)


def _overspent(state: PhaseWork) -> str:
    """Say which bound leaves no call of an agent; nothing where there is one left."""
    settings, usage = state.request.settings, state.usage
    tokens = (usage.input or 0) + (usage.output or 0)
    if settings.max_tokens is not None and tokens >= settings.max_tokens:
        return f"the budget of its plan is spent: {settings.max_tokens:.0f} tokens were left for it"
    if settings.max_usd is not None and (usage.usd or 0.0) >= settings.max_usd:
        return f"the budget of its plan is spent: ${settings.max_usd:g} were left for it"
    return ""


def _ask(state: PhaseWork) -> AgentCall:
    agent, settings = state.request.agent, state.request.settings
    return AgentCall(
        role=AgentRole.IMPLEMENT,
        agent=agent,
        attempt=len(state.errors) + 1,
        call=state.calls + 1,
        base=state.commit,
        model=state.request.model
        or wished(AgentRole.IMPLEMENT, settings.profile, settings.models, len(state.errors), agent),
    )


def _debug(state: PhaseWork) -> RunSession:
    """Hand red tests to the loop that mends them, on top of the agent's work."""
    request, session = state.request, state.session.session_id
    return RunSession(
        child=f"{session}-fix{len(state.errors)}",
        kind="debugging",
        request={
            "base": state.commit,
            "settings": msgspec.to_builtins(request.settings.of_support),
            "goal": f"make the tests pass in phase {shown(request.phase_id)}",
            "plan": request.plan,
            "phase": shown(request.phase_id),
        },
        budget=_left(state),
    )


def _left(state: PhaseWork) -> dict[str, float]:
    """Return what is left of the phase's bounds; a debugging session may take no more."""
    settings, usage = state.request.settings, state.usage
    left: dict[str, float] = {}
    if settings.max_usd is not None:
        left["usd"] = max(0.0, settings.max_usd - (usage.usd or 0.0))
    if settings.max_tokens is not None:
        left["tokens"] = max(0, settings.max_tokens - (usage.input or 0) - (usage.output or 0))
    return left


def _base(state: PhaseWork) -> str:
    return state.request.base


def _end(state: PhaseWork, status: str, reason: str) -> Record:
    said = state.said
    result = {
        "errors": msgspec.to_builtins(state.errors),
        "retries": min(len(state.errors), state.request.max_retries),
        "summary": said.summary if said else "",
        "decisions": list(said.decisions) if said else [],
        "concerns": list(said.concerns) if said else [],
        "downstream_context": said.downstream_context if said else {},
        "gates": state.gates.summary if state.gates else "",
        "undeclared": list(state.gates.undeclared) if state.gates and status == FAILED else [],
        "awaits": list(state.gates.awaits) if state.gates and status == COMPLETED else [],
        "work": state.commit,
        "overspent": status == FAILED and bool(_overspent(state)),
        "usage_by_agent": msgspec.to_builtins(state.usages),
        **state.issues,
    }
    commit = state.commit if status == COMPLETED else ""
    ended = Concluded(status=status, reason=reason, commit=commit, usage=state.usage, result=result)
    return Record(event=ended)
