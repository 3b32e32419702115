"""Questions to a person, and the answers that each takes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from clew.flows.debugging.decisions.actions import START, Record
from clew.flows.debugging.decisions.settling import WRITTEN, can_ask, is_value
from clew.flows.debugging.states import Attempt, Stage, State, acceptable, taken_back_at, undecided
from clew.words import events as ev
from clew.words.facts import Runner, Unsettled, Verdict
from clew.words.test_ids import is_example

__all__ = ["ask", "options"]

_SHOWN = 3  # errors in the text of an answer


def ask(state: State, kind: ev.QuestionKind, text: str) -> Record:
    return Record(
        event=ev.QuestionAsked(
            id=f"q{state.asked + 1}",
            kind=kind,
            text=text,
            options=options(state, kind),
            unsettled=_unsettled(state) if kind is ev.QuestionKind.ESCALATION else None,
        )
    )


def options(state: State, kind: ev.QuestionKind) -> tuple[ev.OptionOffered, ...]:
    """Return the answers that a question of this kind takes, with the commands that give them."""
    name = state.session.session_id
    # A session that another one began works on that one's code, and not on the person's tree.
    own = "" if state.session.base else "your own tree"
    places = filter(None, (own, state.snapshot.worktree if state.snapshot else ""))
    by_hand = ev.OptionOffered(
        word="investigate",
        text=f"Investigate by hand: fix it in {' or in '.join(places)}, then continue from there",
        command=f"clew resume {name}",
    )
    guidance = ev.OptionOffered(
        word="guidance",
        text="Retry with guidance: a new round with what you know",
        command=f'clew resume {name} --with-context "what you know"',
    )
    rollback = ev.OptionOffered(
        word="rollback",
        text="Another approach: return to a checkpoint, and try something else from there",
        command=f"clew rollback {name} {START}",
    )
    if back := taken_back_at(state):
        rollback = msgspec.structs.replace(
            rollback,
            text="Take back your answer: the choices before it are offered again",
            command=f"clew rollback {name} {back}",
        )
    skip = ev.OptionOffered(
        word="skip",
        text="Accept the failing tests; they are recorded as known issues",
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
        text="The tests are right: roll the fix back, and try something else",
        command=f"clew answer {name} reject",
    )
    fault = ev.OptionOffered(
        word="fault",
        text="They are faults: fix the tests that are only perhaps flaky",
        command=f"clew answer {name} fault",
    )
    if state.by_hand:
        approve = msgspec.structs.replace(
            approve, text="I meant it: judge my work by the tests as I left them"
        )
        reject = msgspec.structs.replace(
            reject,
            text="I did not: judge my work by the tests as they were; `clew apply` puts them back"
            " in my files as well",
        )
    accept = ev.OptionOffered(
        word=ev.ACCEPT,
        text="It is right: prove the rest, and say in the proof that you settled the doubt",
        command=f"clew answer {name} {ev.ACCEPT}",
    )
    edit = msgspec.structs.replace(by_hand, text="Edit it once more, then continue from there")
    again = ev.OptionOffered(
        word="again",
        text="Try again: a new round without new knowledge",
        command=f"clew answer {name} again",
    )
    set_up = "Repair the test set-up, then continue from there"
    if state.baseline is None or state.baseline.verdict is Verdict.DID_NOT_RUN:
        run = state.baseline
        ran = run and (run.passed or any(not each.file for each in run.red))
        some = "not all tests" if ran else "no test"
        skip = msgspec.structs.replace(skip, text=f"End although {some} ran; nothing is fixed")
        other = f'`clew resume {name} --test-command "…"`'
        set_up += f"; it reads settings again, and {other} sets another command"
    if state.session.runner_args:
        set_up += (
            "; it keeps the arguments after --, so if they are wrong, end here and start"
            " a new session"
        )
    repair = msgspec.structs.replace(by_hand, text=set_up)
    escalation = (by_hand, guidance, rollback, skip, terminate)
    if not state.perhaps:
        fault = msgspec.structs.replace(
            fault, text="It is a fault of the code that one test shows after another: fix it"
        )
    faults = (fault,) if state.arguable else ()
    of_kind = {
        ev.QuestionKind.ESCALATION: escalation,
        ev.QuestionKind.INFRASTRUCTURE: (repair, skip, terminate),
        ev.QuestionKind.FLAKY: (*faults, by_hand, skip, terminate),
        ev.QuestionKind.TEST_EDIT: (approve, reject, terminate),
        ev.QuestionKind.UNPROVEN: (edit, rollback, terminate),
    }
    if kind is ev.QuestionKind.ESCALATION:  # last, so that each number means what it did before
        extra = (again,) if state.stage is Stage.TAKEN_UP else ()
        known = (_accept(name, each) for each in acceptable(state))
        return (*escalation, *extra, *known, *_settling(state))
    if kind is ev.QuestionKind.UNPROVEN and state.proof and state.proof.doubtful:
        return (edit, accept, rollback, terminate)
    if kind is ev.QuestionKind.TEST_EDIT and state.by_hand:
        return (approve, reject, edit, terminate)
    return of_kind[kind]


def _accept(name: str, attempt: Attempt) -> ev.OptionOffered:
    """Offer a fix that helped, and that only a doubt speaks against."""
    entry, word = attempt.entry, attempt.entry.acceptance
    what = f"Accept the fix of iteration {entry.iteration}, with which all tests pass"
    if entry.red_after:
        are = "1 test is" if entry.red_after == 1 else f"{entry.red_after} tests are"
        what = f"Keep the progress of iteration {entry.iteration}; {are} red {_since(attempt)}"
    return ev.OptionOffered(
        word=word,
        text=f"{what} (see it: clew diff {name} --iteration {entry.iteration}):"
        f" {entry.fix_attempted}",
        command=f"clew answer {name} {word}",
    )


def _since(attempt: Attempt) -> str:
    """Say what is red anew with an attempt, which nobody knows yet who is to accept it."""
    fresh = attempt.ground.fresh
    more = f" and {len(fresh) - _SHOWN} more" if len(fresh) > _SHOWN else ""
    return f"with it, new: {'; '.join(fresh[:_SHOWN])}{more}" if fresh else "still"


def _unsettled(state: State) -> Unsettled | None:
    attempt = undecided(state)
    return attempt.unsettled if attempt else None


def _settling(state: State) -> Iterator[ev.OptionOffered]:
    """Offer the other change, and a test of the call on which the two part."""
    told, name = _unsettled(state), state.session.session_id
    if told is None:
        return
    does = f", with which {told.call} {_does(told.other_gives)}" if told.call else ""
    yield ev.OptionOffered(
        word=ev.OTHER,
        text=f"Take the other change{does}: {told.other}",
        command=f"clew answer {name} {ev.OTHER}",
    )
    python = (Runner.PYTEST, Runner.UNITTEST)
    chosen = any("::" in word or word.startswith("-k") for word in state.session.runner_args)
    unrun = chosen or all(is_example(red.id, red.error) for red in state.red)  # a new test would be
    if can_ask(told) and not unrun and state.kept and state.kept.command.runner in python:
        yield ev.OptionOffered(
            word=ev.VALUE,
            text=f"Say what {told.call} has to give: it becomes a test, which decides."
            f" VALUE is that, as code writes it: {WRITTEN}",
            command=f"clew answer {name} {ev.VALUE} VALUE",
        )


def _does(what: str) -> str:
    return f"gives {what}" if is_value(what) else what
