"""Questions to a person, and the answers that each takes."""

from __future__ import annotations

import msgspec

from clew import events as ev
from clew.decisions.actions import START, Record
from clew.states import State

__all__ = ["ask", "options"]


def ask(state: State, kind: ev.QuestionKind, text: str) -> Record:
    return Record(
        event=ev.QuestionAsked(
            id=f"q{state.asked + 1}", kind=kind, text=text, options=options(state, kind)
        )
    )


def options(state: State, kind: ev.QuestionKind) -> tuple[ev.OptionOffered, ...]:
    """Return the answers that a question of this kind takes, with the commands that give them."""
    name = state.session.session_id
    by_hand = ev.OptionOffered(
        word="investigate",
        text="Investigate by hand: mend it in your own tree"
        + (f" or in {state.snapshot.worktree}" if state.snapshot else "")
        + ", then go on from there",
        command=f"clew resume {name}",
    )
    guidance = ev.OptionOffered(
        word="guidance",
        text="Retry with guidance: a new round that is told what you know",
        command=f'clew resume {name} --with-context "what you know"',
    )
    rollback = ev.OptionOffered(
        word="rollback",
        text="Another approach: go back to a checkpoint, and try otherwise from there",
        command=f"clew rollback {name} {START}",
    )
    skip = ev.OptionOffered(
        word="skip",
        text="Go on with failing tests; they are recorded as known issues",
        command=f"clew continue {name} --skip-tests",
    )
    terminate = ev.OptionOffered(
        word="terminate",
        text="End here; all work is kept",
        command=f"clew terminate {name}",
    )
    approve = ev.OptionOffered(
        word="approve",
        text="The tests are wrong: judge the fix by the tests as it leaves them",
        command=f"clew answer {name} approve",
    )
    reject = ev.OptionOffered(
        word="reject",
        text="The tests are right: roll the fix back, and try otherwise",
        command=f"clew answer {name} reject",
    )
    set_up = "Repair the test set-up, then go on from there"
    if state.session.runner_args:
        set_up += "; it keeps the words after --, so if they are at fault, end here and begin anew"
    repair = msgspec.structs.replace(by_hand, text=set_up)
    match kind:
        case ev.QuestionKind.ESCALATION:
            return (by_hand, guidance, rollback, skip, terminate)
        case ev.QuestionKind.INFRASTRUCTURE:
            return (repair, skip, terminate)
        case ev.QuestionKind.FLAKY:
            return (by_hand, skip, terminate)
        case ev.QuestionKind.TEST_EDIT:
            return (approve, reject, terminate)
