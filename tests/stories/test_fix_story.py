from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine
from moments import Moment
from projects import (
    FIRST,
    NO_HELP,
    TWO_FAULTS,
    commit_all,
    diagnosis,
    fix,
    git,
    recording,
    two_fixes,
    write,
)
from treestate import TreeState, fingerprint


def tree(clew: CommandLine) -> TreeState:
    return fingerprint(locate(clew.project))


def pytest_code(project: Path) -> int:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # the tree is looked at afterwards
        capture_output=True,
        check=False,
    ).returncode


@pytest.mark.slow
def test_two_faults_are_mended_offline_in_two_iterations(clew: CommandLine) -> None:
    """The built-in repairer mends a hidden cascade; the person's tree is as it was."""
    before = tree(clew)
    said = clew.run("fix", "--json")
    summary = said.summary
    assert (0, "green", 2) == (said.code, summary["status"], summary["iterations"]), said.err
    assert before == tree(clew)
    assert all(row["holds"] for row in summary["proof"]["rows"])
    reports = [clew.project / path for path in summary["reports"]]
    assert ["001", "002"] == [path.name[:3] for path in reports]
    assert all(path.is_file() for path in reports)


@pytest.mark.slow
def test_the_last_iteration_mends_what_the_first_fault_hid_as_well(clew: CommandLine) -> None:
    """Nothing comes after it."""
    said = clew.run("fix", "--json", "--max-iterations", "1")
    summary = said.summary
    assert (0, "green", 1) == (said.code, summary["status"], summary["iterations"]), said.err
    (report,) = ((clew.project / path).read_text("utf-8") for path in summary["reports"])
    assert "which could not run so far" in report


@pytest.mark.slow
def test_a_fix_is_applied_when_the_person_says_so(proven: Moment) -> None:
    """`diff` shows it, `apply` puts it into the tree and leaves everything else alone."""
    clew, said = proven.clew, proven.said
    assert "+from sums.add import add as ad" in clew.run("diff").out
    applied = clew.run("apply")
    assert 0 == applied.code, applied.err
    assert 0 == pytest_code(clew.project)
    assert "changed, not committed\n" == (clew.project / "notes.txt").read_text()
    status = git(clew.project, "status", "--porcelain", "--untracked-files=all").splitlines()
    reports = [f"?? {path}" for path in said.summary["reports"]]
    left = [" M notes.txt", " M sums/area.py", "?? debug/knowledge-base.md", "?? new.txt"]
    assert sorted([*left, *reports]) == sorted(status)
    assert f"clew/{said.summary['session_id']}" in git(clew.project, "branch", "--list")
    assert "already applied" in clew.run("apply").out


def test_apply_commits_the_fix_and_nothing_else(proven: Moment) -> None:
    """`--commit` is the person's own commit of the fixed files; what they did since is named."""
    clew = proven.clew
    git(clew.project, "config", "user.name", "Someone")
    git(clew.project, "config", "user.email", "someone@localhost")
    (clew.project / "tests" / "test_newer.py").write_text("def test_newer():\n    assert False\n")
    applied = clew.run("apply", "--commit")
    assert 0 == applied.code
    assert "edited   tests/test_newer.py, by you since: not proven, run your tests" in applied.out
    assert "sums/area.py" == git(clew.project, "show", "--name-only", "--format=").strip()


def test_apply_refuses_where_the_person_went_on_working(proven: Moment) -> None:
    """A conflict names the file, writes nothing and says where the fix is."""
    clew = proven.clew
    (clew.project / "sums" / "area.py").write_text("something else\n")
    before = fingerprint(locate(clew.project)).files
    said = clew.run("apply")
    assert 1 == said.code
    assert "sums/area.py" in said.err
    assert "`clew fix --again` mends your files as they are now" in said.err
    assert before == fingerprint(locate(clew.project)).files


