"""The one function that moves a session from state to state, and the move of each event."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from clew.flows.debugging.states import agents, persons, rounds, session, trees
from clew.flows.debugging.states.apart import put_back
from clew.flows.debugging.states.deviations import settled_for
from clew.flows.debugging.states.record import State, refusal
from clew.flows.debugging.states.spent import COSTLY, Spent, called
from clew.flows.debugging.states.table import (
    TRANSITIONS,
    UNMOVING,
    WORKING,
    Stage,
    settles,
)
from clew.words import events as ev
from clew.words.errors import TransitionRefused
from clew.words.records import Outcome

__all__ = ["fold", "replay"]


def replay(records: Iterable[ev.Recorded], state: State | None = None) -> State:
    """Fold many events, from an empty state or on top of `state`."""
    state = state or State()
    for recorded in records:
        state = fold(state, recorded)
    return state


def fold(state: State, recorded: ev.Recorded) -> State:
    """Return the state after an event.

    Raises TransitionRefused when the state does not admit it.
    """
    if recorded.seq != state.seq + 1:
        raise TransitionRefused(
            f"event {recorded.seq} does not follow event {state.seq} of session {recorded.session}"
        )
    event = recorded.event
    _admit(state, event)
    moved = _MOVES[type(event)](state, event)
    if isinstance(event, Outcome):
        moved = replace(moved, in_flight={})
    allowed = TRANSITIONS[state.stage].get(type(event), (state.stage,))
    if moved.stage not in allowed:
        raise refusal(state, event, f"it would lead to {moved.stage}")
    return replace(
        settled_for(put_back(moved)),
        spent=state.spent.plus(event) if isinstance(event, COSTLY) else state.spent,
        spent_by=_told_apart(moved, event),
        seq=recorded.seq,
        created=state.created or recorded.at,
        updated=recorded.at,
        interrupted=event.reason if isinstance(event, ev.Interrupted) else "",
        begun=recorded.at if isinstance(event, ev.Started) else state.begun,
        erred_at=(*state.erred_at, recorded.at)
        if isinstance(event, ev.AgentErred)
        else state.erred_at,
        judged_at=(*state.judged_at, recorded.at)
        if isinstance(event, ev.IterationEnded)
        else state.judged_at,
    )


def _admit(state: State, event: ev.Event) -> None:
    doing = state.doing
    busy = f"{doing.label} is in flight" if doing else ""
    match event:
        case ev.Started():
            admitted, why = state.stage in WORKING and not busy, busy
        case ev.Abandoned():
            admitted, why = doing == event.intent, "that intent is not in flight"
        case ev.Interrupted() | ev.EditsKept():
            admitted, why = state.stage is not Stage.NEW, ""
        case ev.ConversationBegan():
            call = getattr(doing, "call", None)
            admitted, why = call == event.call, "that call is not in flight"
        case Outcome():
            named = event.of in (*state.in_flight, 0)  # journals once named none
            admitted, why = named and settles(doing, event), "its intent is not in flight"
        case _:
            admitted, why = not busy, busy
    if not isinstance(event, UNMOVING) and type(event) not in TRANSITIONS[state.stage]:
        raise refusal(state, event)
    if not admitted:
        raise refusal(state, event, why)


def _told_apart(state: State, event: ev.Event) -> dict[str, Spent]:
    """Return what each agent has taken in this round."""
    agent = called(event)
    if not agent:
        return state.spent_by
    before = state.spent_by.get(agent, Spent())
    return {**state.spent_by, agent: before.plus(event)}


_MOVES: dict[type[ev.Event], Callable[..., State]] = {
    ev.SessionOpened: session.opened,
    ev.SetUpRead: session.set_up,
    ev.Started: session.started,
    ev.Abandoned: session.abandoned,
    ev.ConversationBegan: agents.conversing,
    ev.EditsKept: session.unmoved,
    ev.SnapshotTaken: trees.snapped,
    ev.SnapshotOutdated: trees.outdated,
    ev.TestsRan: trees.ran,
    ev.Bisected: trees.bisected,
    ev.RoundBegan: rounds.round_began,
    ev.IterationBegan: rounds.iteration_began,
    ev.Diagnosed: agents.diagnosed,
    ev.AgentErred: agents.agent_erred,
    ev.RungPassed: agents.rung_passed,
    ev.ReportWritten: agents.reported,
    ev.Reviewed: agents.reviewed,
    ev.FixApplied: agents.fixed,
    ev.Challenged: agents.challenged,
    ev.RolledBack: trees.rolled_back,
    ev.IterationEnded: rounds.iteration_ended,
    ev.Proved: trees.proved,
    ev.CheckpointSaved: rounds.checkpointed,
    ev.Halted: rounds.halted,
    ev.WentBack: persons.went_back,
    ev.QuestionAsked: persons.asked,
    ev.QuestionAnswered: persons.answered,
    ev.DocumentWritten: session.documented,
    ev.Narrated: agents.narrated,
    ev.Interrupted: session.interrupted,
    ev.SessionEnded: session.ended,
}
