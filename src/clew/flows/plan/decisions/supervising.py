"""What becomes of a phase that failed: what rules say from the evidence, else an agent's advice."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from clew.agents.roles import wished
from clew.analysis.plans import check
from clew.flows.plan.decisions.advising import carried_out, with_phase
from clew.flows.plan.decisions.naming import agent_named, model_named
from clew.flows.plan.decisions.revising import may_revise, wanted
from clew.flows.plan.events import AskPlanner, AskSupervisor, PlanChanged
from clew.flows.plan.modules import is_module, missed
from clew.flows.plan.states import PhaseState, PlanState
from clew.words.facts import BUILT_IN
from clew.words.models import NOBODY, AgentRole
from clew.words.phases import ErrorKind
from clew.words.plans import shown
from clew.words.records import AgentFailure
from clew.words.retry_policy import Reaction, follow
from clew.words.settings import Settings

__all__ = ["ask_planner", "ask_supervisor", "supervise"]

RULES = "rules"


def supervise(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    """Return a change of the plan after which the phase is tried again; None: a person decides.

    - It needs what another phase creates, and does not wait for it: now it does.
    - Its change did not fit what was merged meanwhile: it is made anew on top of that.
    - A supervisor advised it, and its advice holds.
    """
    if _is_worn_out(state, phase):
        return None
    advised = carried_out(state, phase, phase.advice) if phase.advice else None
    return _dependency(state, phase) or _conflict(state, phase) or advised


def ask_supervisor(state: PlanState, phase: PhaseState) -> AskSupervisor | None:
    """Return the call of the agent that supervises; None where there is none, or none to be made.

    It is asked once of each failure, and again where its answer could not be used.
    """
    settings = state.settings
    chosen = settings.plan_agents.get(AgentRole.SUPERVISE)
    agent = chosen.agent if chosen else ""
    failures = phase.unadvised
    if agent in ("", NOBODY) or phase.advice or _is_worn_out(state, phase):
        return None
    if not _may_call(state, failures):
        return None
    return AskSupervisor(
        role=AgentRole.SUPERVISE,
        agent=agent,
        attempt=len(failures) + 1,
        call=state.calls + 1,
        base=state.head,
        model=_model(AgentRole.SUPERVISE, settings, agent),
        phase=phase.id,
    )


def ask_planner(state: PlanState, phase: PhaseState) -> AskPlanner | None:
    """Return the call of the agent that cuts the plan anew; None where none is wanted or allowed.

    As a supervisor it is asked once of each failure, and again where its plan breaks a rule.
    """
    words, settings = wanted(state, phase), state.settings
    agent = agent_named(AgentRole.PLAN, settings)
    failures = phase.unplanned
    if words is None or not may_revise(state, phase) or agent in (BUILT_IN, NOBODY):
        return None
    if not _may_call(state, failures):
        return None
    return AskPlanner(
        role=AgentRole.PLAN,
        agent=agent,
        attempt=len(failures) + 1,
        call=state.calls + 1,
        base=state.head,
        model=_model(AgentRole.PLAN, settings, agent),
        phase=phase.id,
        wanted=words,
    )


def _model(role: AgentRole, settings: Settings, agent: str) -> str:
    """Return the model that helps a plan: of the agent by its name there, of the role, of all."""
    named, own = model_named(role, settings), {role, f"{role}.{agent.partition(':')[0]}"}
    if named or (settings.support_model and not own & settings.models.keys()):
        return named or settings.support_model
    return wished(role, settings.profile, settings.models, 0, agent)


def _may_call(state: PlanState, failures: Sequence[AgentFailure]) -> bool:
    """Whether an agent may be asked, after how it failed so far."""
    if _is_spent(state) or len(failures) > state.settings.agent_retries:
        return False
    return not failures or follow(failures[-1].kind) in (Reaction.AGAIN, Reaction.ONCE)


def _is_worn_out(state: PlanState, phase: PhaseState) -> bool:
    """Whether the phase was tried as often as it may be before a person is asked."""
    return phase.tries > state.session.max_retries + 1


def _is_spent(state: PlanState) -> bool:
    settings, usage = state.settings, state.usage
    tokens, usd = (usage.input or 0) + (usage.output or 0), usage.usd or 0.0
    return (settings.max_tokens is not None and tokens >= settings.max_tokens) or (
        settings.max_usd is not None and usd >= settings.max_usd
    )


def _dependency(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    text = "\n".join(error.message for error in phase.errors[-3:])
    for needed in missed(text):
        for other in state.plan.phases:
            if other.id in (phase.id, *phase.phase.depends_on):
                continue
            if any(is_module(path, needed) for path in other.creates):
                grown = replace(phase.phase, depends_on=(*phase.phase.depends_on, other.id))
                plan = with_phase(state.plan, grown)
                if any(f.is_error for f in check(plan, state.session.settings.plan_agents)):
                    return None
                return PlanChanged(
                    plan=plan,
                    before=state.plan,
                    reason=f"it needs {needed}, which phase {shown(other.id)} creates",
                    by=RULES,
                    retry=phase.id,
                )
    return None


def _conflict(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    last = phase.errors[-1] if phase.errors else None
    if last is None or last.type is not ErrorKind.FILE_CONFLICT:
        return None
    return PlanChanged(
        plan=state.plan, before=state.plan, reason=last.message, by=RULES, retry=phase.id
    )
