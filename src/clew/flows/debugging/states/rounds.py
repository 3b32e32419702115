"""Moves of the debugging loop: rounds, iterations, and the places one may go back to."""

from __future__ import annotations

from msgspec.structs import replace

from clew.analysis.failures import normalise
from clew.flows.debugging.states.ladder import first_rung
from clew.flows.debugging.states.record import Ground, RestorePoint, State, refusal, require
from clew.flows.debugging.states.table import Stage
from clew.flows.debugging.states.trees import not_carried
from clew.words import events as ev
from clew.words.events import Result, Status

__all__ = ["checkpointed", "halted", "iteration_began", "iteration_ended", "round_began"]


def round_began(state: State, event: ev.RoundBegan) -> State:
    if event.number != state.round + 1:
        raise refusal(state, event, f"round {event.number} after round {state.round}")
    return replace(
        state,
        stage=Stage.STANDING,
        halted=None,
        reopened=False,
        spent_before_round=state.spent,
        spent_by={},
        unfit=frozenset(),
        round=event.number,
        round_cap=event.cap,
        granted=None,
        round_budget=event.budget,
        counter=0,
        topic=state.topic or event.topic,
    )


def iteration_began(state: State, event: ev.IterationBegan) -> State:
    expected = (state.counter + 1, state.overall + 1)
    if (event.number, event.overall) != expected or event.number > state.cap:
        raise refusal(
            state, event, f"iteration {event.number} of {state.cap} after {state.counter}"
        )
    return replace(
        state,
        stage=Stage.DIAGNOSING,
        counter=event.number,
        overall=event.overall,
        before=state.kept,
        ground=Ground(round=state.round, edition=state.edition, helped=state.helped),
        spent_before_iteration=state.spent,
        rung=first_rung(state),
        failures=0,
        diagnosed=None,
        report=None,
        reviewed=None,
        fixer="",
        deviation=None,
        fix=None,
        verified=None,
        verdict=None,
        note="",
    )


def iteration_ended(state: State, event: ev.IterationEnded) -> State:
    if event.iteration != state.overall or event.result != state.verdict:
        raise refusal(state, event, f"iteration {state.overall} ended with {state.verdict}")
    passed = event.result is Result.PASSING
    return replace(
        state,
        stage=Stage.PASSED if passed else Stage.STANDING,
        closing=Status.GREEN if passed else None,
        history=(*state.history, event),
        grounds=(*state.grounds, replace(require(state.ground), fresh=_fresh(state))),
        helped=state.helped | {event.iteration} if event.progress else state.helped,
        signatures=(*state.signatures, replace(state, kept=state.before).signature),
    )


def _fresh(state: State) -> tuple[str, ...]:
    """Return what is red since this iteration; an assertion with another value is nothing new."""
    if state.verified is None or state.before is None or state.verified.outcome == "same_errors":
        return ()
    known = {each for red in state.before.red for each in (red.fingerprint, normalise(red.error))}
    return tuple(
        red.error
        for red in state.verified.red
        if red.id not in state.flaky and known.isdisjoint((red.fingerprint, normalise(red.error)))
    )


def halted(state: State, event: ev.Halted) -> State:
    """Bring an iteration to its end; a person's work is still to be judged, and tested anew."""
    if state.by_hand:
        return state if state.stage is Stage.CONSULTING else replace(state, stage=Stage.SNAPPED)
    state = replace(state, halted=event)
    if state.stage in (Stage.STANDING, Stage.ROUND, Stage.UNDOING, Stage.JUDGED):
        return state
    if state.carrying:
        return replace(not_carried(state), stage=Stage.RETURNING)
    state = replace(state, verdict=Result.HALTED, note=event.reason)
    untouched = state.stage in (Stage.DIAGNOSING, Stage.REPORTING, Stage.REVIEWING)
    return replace(state, stage=Stage.JUDGED if untouched else Stage.UNDOING)


def checkpointed(state: State, event: ev.CheckpointSaved) -> State:
    mark = RestorePoint(
        name=event.name,
        commit=event.commit,
        kept=require(state.kept),
        snapshot=require(state.snapshot),
        baseline=require(state.baseline),
        rechecked=state.rechecked,
        origin=state.origin,
        helped=state.helped,
        edition=state.edition,
        rejected=state.rejected,
    )
    return replace(
        state,
        stage=_after_checkpoint(state, event),
        checkpoints=(*state.checkpoints, event),
        marks=(*state.marks, mark),
    )


def _after_checkpoint(state: State, event: ev.CheckpointSaved) -> Stage:
    """Return the next stage; the first journals have no checkpoints between iterations."""
    if state.stage is Stage.PASSED:
        return Stage.CLOSING
    early = state.counter == state.cap and event.name.startswith("escalation")
    return Stage.ESCALATING if state.stage is Stage.ROUND or early else Stage.ROUND
