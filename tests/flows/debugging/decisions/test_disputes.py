from __future__ import annotations

import pytest

from clew.words import events as ev
from clew.words.events import Result, Status
from sessionplay import Play, Script


@pytest.mark.parametrize(
    ("script", "named"),
    [
        (Script(dispute="a expects 1, and b expects 2"), "contradict each other: a expects 1"),
        (Script(diagnose=["spec"]), "the requirement is unclear: off by one"),
    ],
)
def test_no_code_is_bent_before_a_person_was_asked(script: Script, named: str) -> None:
    """One iteration with its report, no fix; the question names what is to be settled."""
    play = Play(script)
    state = play.run()
    assert (Status.WAITING, 1, [Result.NO_FIX]) == (
        state.status,
        state.overall,
        [entry.result for entry in state.history],
    )
    assert [] == play.of(ev.FixApplied)
    assert state.question is not None
    assert named in state.question.text


@pytest.mark.parametrize("answer", ["guidance", "investigate"])
def test_a_person_is_asked_once(answer: str) -> None:
    """What was answered is carried out."""
    script = Script(diagnose=["spec"], answers=[answer], by_hand=["fewer_errors+"])
    assert (Status.GREEN, 2) == ((state := Play(script).run()).status, state.overall)
