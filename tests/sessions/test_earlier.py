"""What was changed last: code as it was, and tests that ask something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.git.worktrees import PrivateRepository
from clew.sessions.earlier import UNCOMMITTED, earlier_texts, newest_demand
from clew.words.facts import Demand
from person import Person


@pytest.fixture
def someone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Somebody with an empty repository."""
    monkeypatch.setenv("HOME", str(tmp_path))
    someone = Person(tmp_path / "project")
    someone.git("init", "-q")
    someone.git("config", "user.name", "Pat")
    someone.git("config", "user.email", "pat@example.org")
    return someone


def test_earlier_texts_are_those_of_code(tmp_path: Path, someone: Person) -> None:
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


def test_the_newest_change_may_be_of_demand(tmp_path: Path, someone: Person) -> None:
    """Of tests alone, or of code with other tests; prose and papers are no code."""
    red = ("tests/test_code.py::test_one",)
    asks = "def test_one():\n    assert one() == {}\n"

    def found(*, is_clean: bool = True) -> Demand | None:
        state = tmp_path / f"state-{someone.git('rev-parse', 'HEAD')[:9]}-{is_clean}"
        private = PrivateRepository.open(someone.project, state)
        taken = private.snapshot("s")
        return newest_demand(private, taken.commit, taken.head, red)

    someone.write("code.py", "def one():\n    return 1\n")
    someone.write("tests/test_code.py", asks.format(1))
    someone.commit()
    assert found() is None
    someone.write("tests/test_code.py", asks.format(2))
    changed = someone.commit("Ask for two")
    someone.write("notes.md", "more\n")
    someone.write("debug/phase1_failures/001_one.md", "a report\n")
    someone.commit("Write of it")
    assert Demand(commit=changed[:10], subject="Ask for two", tests=red) == found()
    someone.write("tests/test_code.py", asks.format(3))
    assert Demand(commit=UNCOMMITTED, tests=red) == found(is_clean=False)
    someone.write("code.py", "def one():\n    return 4\n")
    someone.commit("Return four")
    assert found() is None
    other = "def test_two():\n    assert one() == {}\n"
    someone.write("tests/test_two.py", other.format(4))
    someone.commit("A test of four")
    someone.write("code.py", "def one():\n    return 5\n")
    someone.write("tests/test_two.py", other.format(5))
    meant = someone.commit("Return five")
    expected = Demand(
        commit=meant[:10], subject="Return five", tests=("tests/test_two.py::test_two",),
        code=("code.py",),
    )  # fmt: skip
    assert expected == found(), "the other test was left as it was"
    someone.write("more.py", "1\n")
    someone.commit("More")
    assert expected == found(), "a new file changes none"
    someone.write("more.py", "2\n")
    someone.commit("Other")
    assert found() is None, "what is newer may be what broke it"
    someone.write("code.py", "def one():\n    return 6\n")
    someone.write("tests/test_two.py", other.format(6))
    someone.write("tests/test_code.py", asks.format(6))
    someone.commit("Return six")
    assert found() is None, "all tests go with it"


@pytest.mark.slow
def test_a_value_that_was_changed_alone_may_be_what_is_wanted(
    tmp_path: Path, someone: Person
) -> None:
    """Where the failing tests were there, and the change is settled: it stands in a commit."""
    code = "FREE = {}  # minutes\n\n\ndef fee(minutes):\n    return 0 if minutes <= FREE else {}\n"

    def found(test: str = "test_fee") -> Demand | None:
        state = tmp_path / f"state-{len(list(tmp_path.iterdir()))}"
        private = PrivateRepository.open(someone.project, state)
        taken = private.snapshot("s")
        return newest_demand(private, taken.commit, taken.head, (f"tests/test_fees.py::{test}",))

    someone.write("fees.py", code.format(10, 5))
    someone.write("tests/test_fees.py", "def test_fee():\n    assert fee(12) == 5\n")
    someone.commit("Fees")
    someone.write("fees.py", code.format(15, 5))
    assert found() is None, "whoever is at work may have slipped"
    someone.write("README.md", "15 minutes are free\n")
    decided = someone.commit("The council's decision")
    wanted = Demand(
        commit=decided[:10], subject="The council's decision", tests=(), code=("fees.py",),
        values=("FREE",),
    )  # fmt: skip
    assert wanted == found()
    assert found("test_new") is None, "a newer test may show a slip"
    someone.write("fees.py", code.format(20, 6))
    someone.commit("Two at once")
    assert found() is None