def test_nothing_is_done_to_a_green_project(clew: CommandLine) -> None:
    """All tests pass: exit code 0 and no report."""
    write(clew.project, {"sums/area.py": "def ring(w, h):\n    return (w + h) * 2\n"})
    said = clew.run("fix")
    assert (0, True) == (said.code, "nothing to do" in said.out), said.err
    assert not (clew.project / "debug").exists()


def test_words_that_choose_are_told_where_there_is_nothing_to_do(clew: CommandLine) -> None:
    """What they leave out may be red: nobody says that all tests pass."""
    code = "def ring(w, h):\n    return (w + h) * 2\n"
    tests = "from sums.area import ring\n\n\ndef test_a_ring():\n    assert ring(1, 2) == 6\n\n\n"
    more = "def test_a_dot():\n    assert ring(0, 0) == 0\n"
    write(clew.project, {"sums/area.py": code, "tests/test_more.py": tests + more})
    two, one = (clew.run("fix", "--", "-k", word) for word in ("test_a_ring or a_dot", "a_dot"))
    assert (0, "nothing to do: all 2 selected tests pass\n") == (two.code, two.out), two.err
    assert (0, "nothing to do: the only selected test passes\n") == (one.code, one.out), one.err


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["no repository", "no commit"])
def test_a_folder_without_history_works_the_same(tmp_path: Path, kind: str) -> None:
    """Neither a repository nor a commit is needed."""
    project = write(tmp_path / "sums", TWO_FAULTS)
    if kind == "no commit":
        git(project, "init", "-q")
    clew = CommandLine(project, tmp_path / "state")
    before = tree(clew)
    said = clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert before == tree(clew)
    assert 0 == clew.run("apply").code
    assert 0 == pytest_code(project)


@pytest.mark.slow
def test_an_unfixable_failure_asks_after_three_reports(clew: CommandLine, tmp_path: Path) -> None:
    """Exit code 1, exactly three reports, what is red, five options, the message on disk.

    An answer that is none is refused, with those that there are; skipping ends it.
    """
    lines = [diagnosis("a name that does not exist", FIRST), fix(FIRST)]
    for n in range(2):
        change = NO_HELP | {"should_be": NO_HELP["should_be"].replace("7", f"7{n}")}
        lines += [diagnosis(f"ring adds {n + 2} too many to its result", change), fix(change)]
    said = clew.run("fix", "--agent", recording(tmp_path / "r.jsonl", *lines))
    assert 1 == said.code, said.err
    assert 3 == len(list((clew.project / "debug").rglob("[0-9]*.md")))
    session = clew.run("status", "--json").summary["session_id"]
    above, _, question = said.out.partition("Tests still fail after 3 of 3 iterations.")
    assert "red:     tests/test_area.py::test_ring: " in above, said.out
    assert f".clew/sessions/{session}/escalation.md" in above
    assert f"clew continue {session} --skip-tests" in question
    assert question in clew.run("show").out
    message = clew.project / ".clew" / "sessions" / session / "escalation.md"
    assert "clew resume" in message.read_text()
    refused = clew.run("answer", session, "dance")
    assert (2, True) == (refused.code, "4 skip" in refused.err)
    assert 2 == clew.run("answer", session, "guidance").code
    shown = clew.run("status").out
    for word in ("waiting", "investigate", "guidance", "rollback", "skip", "terminate"):
        assert word in shown
    skipped = clew.run("answer", session, "skip", "--json")
    assert (1, "skipped") == (skipped.code, skipped.summary["status"])
    assert skipped.summary["known_issues"]


@pytest.mark.slow
def test_a_broken_conftest_is_no_iteration(clew: CommandLine) -> None:
    """The tests could not run: exit code 3 at once, no agent, a pending question; then repaired."""
    (clew.project / "tests" / "conftest.py").write_text("import nowhere_to_be_found\n")
    said = clew.run("fix", "--json")
    assert (3, 0, []) == (said.code, said.summary["iterations"], said.summary["reports"]), said.err
    assert said.summary["question_id"]
    assert "CallAgent" not in said.out
    (clew.project / "tests" / "conftest.py").unlink()
    resumed = clew.run("resume", "--json")
    assert (0, "green") == (resumed.code, resumed.summary["status"]), resumed.err


