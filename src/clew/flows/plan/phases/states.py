"""What the events of a phase come to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from clew.flows.plan.events import GatesRan
from clew.flows.plan.phases.events import (
    AnyPhaseIntent,
    Implemented,
    PhaseOpened,
    PhaseRequest,
)
from clew.flows.plan.states.known import SKIPPED, known_in, passed, recorded
from clew.words.errors import TransitionRefused
from clew.words.facts import Usage
from clew.words.phases import ErrorKind, PhaseError
from clew.words.records import (
    AgentCall,
    AgentFailure,
    ChildEnded,
    Children,
    Concluded,
    ConversationBegan,
    Event,
    Recorded,
    RunSession,
    Started,
    bookkeeping,
)

__all__ = ["PhaseWork", "fold"]

AGENT_GATES = "gates"


class PhaseWork(msgspec.Struct, frozen=True, kw_only=True):
    """Where the work on a phase stands."""

    seq: int = 0
    opened: PhaseOpened | None = None
    in_flight: dict[int, AnyPhaseIntent] = {}
    at_work: Children = Children()
    commit: str = ""  # what the work came to so far
    calls: int = 0
    conversation: str = ""
    retries: int = 0  # each with an error of its own
    errors: tuple[PhaseError, ...] = ()
    said: Implemented | None = None
    gates: GatesRan | None = None  # of `commit`; None where they have not run
    debugged: bool = False  # a debugging session was tried since the agent's last work
    quiet_until: datetime | None = None  # its agent asked to be left alone
    failed: bool = False  # the last thing that was tried did not help
    usages: tuple[tuple[str, Usage], ...] = ()
    issues: dict[str, list[str]] = {}  # that a person lets be: see `clew.flows.plan.states.known`
    ended: Concluded | None = None

    @property
    def session(self) -> PhaseOpened:
        """How it was opened."""
        if self.opened is None:
            raise ValueError("the phase has not begun")
        return self.opened

    @property
    def request(self) -> PhaseRequest:
        """What its plan asked for."""
        return self.session.request

    @property
    def usage(self) -> Usage:
        """What all agents took."""
        return Usage.total([usage for _, usage in self.usages])


def fold(state: PhaseWork, recorded: Recorded[Any]) -> PhaseWork:
    """Return the state after an event. Raises TransitionRefused, naming what does not fit."""
    event, kept = recorded.event, bookkeeping(state, recorded)
    if state.ended:
        raise TransitionRefused(f"{type(event).__name__} after the phase ended")
    move = _MOVES.get(type(event))
    after = move(state, event, recorded.at) if move else state
    return replace(after, **kept)


def _opened(state: PhaseWork, event: PhaseOpened, _: datetime) -> PhaseWork:
    return replace(state, opened=event, commit=event.request.work or event.request.base)


def _started(state: PhaseWork, event: Started[Any], _: datetime) -> PhaseWork:
    match event.intent:
        case AgentCall(call=call, conversation=conversation):
            return replace(state, calls=call, conversation=conversation)
        case RunSession():
            return replace(state, debugged=True)
        case _:
            return state


def _told(state: PhaseWork, event: ConversationBegan, _: datetime) -> PhaseWork:
    return replace(state, conversation=event.conversation)


def _implemented(state: PhaseWork, event: Implemented, at: datetime) -> PhaseWork:
    usages = (*state.usages, (event.agent, event.usage))
    state = replace(state, usages=usages, said=event, conversation="")
    if event.status == "blocked":
        why = "; ".join(event.blockers) or event.summary
        return _erred(state, event.agent, f"blocked: {why}", ErrorKind.DEPENDENCY, at)
    if not event.commit and state.commit == state.request.base:
        return _erred(state, event.agent, "it changed nothing", ErrorKind.VALIDATION, at)
    commit = event.commit or state.commit
    return replace(state, commit=commit, gates=None, debugged=False, failed=False)


def _agent_erred(state: PhaseWork, event: AgentFailure, at: datetime) -> PhaseWork:
    usages = (*state.usages, (event.agent, event.usage))
    kind = ErrorKind.TIMEOUT if event.kind == "timeout" else ErrorKind.RUNTIME
    quiet = at + timedelta(seconds=event.after) if event.after else None
    state = replace(state, usages=usages, conversation="", quiet_until=quiet)
    return _erred(state, event.agent, event.message, kind, at)


def _gates_ran(state: PhaseWork, event: GatesRan, at: datetime) -> PhaseWork:
    state = replace(state, gates=event)
    if passed(event, state.request.known, known_in(state.issues)):
        how = "a known issue" if state.issues else "retried"
        resolved = tuple(replace(e, resolved=True, resolution=how) for e in state.errors)
        return replace(state, failed=False, errors=resolved)
    kind = ErrorKind.DEPENDENCY if event.missing else ErrorKind.VALIDATION
    return _erred(state, AGENT_GATES, event.summary, kind, at)


def _child_ended(state: PhaseWork, event: ChildEnded, at: datetime) -> PhaseWork:
    if event.usage != Usage():
        state = replace(state, usages=(*state.usages, ("debugging", event.usage)))
    if event.status == "green" and event.commit:
        return replace(state, commit=event.commit, gates=None, failed=False)
    if event.status == SKIPPED and event.known_failing:
        commit = event.commit or state.commit
        return replace(state, commit=commit, gates=None, failed=False, issues=recorded(event))
    reason = f"debugging session {event.child} ended {event.status}"
    return _erred(state, "debugging", reason, ErrorKind.VALIDATION, at)


def _erred(state: PhaseWork, agent: str, message: str, kind: ErrorKind, at: datetime) -> PhaseWork:
    error = PhaseError(agent=agent, timestamp=at, type=kind, message=message)
    return replace(state, failed=True, errors=(*state.errors, error))


def _ended(state: PhaseWork, event: Concluded, _: datetime) -> PhaseWork:
    return replace(state, ended=event)


_MOVES: dict[type[Event], Callable[[PhaseWork, Any, datetime], PhaseWork]] = {
    PhaseOpened: _opened,
    Started: _started,
    ConversationBegan: _told,
    Implemented: _implemented,
    AgentFailure: _agent_erred,
    GatesRan: _gates_ran,
    ChildEnded: _child_ended,
    Concluded: _ended,
}
