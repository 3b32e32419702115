"""What `clew diagnose` says to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, write


def sums(tmp_path: Path, body: str = "return a - b", *, git: bool = True) -> CommandLine:
    """Return a person with a function of this body, and its failing test."""
    files = {
        "sums.py": f"def add(a, b):\n    {body}\n",
        "test_sums.py": "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    }
    root = write(tmp_path / "sums", files)
    return CommandLine(commit_all(root) if git else root, tmp_path / "state")


@pytest.mark.parametrize(
    ("body", "first"), [("return a - b", "fix"), ("raise NotImplementedError", "bisect")]
)
def test_a_fix_is_offered_only_where_a_change_is_known(
    tmp_path: Path, body: str, first: str
) -> None:
    """Nothing would be applied else; the commit may be looked for in any case."""
    clew = sums(tmp_path, body)

    said = clew.run("diagnose", "--agent", "repair")

    assert f"next     `clew {first}`" in said.out, said
    assert ("fix" == first) == ("`clew fix` searches again" in said.out)
    assert "`clew bisect` finds the commit" in said.out


def test_no_commit_is_looked_for_without_a_history(tmp_path: Path) -> None:
    """`clew bisect` would refuse."""
    clew = sums(tmp_path, git=False)

    assert "clew bisect" not in clew.run("diagnose").out
    assert "clew bisect" not in clew.run("evidence").out


@pytest.mark.slow
def test_a_search_that_has_ended_is_not_advised_again(tmp_path: Path) -> None:
    """What it found is told, also that it found nothing."""
    clew = sums(tmp_path)
    assert "`clew bisect` finds it" in clew.run("evidence").out
    clew.run("bisect")

    evidence, diagnosis = clew.run("evidence").out, clew.run("diagnose").out

    assert "`clew bisect` found no commit in which these tests pass" in evidence
    assert "`clew bisect` finds" not in evidence + diagnosis


@pytest.mark.parametrize("command", ["diagnose", "evidence", "bisect"])
def test_tests_that_cannot_run_come_with_a_next_step(tmp_path: Path, command: str) -> None:
    """The reason alone does not say what to do."""
    clew = sums(tmp_path)
    write(clew.project, {"conftest.py": "import nothing_of_the_kind\n"})

    said = clew.run(command)

    assert 3 == said.code
    assert "Repair the test set-up" in said.err


@pytest.mark.parametrize("command", ["diagnose", "evidence", "context"])
def test_a_word_that_names_nothing_is_told(tmp_path: Path, command: str) -> None:
    """It may be meant as a folder or as a session."""
    said = sums(tmp_path).run(command, "bogus")

    assert (2, True) == (said.code, "there is no session 'bogus' in " in said.err), said
