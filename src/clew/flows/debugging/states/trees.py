"""Moves by what is measured on the code: snapshots, tests, proofs, and the way back to a commit."""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.debugging.states.apart import apart, settled
from clew.flows.debugging.states.attempts import vouched
from clew.flows.debugging.states.deviations import as_recommended
from clew.flows.debugging.states.record import Departure, State, refusal, require
from clew.flows.debugging.states.table import Stage
from clew.words import events as ev
from clew.words.events import Result, Status
from clew.words.facts import Verdict

__all__ = [
    "bisected",
    "not_carried",
    "outdated",
    "proved",
    "put_back",
    "ran",
    "rolled_back",
    "snapped",
]


def snapped(state: State, event: ev.SnapshotTaken) -> State:
    """Build on a person's newer work at once; what it is worth is judged next."""
    if event.by_hand:
        left = Departure(
            after=state.overall,
            files=event.by_hand,
            diff=event.by_hand_diff,
            answer=state.decision if state.answered_at == event.generation else "",
            was=state.red,
            edition=state.edition,
        )
        state = replace(state, edition=event.generation, departures=(*state.departures, left))
    state = replace(
        state,
        stage=Stage.CONSULTING if event.touched else Stage.SNAPPED,
        snapshot=event,
        rejected=False,
        head=event.tip or event.base,
        carrying=event.tip or event.carried or "",
        spare=event.together,
        proof=None if event.tip else state.proof,
        helped=state.helped if event.carried or not event.left_behind else frozenset(),
    )
    return put_back(state, event) if _turned_down(state, event) else state


def _turned_down(state: State, taken: ev.SnapshotTaken) -> bool:
    """Whether a person rejected these very edits of tests; a diff that was cut may be another."""
    whole = len(taken.test_diff) < ev.SHOWN_DIFF
    return bool(taken.touched) and whole and state.turned_down == (taken.touched, taken.test_diff)


def put_back(state: State, taken: ev.SnapshotTaken) -> State:
    """Judge a person's work by the tests as they were before their edits, which they rejected.

    Where they changed nothing else, it is the code again on which everything was tried.
    """
    if taken.as_before and taken.by_hand:
        *before, last = state.departures
        back = (*before, replace(last, undone=True))
        state = replace(state, edition=last.edition, departures=back)
    return replace(
        state,
        stage=Stage.SNAPPED,
        rejected=True,
        carrying=taken.restored,
        head=taken.restored,
        spare=taken.together_restored,
    )


def outdated(state: State, _: ev.SnapshotOutdated) -> State:
    return replace(
        state,
        stage=Stage.OPENED,
        generation=state.generation + 1,
        halted=None,
    )


def ran(state: State, event: ev.TestsRan) -> State:
    perhaps = state.perhaps
    known = {flake.test: flake for flake in (*state.flakes, *event.flakes)}
    state = replace(state, flakes=tuple(known.values()))
    match event.purpose:
        case ev.Purpose.BASELINE:
            return replace(
                state, stage=Stage.BASELINED, baseline=event, kept=event, origin=state.snapshot
            )
        case ev.Purpose.RECHECK:
            return replace(
                state,
                stage=Stage.RECHECKED,
                rechecked=event,
                flaky=(state.flaky - perhaps) | set(event.flaky),
            )
        case ev.Purpose.VERIFY:
            return _verified(replace(state, verified=event, flaky=state.flaky | set(event.flaky)))
        case ev.Purpose.CARRIED:
            state = replace(state, flaky=state.flaky | set(event.flaky))
            return _judged(state, event) if state.by_hand else _carried(state, event)


def _judged(state: State, run: ev.TestsRan) -> State:
    """Hold a person's work against what passed before: it counts, whatever it broke."""
    state = replace(state, verified=run)
    state = state if state.carrying in state.accepted else _told(state, run)
    if run.taken:
        return replace(state, stage=Stage.TAKEN_UP, carrying="", kept=run)
    # Where no test is red any more, a proof says what is missing: that is nothing to diagnose.
    red = {result.id for result in run.red} - state.flaky
    if not red and run.verdict is not Verdict.DID_NOT_RUN and not _as_at_first(state):
        return replace(state, stage=Stage.PROVING)
    if state.spare and not state.alone:
        return _together(state, run)
    if run.verdict is Verdict.DID_NOT_RUN:  # kept progress waits for tests that run
        return replace(state, stage=Stage.TAKEN_UP, carrying="")
    if state.alone:
        return replace(state, stage=Stage.SNAPPED, carrying=state.spare, kept=run)
    return _taken_up(state, run)


def _told(state: State, run: ev.TestsRan) -> State:
    """Note what is red since a person changed their files."""
    *before, last = state.departures or (None,)
    if last is None or last.checkpoint or run.verdict is Verdict.DID_NOT_RUN:
        return state
    now = tuple(red for red in run.red if red.id not in state.flaky)
    return replace(state, departures=(*before, replace(last, now=now)))


def _together(state: State, run: ev.TestsRan) -> State:
    """Take kept progress over where it is some on the person's work; else that stands alone."""
    if run.progress:
        return _taken_up(state, run)
    return _taken_up(set_aside(state), require(state.kept))


