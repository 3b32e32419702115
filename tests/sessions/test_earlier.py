"""What was changed last: code as it was, and tests that ask something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.git.worktrees import PrivateRepository
from clew.sessions.earlier import UNCOMMITTED, earlier_texts, newest_of_tests
from clew.words.facts import TestsAlone
from person import Person


def test_earlier_texts_are_those_of_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    someone = Person(tmp_path / "project")
    someone.git("init", "-q")
    someone.git("config", "user.name", "Pat")
    someone.git("config", "user.email", "pat@example.org")
    for name in ("code.py", "test_code.py", "notes.txt", "odd.py"):
        someone.write(name, b"\xff" if name == "odd.py" else f"{name} once\n")
    someone.commit()
    for name in ("code.py", "test_code.py", "notes.txt", "odd.py"):
        someone.write(name, f"{name} twice\n")
    changed = someone.commit("Say twice, not once")
    private = PrivateRepository.open(someone.project, tmp_path / "clean")
    clean = private.snapshot("s")
    assert [(changed[:10], "code.py once\n", "Say twice, not once")] == [
        (each.commit, each.text, each.subject)
        for each in earlier_texts(private, clean.commit, clean.head)
    ]
    someone.write("code.py", "now\n")
    private = PrivateRepository.open(someone.project, tmp_path / "state")

    taken = private.snapshot("s")
    found = earlier_texts(private, taken.commit, taken.head)

    assert [
        ("code.py", UNCOMMITTED, "code.py twice\n"),
        ("code.py", changed[:10], "code.py once\n"),
    ] == [(each.path, each.commit, each.text) for each in found]
    assert ["", "Say twice, not once"] == [each.subject for each in found]


def test_the_newest_change_may_be_of_tests_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prose and papers are no code; tests that come with code, or before it, are not named."""
    monkeypatch.setenv("HOME", str(tmp_path))
    someone = Person(tmp_path / "project")
    someone.git("init", "-q")
    someone.git("config", "user.name", "Pat")
    someone.git("config", "user.email", "pat@example.org")
    red = ("tests/test_code.py::test_one",)
    asks = "def test_one():\n    assert one() == {}\n"

    def found(*, is_clean: bool = True) -> TestsAlone | None:
        state = tmp_path / f"state-{someone.git('rev-parse', 'HEAD')[:9]}-{is_clean}"
        private = PrivateRepository.open(someone.project, state)
        taken = private.snapshot("s")
        return newest_of_tests(private, taken.commit, taken.head, red)

    someone.write("code.py", "def one():\n    return 1\n")
    someone.write("tests/test_code.py", asks.format(1))
    someone.commit()
    assert found() is None
    someone.write("tests/test_code.py", asks.format(2))
    changed = someone.commit("Ask for two")
    someone.write("notes.md", "more\n")
    someone.write("debug/phase1_failures/001_one.md", "a report\n")
    someone.commit("Write of it")
    assert TestsAlone(commit=changed[:10], subject="Ask for two", tests=red) == found()
    someone.write("tests/test_code.py", asks.format(3))
    assert TestsAlone(commit=UNCOMMITTED, tests=red) == found(is_clean=False)
    someone.write("code.py", "def one():\n    return 4\n")
    someone.commit("Return four")
    assert found() is None
