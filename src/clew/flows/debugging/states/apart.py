"""A recommended change that breaks only what kept progress mended is tried without that progress.

A fixer that made another change may have turned a test green that the right change turns green as
well, but not both together. So the change is tried once more, from the round's start. Where that is
no better than what was kept, the kept progress counts again.
"""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.debugging.states.record import Aside, Departure, State, require
from clew.flows.debugging.states.table import Stage
from clew.words import events as ev
from clew.words.events import Result

__all__ = ["apart", "put_back", "settled"]

_ENDED = (Stage.UNDOING, Stage.JUDGED)
_KEPT = (Result.PASSING, Result.FEWER, Result.DIFFERENT)


def apart(state: State, run: ev.TestsRan) -> State | None:
    """Return the state in which the change is tried from the round's start; None if it is not."""
    mark = state.mark("start" if state.round == 1 else f"round-{state.round}")
    fix, told = state.fix, state.diagnosed
    exact = fix is not None and told is not None and bool(told.diagnosis.edits) and not fix.diff
    if state.session.rules == 1 or state.aside or mark is None or not exact:
        return None
    if state.head == mark.commit or state.edition != mark.edition:
        return None
    red = {each.id for each in mark.kept.red}
    if run.outcome != "regression" or run.taken or not red.issuperset(run.regressions):
        return None
    return replace(
        state,
        stage=Stage.FIXING,
        aside=Aside(head=state.head, kept=require(state.kept), helped=state.helped, mark=mark.name),
        head=mark.commit,
        kept=mark.kept,
        helped=mark.helped,
        fix=None,
        failures=0,
    )


def settled(state: State) -> State:
    """Go on without the progress that was set aside: the change is worth more."""
    if state.aside is None:
        return state
    left = Departure(after=state.overall - 1, checkpoint=state.aside.mark)
    ground = replace(require(state.ground), helped=state.helped)
    return replace(state, aside=None, ground=ground, departures=(*state.departures, left))


def put_back(state: State) -> State:
    """Let the progress that was set aside count again, where the change came to nothing."""
    aside = state.aside
    if aside is None or state.stage not in _ENDED or state.verdict in _KEPT:
        return state
    verdict = Result.HALTED if state.verdict is Result.HALTED else Result.REGRESSION
    why = state.note or "it broke tests together with the progress kept before"
    return replace(
        state,
        aside=None,
        head=aside.head,
        kept=aside.kept,
        helped=aside.helped,
        verdict=verdict,
        note=f"{why}; also tried without that progress, from checkpoint {aside.mark}",
    )