@pytest.mark.slow
def test_a_flaky_test_is_named_and_not_mended(tmp_path: Path) -> None:
    """Red, then green on the same code: a person is told which test it is."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "thing.py": "def one():\n    return 1\n",
        "test_thing.py": (
            "import os, pathlib\n\nSEEN = pathlib.Path(os.environ['SEEN'])\n\n\n"
            "def test_one():\n    with SEEN.open('a') as file:\n        file.write('x')\n"
            "    assert len(SEEN.read_text()) > 1\n"
        ),
    }
    project = commit_all(write(tmp_path / "flaky", files))
    seen = tmp_path / "seen"
    command = f"{sys.executable} -m pytest"
    clew = CommandLine(project, tmp_path / "state", {"SEEN": str(seen), "CLEW_PASS_ENV": "SEEN"})
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    said = clew.run("fix", "--json", "--test-command", command)
    assert (1, 0) == (said.code, said.summary["iterations"]), said.err
    assert ["test_thing.py::test_one"] == said.summary["flaky"]


@pytest.mark.slow
def test_a_second_process_is_told_who_holds_the_session(clew: CommandLine, tmp_path: Path) -> None:
    """Exit code 4 with the holder's process; a dead holder's lock does not block."""
    agent = two_fixes(tmp_path / "r.jsonl")
    first = clew.start("fix", "--json", "--agent", agent)
    assert first.stdout is not None
    for line in first.stdout:
        if '"SnapshotTaken"' in line:
            break
    first.send_signal(signal.SIGSTOP)
    second = clew.run("resume")
    assert (4, True) == (second.code, f"process {first.pid}" in second.err), second.err
    rival = clew.run("fix", "--agent", agent)
    assert (4, True) == (rival.code, f"process {first.pid}" in rival.err), rival.err
    (session,) = [each["session"] for each in clew.run("list", "--json").events]
    for words in (f"clew status {session}", f"clew pause {session}", "clew fix --again"):
        assert f"`{words}`" in rival.err
    assert 0 == clew.run("status").code
    first.kill()
    first.communicate()
    assert 130 == clew.run("status").code
    third = clew.run("resume", "--json")
    assert (0, 2) == (third.code, third.summary["iterations"]), third.err


def test_an_interrupted_session_goes_on(clew: CommandLine, tmp_path: Path) -> None:
    """Ctrl-C exits with 130 and leaves nothing running; `resume` takes the thread up."""
    process = clew.start("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    assert process.stdout is not None
    for line in process.stdout:
        if '"IterationBegan"' in line:
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert 130 == process.returncode
    assert "interrupted" in clew.run("status").out
    said = clew.run("resume", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err


def test_wrong_words_are_answered_with_the_right_ones(clew: CommandLine, tmp_path: Path) -> None:
    """Bad usage exits with 2 and names the thing; no traceback, nothing started."""
    for words, name in (
        (("fix", str(tmp_path / "nowhere")), "nowhere"),
        (("fix", "--agent", "hal"), "hal"),
        (("fix", "--max-iterations", "0"), "max_iterations"),
        (("fix", "--test-command", "a && b"), "&&"),
        (("show", "nothing"), "no session"),
        (("frobnicate",), "frobnicate"),
    ):
        said = clew.run(*words)
        assert 2 == said.code, (words, said)
        assert name in said.err
        assert "Traceback" not in said.err
    assert "No session yet" in clew.run("list").err


@pytest.mark.slow
def test_a_fix_is_not_for_code_that_was_changed_since_whatever_its_folder_is_called(
    proven: Moment,
) -> None:
    """Reports lie in `debug/`, and so may a package; only the reports are no change."""
    clew, words = proven.clew, ("fix", "--agent", two_fixes(proven.folder / "r.jsonl"))
    assert "has a proven fix for this code" in clew.run(*words).out
    write(clew.project, {"debug/__init__.py": "LEVEL = 1\n"})
    assert "has a proven fix for this code" not in clew.run(*words).out