def _taken_up(state: State, run: ev.TestsRan) -> State:
    within = state.round and not state.reopened and run.outcome != "passing"
    return replace(
        state,
        stage=Stage.STANDING if within else Stage.TAKEN_UP,
        carrying="",
        spare="",
        head=run.commit,
        verified=run,
        kept=run,
    )


def set_aside(state: State) -> State:
    """Go on without what was kept; its commits and reports are there still."""
    return replace(state, spare="", helped=frozenset())


def _as_at_first(state: State) -> bool:
    """Whether the code is what the session began with: no work of anybody's is part of it."""
    taken = require(state.snapshot)
    return taken.tree == state.start.tree and taken.tip == taken.base


def _carried(state: State, run: ev.TestsRan) -> State:
    """Take over what a person did by hand, unless it broke what worked."""
    if run.outcome == "passing":
        return replace(state, stage=Stage.PROVING, verified=run)
    if run.verdict is Verdict.DID_NOT_RUN or run.outcome == "regression":
        return not_carried(state)
    return replace(state, carrying="", head=run.commit, kept=run)


def not_carried(state: State) -> State:
    """Leave what was to be taken along; what helped before is part of it, and goes with it.

    A fix that a person accepted goes alone.
    """
    if state.carrying not in state.accepted:
        return replace(state, carrying="", helped=frozenset())
    word = state.answers[-1].option
    alone = frozenset(e.iteration for e in state.history if e.acceptance == word)
    return replace(state, carrying="", helped=state.helped - alone)


def _verified(state: State) -> State:
    run = require(state.verified)
    if without := apart(state, run):
        return without
    if against := _against(state, run):
        verdict, note = against
        return replace(state, stage=Stage.UNDOING, verdict=verdict, note=note or state.note)
    if run.outcome == "passing":
        wanted = state.challenger and state.challenger not in state.unfit
        return replace(state, stage=Stage.CHALLENGING if wanted else Stage.PROVING, failures=0)
    result = Result.FEWER if run.outcome == "fewer_errors" else Result.DIFFERENT
    if state.aside and len(run.red) >= len(state.aside.kept.red):
        return replace(state, stage=Stage.UNDOING, verdict=Result.REGRESSION)
    state = settled(state)
    return replace(state, stage=Stage.JUDGED, verdict=result, head=run.commit, kept=run)


def _against(state: State, run: ev.TestsRan) -> tuple[Result, str] | None:
    """Say what speaks against keeping a fix: a verdict, and a note where there is more to say."""
    if run.verdict is Verdict.DID_NOT_RUN:
        return Result.BROKEN, run.reason
    if run.taken:
        taken = "; ".join(run.taken)
        return Result.REGRESSION, f"failing tests were removed, which fixes nothing: {taken}"
    if run.refused and not (run.doubted and vouched(state, run.refused)):
        said = "it was progress, but is not kept, because no proof would accept it"
        if run.doubted:
            said = "it was progress, but is not kept without a person, because it is doubted"
        return Result.UNPROVEN, f"{said}: {run.refused}"
    fewer = run.progress and run.outcome in ("fewer_errors", "different_errors")
    if fewer or run.outcome == "passing":
        return None
    if run.outcome == "regression":
        return Result.REGRESSION, ""
    names = ", ".join(run.set_back)
    return Result.FAILING, f"an assertion fails that held before, in {names}" if names else ""


def bisected(state: State, event: ev.Bisected) -> State:
    return replace(state, bisected=event)


def proved(state: State, event: ev.Proved) -> State:
    state = replace(state, flaky=state.flaky | set(event.flaky), proofs=(*state.proofs, event))
    if state.carrying:
        return _carried_proved(replace(state, proof=event), event)
    if event.accepted:
        return replace(
            settled(state),
            stage=Stage.JUDGED,
            proof=event,
            verdict=Result.PASSING,
            head=event.commit,
            kept=state.verified,
        )
    failed = "; ".join(row.refusal for row in event.rows if not row.holds and not row.vouched)
    return replace(
        state,
        stage=Stage.UNDOING,
        proof=event,
        verdict=Result.UNPROVEN,
        note=event.did_not_run or failed,
    )


def _carried_proved(state: State, event: ev.Proved) -> State:
    if state.alone:
        state = set_aside(state)
    if not event.accepted and state.by_hand:
        return replace(
            state,
            stage=Stage.TAKEN_UP,
            carrying="",
            spare="",
            head=event.commit,
            kept=state.verified,
        )
    if not event.accepted:
        return replace(not_carried(state), stage=Stage.RETURNING)
    taken = require(state.snapshot)
    held = taken.held if state.by_hand and event.commit == taken.tip else ()
    return replace(
        state,
        stage=Stage.PASSED,
        carrying="",
        spare="",
        closing=Status.GREEN,
        head=event.commit,
        kept=state.verified,
        helped=frozenset(held) or state.helped,
    )


def rolled_back(state: State, event: ev.RolledBack) -> State:
    if event.commit != state.head:
        raise refusal(state, event, f"the kept commit is {state.head}")
    if state.stage is Stage.UNDOING and (again := as_recommended(state)):
        return again
    after = Stage.RECHECKED if state.stage is Stage.RETURNING else Stage.JUDGED
    return replace(state, stage=after)
