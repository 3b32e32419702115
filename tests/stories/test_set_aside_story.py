"""Edits in the worktree that are set aside: a command shows them, and one brings them back."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from moments import Moment
from projects import TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing, happened

AREA, ADD = "sums/area.py", "sums/add.py"
FAULTY = TWO_FAULTS[AREA]
HALF = FAULTY.replace("import ad\n", "import add as ad\n")
USELESS = {"file": ADD, "line": 1, "current": "def add(a, b):", "should_be": "def add(a, b):  # ."}
BACK = re.compile(
    r"(?:apply them to your own tree|overwrite your own files with them).*?: (git -C .+)"
)
SEEN = re.compile(r"(?:see them|see your edits in the worktree): (git -C .+)")


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """Nothing helped, and a person is asked."""
    folder = tmp_path_factory.mktemp("waiting")
    clew = CommandLine(commit_all(write(folder / "sums", TWO_FAULTS)), folder / "state")
    turns = [diagnosing(f"a wrong word, {n}", USELESS) for n in range(4)]
    said = Scripted(folder / "agent", diagnose=turns, fix=[DONE]).fix(clew, "--max-iterations", "1")
    assert (1, "waiting") == (said.code, said.summary["status"])
    return Moment(clew, said, folder)


def worktree(clew: CommandLine) -> Path:
    return Path(happened(clew.run("log", "--json"), "SnapshotTaken")[-1]["worktree"])


def typed(pattern: re.Pattern[str], said: Said, clew: CommandLine) -> str:
    """Type the command that was told, and return what it prints."""
    (command,) = pattern.findall(said.err)
    done = subprocess.run(
        ["sh", "-c", command], cwd=clew.project, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_edits_that_going_back_sets_aside_can_be_seen_and_taken(waiting: Moment) -> None:
    """An event tells of them as well."""
    clew = waiting.again()
    (worktree(clew) / AREA).write_text(HALF)
    said = clew.run("rollback", "start")
    assert [[AREA]] == [e["files"] for e in happened(clew.run("log", "--json"), "EditsKept")]
    assert "+from sums.add import add as ad" in typed(SEEN, said, clew)
    typed(BACK, said, clew)
    assert HALF == (clew.project / AREA).read_text()


@pytest.mark.slow
def test_edits_that_those_of_the_own_tree_exclude_can_be_seen_and_taken(waiting: Moment) -> None:
    """Theirs in their tree stand; the others are named with their place."""
    clew = waiting.again()
    (worktree(clew) / AREA).write_text(HALF)
    (clew.project / AREA).write_text(FAULTY.replace("import ad\n", "import add as ad  # mine\n"))
    said = clew.run("resume")
    assert f"left behind, because your edits exclude it: {AREA}" in said.err
    assert "+from sums.add import add as ad\n" in typed(SEEN, said, clew)
    typed(BACK, said, clew)
    assert HALF == (clew.project / AREA).read_text()
