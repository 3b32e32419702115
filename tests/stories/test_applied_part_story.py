"""Progress that was applied before the rest was mended: Clew's own work stays Clew's own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from moments import Moment
from projects import FIRST, TWO_FAULTS, commit_all, git, write
from scripted import DONE, Scripted, diagnosing, happened

AREA, ADD = "sums/area.py", "sums/add.py"
FILES = TWO_FAULTS | {
    ADD: "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return add(a, b)\n",
}
ONE = {"file": ADD, "line": 6, "current": "return add(a, b)", "should_be": "return add(a, a)"}
MENDED = TWO_FAULTS[AREA].replace("import ad\n", "import add as ad\n").replace(" * 2 + 1", " * 2")


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """One of two files is mended, and a person is asked."""
    folder = tmp_path_factory.mktemp("waiting")
    clew = CommandLine(commit_all(write(folder / "sums", FILES)), folder / "state")
    rest = {**FIRST, "current": TWO_FAULTS[AREA], "should_be": MENDED}
    turns = [diagnosing("a name that is not there", ONE), diagnosing("one too many", rest)]
    agent = Scripted(folder / "agent", diagnose=turns, fix=[DONE])
    said = agent.fix(clew, "--max-iterations", "1")
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    return Moment(clew, said, folder)


def is_green_in_a_clone(clew: CommandLine, place: Path) -> bool:
    git(place.parent, "clone", "-q", str(clew.project), str(place))
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(asked, cwd=place, capture_output=True, check=False).returncode == 0


def commit_of(clew: CommandLine) -> str:
    return git(clew.project, "log", "-1", "--format=%B")


@pytest.mark.slow
def test_a_commit_of_a_proven_fix_holds_the_progress_that_was_applied_before(
    waiting: Moment, tmp_path: Path
) -> None:
    """It is no change by hand: the diff shows the whole, and the commit says what is true."""
    clew = waiting.again()
    assert 0 == clew.run("apply").code
    said = clew.run("resume", "--json", "--with-context", "mend the rest")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    (taken,) = happened(said, "SnapshotTaken") or [{"by_hand": []}]
    assert [] == taken["by_hand"]
    shown = clew.run("diff").out
    assert ("+    return add(a, a)" in shown, "+    return ad(width, height) * 2\n" in shown) == (
        True,
        True,
    )
    assert 0 == clew.run("apply").code
    applied = clew.run("apply", "--commit")
    assert 0 == applied.code
    assert "Proven by Clew" in commit_of(clew)
    assert "not called proven" not in applied.err
    assert is_green_in_a_clone(clew, tmp_path / "clone")


@pytest.mark.slow
def test_a_commit_that_lacks_what_a_person_mended_is_not_called_proven(
    waiting: Moment, tmp_path: Path
) -> None:
    """The terminal names what is not committed; with that, it is what was proven."""
    clew = waiting.again()
    (clew.project / AREA).write_text(MENDED)
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    applied = clew.run("apply", "--commit")
    assert 0 == applied.code
    assert "Proven by Clew" not in commit_of(clew)
    assert f"not called proven: the proof measured other content of {AREA}" in applied.err
    assert not is_green_in_a_clone(clew, tmp_path / "red")
    git(clew.project, "commit", "-q", "-m", "mine", AREA)
    assert is_green_in_a_clone(clew, tmp_path / "green")


@pytest.mark.slow
def test_a_killed_session_is_not_halted_by_its_own_progress(
    waiting: Moment, tmp_path: Path
) -> None:
    """What was applied of it is no edit of the person's, and nothing is begun anew."""
    clew = waiting.again()
    point = {"CLEW_CRASH_AT": "CallAgent.fix.effect#1"}
    assert -signal.SIGKILL == clew.run("resume", "--with-context", "go on", env=point).code
    assert 0 == clew.run("apply").code
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert ([], []) == (happened(said, "Halted"), happened(said, "SnapshotOutdated"))


@pytest.mark.slow
@pytest.mark.parametrize("before", [True, False])
def test_progress_that_is_applied_is_said_to_be_so(waiting: Moment, *, before: bool) -> None:
    """Of a session that ended with red tests: in lists, in its state, in its reports."""
    clew, (report,) = waiting.again(), waiting.said.summary["reports"]
    words = [("apply",), ("continue", "--skip-tests")]
    ended = [clew.run(*each).code for each in (words if before else reversed(words))]
    assert [0, 1] == sorted(ended)

    def told() -> list[bool]:
        text = (clew.project / report).read_text()
        return [
            "skipped, applied" in clew.run("list").out,
            *("applied: " in clew.run(command).out for command in ("status", "show")),
            bool(clew.run("status", "--json").summary["applied"]),
            ", kept as progress; `clew apply` has put it into your files\n" in text,
        ]

    assert [True] * 5 == told()
    assert 0 == clew.run("apply", "--undo").code
    assert [False] * 5 == told()
