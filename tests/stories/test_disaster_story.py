from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from mounting import mounted
from projects import FIRST, SECOND, diagnosis, fix, recording, two_fixes, write


def killed(clew: CommandLine, tmp_path: Path, point: str) -> None:
    """Leave a session behind that was cut off."""
    agent = two_fixes(tmp_path / "r.jsonl")
    assert -9 == clew.run("fix", "--agent", agent, env={"CLEW_CRASH_AT": point}).code


def folder(clew: CommandLine, name: str) -> Path:
    """A folder of the project's state."""
    return next(clew.state.glob(f"projects/*/{name}"))


def told(said: Said, code: int, *words: str) -> None:
    """The exit code is the documented one, and the person reads words, never a trace."""
    assert code == said.code, said
    for word in words:
        assert word in said.err
    assert "Traceback" not in said.err
    assert "bug in Clew" not in said.err


@pytest.mark.slow
def test_a_worktree_that_was_removed_by_hand_is_made_anew(
    clew: CommandLine, tmp_path: Path
) -> None:
    """`resume` puts it back, with the fix that counts, and goes on."""
    killed(clew, tmp_path, "CallAgent.diagnose.intent#2")
    for worktree in folder(clew, "worktrees").iterdir():
        shutil.rmtree(worktree)
    said = clew.run("resume", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err


@pytest.mark.slow
def test_code_that_was_removed_by_hand_is_missed_in_words(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Without its private repository a session cannot go on; a new one can begin."""
    killed(clew, tmp_path, "CallAgent.diagnose.intent#2")
    shutil.rmtree(folder(clew, "repository.git"))
    told(clew.run("resume"), 1, "worktree", "`clew fix`")
    assert 0 == clew.run("fix", "--agent", two_fixes(tmp_path / "r.jsonl")).code


@pytest.mark.slow
def test_a_session_never_takes_the_name_of_one_whose_journal_is_lost(
    clew: CommandLine, tmp_path: Path
) -> None:
    """It works on the tree as it is now, not on an earlier snapshot of that name."""
    killed(clew, tmp_path, "CallAgent.diagnose.intent")
    for path in folder(clew, "journal.db").parent.glob("journal.db*"):
        path.unlink()
    shutil.rmtree(folder(clew, "checkpoints"))
    write(clew.project, {"sums/area.py": "def ring(w, h):\n    return (w + h) * 2\n"})
    said = clew.run("fix", "--json")
    assert (0, "nothing_to_do") == (said.code, said.summary["status"]), said.err


@pytest.mark.slow
def test_a_journal_that_is_gone_is_built_anew_and_not_begun_over(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Its checkpoints tell that there was one: nobody is told that there is no session."""
    killed(clew, tmp_path, "CallAgent.diagnose.intent")
    journal = folder(clew, "journal.db")
    for path in journal.parent.glob("journal.db*"):
        path.unlink()
    for words in (("status",), ("list",), ("resume",), ("fix",)):
        told(clew.run(*words), 1, f"{journal} is gone", "`clew recover`")
    doctor = clew.run("doctor")
    assert (2, True) == (doctor.code, f"the journal {journal} is gone" in doctor.out)
    assert 0 == clew.run("recover").code
    assert 1 == len(clew.run("list").out.splitlines())


def test_a_damaged_journal_is_named(clew: CommandLine) -> None:
    """Nothing is started on a journal that cannot be read."""
    assert 2 == clew.run("resume").code
    clew.run("fix", "--test-command", "true")
    journal = folder(clew, "journal.db")
    journal.write_bytes(b"\0" * 5000)
    for words in (("status",), ("resume",), ("fix",)):
        told(clew.run(*words), 1, str(journal), "checkpoints")


@pytest.mark.slow
def test_a_folder_in_the_place_of_the_journal_is_named(clew: CommandLine) -> None:
    """It is no file that cannot be written, and nobody else's: moving it away helps."""
    clew.run("fix", "--test-command", "true")
    journal = folder(clew, "journal.db")
    for path in journal.parent.glob("journal.db*"):
        path.unlink()
    journal.mkdir()
    for words in (("status",), ("fix",), ("recover",)):
        told(clew.run(*words), 1, f"{journal} is a folder", "Move it away")


@pytest.mark.slow
def test_a_locked_journal_is_somebody_elses(clew: CommandLine, tmp_path: Path) -> None:
    """Exit code 4; nothing is lost."""
    killed(clew, tmp_path, "CallAgent.diagnose.intent")
    other = sqlite3.connect(folder(clew, "journal.db"), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    told(clew.run("resume"), 4, "locked")
    other.close()
    assert 0 == clew.run("resume").code


def test_a_file_where_documents_belong_is_refused_before_anything_runs(clew: CommandLine) -> None:
    """`.clew` must be a folder; no session is opened."""
    (clew.project / ".clew").write_text("mine\n")
    told(clew.run("fix"), 2, ".clew")
    assert "No session yet" in clew.run("list").err
    assert "mine\n" == (clew.project / ".clew").read_text()


@pytest.mark.slow
def test_a_file_where_reports_belong_is_named(clew: CommandLine, tmp_path: Path) -> None:
    """Out of the way with it, and the session goes on."""
    (clew.project / "debug").write_text("mine\n")
    told(clew.run("fix", "--agent", two_fixes(tmp_path / "r.jsonl")), 2, "debug")
    (clew.project / "debug").unlink()
    said = clew.run("resume", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err


def test_a_path_that_no_document_can_name_is_refused(tmp_path: Path) -> None:
    """A folder's name must be UTF-8; nothing is started."""
    project = tmp_path / os.fsdecode(b"caf\xe9")
    project.mkdir()
    told(CommandLine(project, tmp_path / "state").run("fix"), 2, "UTF-8")


def test_a_state_folder_that_cannot_be_made_is_named(clew: CommandLine) -> None:
    """It is a matter of settings."""
    clew.state.write_text("a file\n")
    told(clew.run("fix"), 2, str(clew.state), "CLEW_STATE_HOME")


@pytest.mark.slow
def test_a_session_goes_on_where_its_tests_run(tmp_path: Path, clew: CommandLine) -> None:
    """`resume` from the top of the repository means the folder that `fix` was given."""
    part = {
        "part/pyproject.toml": "[tool.pytest.ini_options]\n",
        "part/thing.py": "def one():\n    return 2\n",
        "part/test_thing.py": "from thing import one\n\n\ndef test_one():\n    assert one() == 1\n",
    }
    write(clew.project, part)
    change = {"file": "part/thing.py", "line": 2, "current": "return 2", "should_be": "return 1"}
    agent = recording(tmp_path / "r.jsonl", diagnosis("one is two here", change), fix(change))
    point = {"CLEW_CRASH_AT": "TakeSnapshot.before"}
    assert -9 == clew.run("fix", "part", "--agent", agent, env=point).code
    said = clew.run("resume", "--json")
    assert (0, 1) == (said.code, said.summary["iterations"]), said.err


@pytest.mark.slow
def test_a_fixer_of_few_or_odd_words_is_no_fault(clew: CommandLine, tmp_path: Path) -> None:
    """An empty summary and one with control characters are summaries like any other."""
    silent, odd = fix(FIRST), fix(SECOND)
    silent["reply"]["changes_made"], odd["reply"]["changes_made"] = "", "a\0b\x1b[31m"
    lines = [diagnosis("a name that does not exist", FIRST), silent]
    lines += [diagnosis("one too many in the result", SECOND), odd]
    said = clew.run("fix", "--agent", recording(tmp_path / "r.jsonl", *lines))
    told(said, 0)
    for words in ("log", "show", "diff", "apply"):
        told(clew.run(words), 0)


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("size", ["300k", "450k", "600k"])
def test_a_full_disk_loses_nothing(clew: CommandLine, tmp_path: Path, size: str) -> None:
    """A person is told; with room again the session, or a new one, comes to its end."""
    with mounted(clew.state, "-t", "tmpfs", "-o", f"size={size}", "tmpfs"):
        agent = two_fixes(tmp_path / "r.jsonl")
        said = clew.run("fix", "--agent", agent)
        told(said, 1)
        subprocess.run(["mount", "-o", "remount,size=100m", str(clew.state)], check=True)
        again = clew.run("resume") if "session " in said.err else clew.run("fix", "--agent", agent)
        told(again, 0)
