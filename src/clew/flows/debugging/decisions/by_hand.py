"""What follows a person's work: questions about it, the next round, or the end."""

from __future__ import annotations

from clew.flows.debugging.decisions.actions import Action, Record
from clew.flows.debugging.decisions.questions import ask
from clew.flows.debugging.states import State, require
from clew.words import events as ev
from clew.words.facts import Verdict

__all__ = ["ask_about_tests", "on_taken_up"]

# Halts that a person ends without an edit: by logging in, waiting, or granting a budget once more.
_ELSEWHERE = (ev.HaltKind.AGENT, ev.HaltKind.BUDGET, ev.HaltKind.REPORT)


def ask_about_tests(state: State) -> Action:
    """Ask whether tests that a person edited are judged by as they left them."""
    taken = require(state.snapshot)
    text = (
        "You changed tests or their configuration since the session began:"
        f" {', '.join(taken.touched)}\nYou decide what tests demand, so say whether you meant"
        f" this change:\n\n{taken.test_diff}"
    )
    return ask(state, ev.QuestionKind.TEST_EDIT, text)


def on_taken_up(state: State) -> Action:
    """Go on from a person's work that was tested, or ask where it leads nowhere."""
    run, taken = require(state.verified), require(state.snapshot)
    if run.verdict is Verdict.DID_NOT_RUN:
        return ask(state, ev.QuestionKind.INFRASTRUCTURE, run.reason)
    if run.taken or state.proof or run.outcome == "passing":
        return _without_round(state, run)
    if state.rechecked is None:
        only = tuple(r.id for r in run.red)
        return ev.RunTests(
            purpose=ev.Purpose.RECHECK, commit=state.head, only=only, first=only[::-1]
        )
    if taken.restored and state.head in (taken.restored, taken.together_restored):
        return _ask_again(state, "With the tests as they were")
    if _waits_in_vain(state, taken):
        own = "" if state.session.base else "in your own tree, or "
        place = f"{own}in {taken.worktree}"
        return _ask_again(state, f"{_by_itself(run)} was changed {place}: on the same code")
    return Record(
        event=ev.RoundBegan(
            number=state.round + 1,
            cap=state.settings.max_iterations,
            topic=state.topic,
            budget=state.granted,
        )
    )


def _by_itself(run: ev.TestsRan) -> str:
    """Say that nothing was changed that is part of the code, and what passes all the same."""
    if not run.fixed:
        return "Nothing"
    told = f"{', '.join(run.fixed)} pass{'es' * (len(run.fixed) == 1)} now and did not before"
    return f"{told}, by a file that git ignores or by what is outside of the project. Nothing else"


def _without_round(state: State, run: ev.TestsRan) -> Action:
    """Ask about what is no mend, or end where there was nothing to mend."""
    if run.taken:
        return _taken_away(state, run)
    return _unproven(state, state.proof) if state.proof else _passing_by_itself(run)


def _waits_in_vain(state: State, taken: ev.SnapshotTaken) -> bool:
    """Whether a person was asked to act, and neither edited anything nor acted elsewhere."""
    if state.head in state.accepted:
        return False  # progress of an agent, which they settled
    elsewhere = state.halted is not None and state.halted.kind in _ELSEWHERE
    return state.asked_last is ev.QuestionKind.ESCALATION and not taken.by_hand and not elsewhere


def _ask_again(state: State, why: str) -> Action:
    number = len(state.red)
    text = f"{why} {number} test{' fails' if number == 1 else 's fail'} still."
    return ask(state, ev.QuestionKind.ESCALATION, text)


def _unproven(state: State, proof: ev.Proved) -> Action:
    lacking = "; ".join(row.refusal for row in proof.rows if row.decides and not row.holds)
    why = proof.did_not_run or lacking
    what = "the change that you chose" if state.choice else "what you changed"
    text = f"All tests pass with {what}, but that is not proven: {why}"
    return ask(state, ev.QuestionKind.UNPROVEN, text)


def _taken_away(state: State, run: ev.TestsRan) -> Action:
    name, red = state.session.session_id, len(state.red)
    agreed = ", though you approved the edit" if state.approved else ""
    still = f" Red still: {red}." if red else ""
    where = ", elsewhere or under another name if you like" if run.command.runner.python else ""
    text = (
        f"Failing tests were removed, which fixes nothing{agreed}: {'; '.join(run.taken)}.{still}"
        f"\nBring them back{where}, and `clew resume {name}`. If they should not exist,"
        f" `clew terminate {name}` ends here without a fix, and `clew fix --again` takes your tests"
        f" as they are now{'' if red else ', with which nothing fails'}."
    )
    return ask(state, ev.QuestionKind.UNPROVEN, text)


def _passing_by_itself(run: ev.TestsRan) -> Action:
    of = "selected " if run.selected else ""
    reason = (
        f"all {run.passed} {of}tests pass now, on the code that the session began with:"
        " what made them fail was outside the code"
    )
    return Record(event=ev.SessionEnded(status=ev.Status.NOTHING_TO_DO, reason=reason))
