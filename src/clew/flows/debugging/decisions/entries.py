"""The entry of an iteration in the history."""

from __future__ import annotations

from clew.flows.debugging.decisions.actions import Action, Record
from clew.flows.debugging.states import State, require
from clew.words import events as ev
from clew.words.facts import Verdict

__all__ = ["conclude"]

_SHOWN = 3  # files that a note names
_PROGRESS = (ev.Result.PASSING, ev.Result.FEWER, ev.Result.DIFFERENT)


def conclude(state: State) -> Action:
    """Sum the iteration up as one entry of the history."""
    verdict, verified = require(state.verdict), state.verified
    fix, diagnosed = state.fix, state.diagnosed
    last = verdict is not ev.Result.PASSING and state.counter >= state.cap
    halted = state.halted.reason if state.halted else ""
    return Record(
        event=ev.IterationEnded(
            iteration=state.overall,
            result=verdict,
            report=state.report.path if state.report else None,
            root_cause=diagnosed.diagnosis.root_cause if diagnosed else "",
            fix_attempted=_done(state, fix) if fix and fix.commit else _proposed(state),
            agent=(fix or diagnosed or state).agent,
            model=by.model if (by := fix or diagnosed) else "",
            commit=fix.commit if fix else None,
            patch=fix.patch if fix else "",
            progress=verdict in _PROGRESS,
            new_errors=_errors(state) if verdict is not ev.Result.PASSING else (),
            note="; ".join(filter(None, (_left_out(fix), state.note or _note(verified)))),
            escalation_reason="Maximum debugging iterations reached" if last else halted,
            files=fix.files if fix else (),
            seconds=state.spent.since(state.spent_before_iteration).seconds,
            red_before=_count_red(state, state.before),
            red_after=_count_red(state, verified),
            total=verified.total if verified else None,
            doubtful=_doubtful(state),
        )
    )


def _doubtful(state: State) -> bool:
    """Whether only a doubt took the fix back, which a person may settle."""
    run, proof = state.verified, state.proof
    if run is None or state.verdict is not ev.Result.UNPROVEN:
        return False
    proven = proof is not None and proof.commit == run.commit and proof.doubtful
    return run.doubted or proven


def _done(state: State, fix: ev.FixApplied) -> str:
    """Say what was changed, as git knows it; another change is in its fixer's words alone."""
    edits = state.diagnosed.diagnosis.edits if state.diagnosed else ()
    if not edits or not fix.diff:
        return fix.summary
    places = ", ".join(dict.fromkeys(f"{e.path}:{e.line or '?'}" for e in fix.left_out))
    if not fix.left_out:
        done = "the recommended change, and more"
    elif len(fix.left_out) < len(edits):
        done = f"carried out in part, without: {places}"
    else:
        done = "a change other than the recommended one"
    return f"{done}; in its fixer's words: {fix.summary}"


def _proposed(state: State) -> str:
    """Say what was proposed where nothing was applied."""
    chosen = state.diagnosed.diagnosis.chosen if state.diagnosed else None
    if chosen is None or state.verdict is ev.Result.NO_FIX:
        return ""
    if state.verdict is ev.Result.REPEATED:
        return chosen.title
    return f"{chosen.title} (proposed, not carried out)"


def _errors(state: State) -> tuple[str, ...]:
    run = state.verified or state.kept
    return tuple(r.error for r in run.red if r.id not in state.flaky) if run else ()


def _count_red(state: State, run: ev.TestsRan | None) -> int | None:
    if run is None or run.verdict is Verdict.DID_NOT_RUN:
        return None
    return sum(r.id not in state.flaky for r in run.red)


def _left_out(fix: ev.FixApplied | None) -> str:
    """Name what the fixer made, and no commit holds."""
    skipped = fix.skipped if fix else ()
    more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
    named = ", ".join(f"{each.path} ({each.reason})" for each in skipped[:_SHOWN])
    return f"left out of the fix: {named}{more}" if named else ""


def _note(verified: ev.TestsRan | None) -> str:
    if verified and verified.regressions:
        return "passed before and failed after: " + ", ".join(verified.regressions)
    return ""
