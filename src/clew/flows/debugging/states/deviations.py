"""In the last iteration of a round, what a fixer did not carry out is tried at once.

In any other the next diagnosis may recommend it again, and then Clew makes the edits by itself.
After the last one nobody would, before a person has answered.
"""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.debugging.states.attempts import THIRD, objected
from clew.flows.debugging.states.record import Deviation, State, require
from clew.flows.debugging.states.table import Stage
from clew.words.events import Result

__all__ = ["as_recommended", "settled_for"]

_LEFT = (
    Result.FAILING,
    Result.REGRESSION,
    Result.BROKEN,
    Result.UNPROVEN,
    Result.TAMPERING,
    Result.REPEATED,
    Result.AGENT_FAILED,
)
_UNTRIED = (Result.HALTED, Result.AGENT_FAILED)


def as_recommended(state: State) -> State | None:
    """Return the state in which Clew makes the recommended edits; None where it does not."""
    fix, told = state.fix, state.diagnosed
    last = state.counter >= state.cap and state.halted is None
    if state.session.rules < THIRD or not last or told is None or not told.diagnosis.edits:
        return None
    if state.deviation or state.aside or state.verdict not in _LEFT:
        return None
    if fix and (fix.exact or not fix.diff or fix.consult or objected(state)):
        return None
    made = Deviation(
        fix=fix, verified=state.verified, verdict=require(state.verdict), note=state.note
    )
    return replace(
        state,
        stage=Stage.FIXING,
        deviation=made,
        fix=None,
        verified=None,
        verdict=None,
        note="",
        failures=0,
    )


def settled_for(state: State) -> State:
    """Say what came before the recommended edits; where they were not made, that is what came."""
    before = state.deviation
    if before is None or state.stage is not Stage.JUDGED:
        return state
    if state.verdict in _UNTRIED:
        return replace(
            state,
            deviation=None,
            fix=before.fix,
            verified=before.verified,
            verdict=before.verdict,
            note=before.note,
        )
    words = before.fix.summary.partition("\n")[0] if before.fix else ""
    did = f"its fixer made another change ({words})" if before.fix else "its fixer failed"
    why = f" ({before.note})" if before.note else ""
    told = f"before that, {did}, with the result: {before.verdict}{why}"
    return replace(state, deviation=None, note=f"{state.note}; {told}" if state.note else told)
