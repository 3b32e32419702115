"""Moves by what is measured on the code: snapshots, tests, proofs, and the way back to a commit."""

from __future__ import annotations

from msgspec.structs import replace

from clew import events as ev
from clew.events import Result, Status
from clew.facts import Verdict
from clew.states.record import State, given, refusal
from clew.states.table import Stage

__all__ = ["bisected", "not_carried", "proved", "ran", "rolled_back", "snapped"]


def snapped(state: State, event: ev.SnapshotTaken) -> State:
    return replace(
        state,
        stage=Stage.SNAPPED,
        snapshot=event,
        head=event.base,
        carrying=event.carried or "",
        helped=state.helped if event.carried or not event.left_behind else frozenset(),
    )


def ran(state: State, event: ev.TestsRan) -> State:
    known = {flake.test: flake for flake in (*state.flakes, *event.flakes)}
    state = replace(state, flakes=tuple(known.values()))
    match event.purpose:
        case ev.Purpose.BASELINE:
            return replace(state, stage=Stage.BASELINED, baseline=event, kept=event)
        case ev.Purpose.RECHECK:
            return replace(
                state,
                stage=Stage.RECHECKED,
                rechecked=event,
                flaky=state.flaky | set(event.flaky),
            )
        case ev.Purpose.VERIFY:
            return _verified(replace(state, verified=event, flaky=state.flaky | set(event.flaky)))
        case ev.Purpose.CARRIED:
            return _carried(replace(state, flaky=state.flaky | set(event.flaky)), event)


def _carried(state: State, run: ev.TestsRan) -> State:
    """Take over what a person did by hand, unless it broke what worked."""
    if run.outcome == "passing":
        return replace(state, stage=Stage.PROVING, verified=run)
    if run.verdict is Verdict.DID_NOT_RUN or run.outcome == "regression":
        return not_carried(state)
    return replace(state, carrying="", head=run.commit, kept=run)


def not_carried(state: State) -> State:
    """Leave what was to be taken along; what helped before is part of it, and goes with it."""
    return replace(state, carrying="", helped=frozenset())


def _verified(state: State) -> State:
    run = given(state.verified)
    if run.verdict is Verdict.DID_NOT_RUN:
        return replace(state, stage=Stage.UNDOING, verdict=Result.BROKEN, note=run.reason)
    match run.outcome:
        case "passing":
            return replace(state, stage=Stage.PROVING)
        case "fewer_errors" | "different_errors" if run.progress:
            result = Result.FEWER if run.outcome == "fewer_errors" else Result.DIFFERENT
            return replace(state, stage=Stage.JUDGED, verdict=result, head=run.commit, kept=run)
        case "regression":
            return replace(state, stage=Stage.UNDOING, verdict=Result.REGRESSION)
        case _:
            return replace(state, stage=Stage.UNDOING, verdict=Result.FAILING)


def bisected(state: State, event: ev.Bisected) -> State:
    return replace(state, bisected=event)


def proved(state: State, event: ev.Proved) -> State:
    state = replace(state, flaky=state.flaky | set(event.flaky))
    if state.carrying:
        return _carried_proved(replace(state, proof=event), event)
    if event.accepted:
        return replace(
            state,
            stage=Stage.JUDGED,
            proof=event,
            verdict=Result.PASSING,
            head=event.commit,
            kept=state.verified,
        )
    failed = "; ".join(f"{r.claim}: {r.measured}" for r in event.rows if not r.holds)
    return replace(
        state,
        stage=Stage.UNDOING,
        proof=event,
        verdict=Result.UNPROVEN,
        note=event.did_not_run or failed,
    )


def _carried_proved(state: State, event: ev.Proved) -> State:
    if not event.accepted:
        return replace(not_carried(state), stage=Stage.RETURNING)
    return replace(
        state,
        stage=Stage.PASSED,
        carrying="",
        closing=Status.GREEN,
        head=event.commit,
        kept=state.verified,
    )


def rolled_back(state: State, event: ev.RolledBack) -> State:
    if event.commit != state.head:
        raise refusal(state, event, f"the kept commit is {state.head}")
    after = Stage.RECHECKED if state.stage is Stage.RETURNING else Stage.JUDGED
    return replace(state, stage=after)
