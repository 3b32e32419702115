"""What `clew apply` says of the branch that it leaves, and of what is no proven fix."""

from __future__ import annotations

import pytest

from clew import api
from clew.cli.applied import show_applied, show_taken_back
from clew.words.records import DEBUGGING


def said(capsys: pytest.CaptureFixture[str], *, asked: bool = False, **facts: object) -> str:
    applied = api.Applied(files=("a.py",), branch="clew/s", **facts)  # type: ignore[arg-type]
    delivery = api.Delivery(session="s", kind="debugging", applied=applied, complete=True)
    show_applied(delivery, json=False, commit=asked)
    return capsys.readouterr().out


def test_work_of_their_own_on_the_branch_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """With what to push instead: the commit of the fix alone, made or to be made."""
    assert "uncommitted" not in said(capsys)
    alone, made = said(capsys, private=True), said(capsys, private=True, commit="abc")
    for each in (alone, made):
        assert "its first commit holds your uncommitted work of then: do not push" in each
    assert "`clew apply s --commit` commits the files of the fix alone" in alone
    assert "push the commit below" in made


def test_that_there_was_nothing_to_commit_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """The fix is what the last commit had: the fault was in work that was not committed."""
    none = said(capsys, asked=True, private=True)

    assert "commit   none: the files of the fix are as your last commit has them" in none
    assert "--commit`" not in none
    assert "commit   none" not in said(capsys, asked=True, commit="abc")


def test_a_guess_that_is_taken_before_the_end_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A person who takes progress sees what nothing has settled, before they build on it."""
    delivery = api.Delivery(
        session="s",
        kind=DEBUGGING,
        applied=api.Applied(files=("a.py",), branch="clew/s"),
        complete=False,
        guesses=("iteration 1: It returns a constant.",),
    )
    show_applied(delivery, json=False)
    err = capsys.readouterr().err
    assert "A guess of iteration 1: It returns a constant.\nThis is progress, not a" in err
    show_applied(delivery, json=True)
    assert '"guesses":["iteration 1: It returns a constant."]' in capsys.readouterr().out


def test_their_own_lines_in_the_commit_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """They had not committed them: what is called proven has them all the same."""
    applied = api.Applied(files=("a.py",), branch=None, commit="abc", own=("a.py",))
    delivery = api.Delivery(session="s", kind=DEBUGGING, applied=applied, complete=True)
    show_applied(delivery, json=False, commit=True)
    told = "This commit has lines of yours as well, which were not committed: a.py."
    assert told in capsys.readouterr().err


def test_a_commit_that_stays_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Their files are without the fix again, and their branch is not."""
    applied = api.Applied(files=("a.py",), branch=None, commit="0123456789abcdef")
    delivery = api.Delivery(session="s", kind=DEBUGGING, applied=applied, complete=True)
    show_taken_back(delivery, json=False)
    assert "commit   0123456789ab stays: commit these files again" in capsys.readouterr().out
