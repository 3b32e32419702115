"""The five options of an escalation, as commands that work after a restart."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from clew.project import locate
from commandline import CommandLine, Said
from projects import FIRST, SECOND, commit_all, diagnosis, fix, git, recording, write
from treestate import fingerprint

HALF = "from sums.add import add as ad\n\n\ndef ring(width, height):\n"
MENDED = HALF + "    return ad(width, height) * 2\n"


@pytest.fixture
def asked(clew: CommandLine, tmp_path: Path) -> Said:
    """One iteration of one: the first fault is mended, and that is kept; the second is left."""
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("a name that does not exist", FIRST),
        fix(FIRST),
        diagnosis("one too many", SECOND),
        fix(SECOND),
    )
    said = clew.run("fix", "--json", "--max-iterations", "1", "--agent", agent)
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    return said


def worktree(said: Said) -> Path:
    taken = [e["event"] for e in said.events if e.get("event", {}).get("type") == "SnapshotTaken"]
    return Path(taken[-1]["worktree"])


def area(clew: CommandLine) -> Path:
    return clew.project / "sums" / "area.py"


def test_work_in_the_worktree_is_taken_along_and_proven(clew: CommandLine, asked: Said) -> None:
    """What a person mends there, on top of kept progress, is tested, proven and applied."""
    before = fingerprint(locate(clew.project))
    (worktree(asked) / "sums" / "area.py").write_text(MENDED)
    said = clew.run("resume", "--json")
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert before == fingerprint(locate(clew.project))
    assert 0 == clew.run("apply").code
    assert MENDED == area(clew).read_text()


@pytest.mark.slow
def test_work_in_the_own_tree_is_merged_with_kept_progress(clew: CommandLine, asked: Said) -> None:
    """The second fault is mended by hand; the first fix is not lost, and the change is shown."""
    text = area(clew).read_text()
    area(clew).write_text(text.replace("* 2 + 1", "* 2"))
    said = clew.run("resume")
    assert 0 == said.code, said.err
    assert "changed by hand: sums/area.py" in said.err
    assert "-    return ad(width, height) * 2 + 1" in said.err
    diff = clew.run("diff").out
    assert "+from sums.add import add as ad" in diff
    assert "* 2 + 1" not in diff
    assert 0 == clew.run("apply").code
    assert MENDED == area(clew).read_text()
    assert asked.summary["session_id"]


@pytest.mark.slow
def test_progress_outlives_tests_that_cannot_run(clew: CommandLine, asked: Said) -> None:
    """A set-up that a person broke and mended again costs nothing of what was kept."""
    conftest = clew.project / "conftest.py"
    conftest.write_text("import nowhere_at_all\n")
    assert 3 == clew.run("resume").code
    conftest.unlink()
    (worktree(asked) / "sums" / "add.py").write_text(
        (clew.project / "sums" / "add.py").read_text() + "\n\nTWICE = 2\n"
    )
    clew.run("resume")
    diff = clew.run("diff").out
    assert "+from sums.add import add as ad" in diff
    assert "+TWICE = 2" in diff


@pytest.mark.slow
def test_edits_that_were_taken_back_are_not_brought_along(clew: CommandLine, asked: Said) -> None:
    """An answer that was refused looked at the worktree; what counts is how it stands later."""
    path = worktree(asked) / "sums" / "area.py"
    before = path.read_text()
    path.write_text(before + "# a thought\n")
    assert 2 == clew.run("answer", asked.summary["session_id"], "dance").code
    path.write_text(before)
    clew.run("resume")
    assert "a thought" not in clew.run("diff").out


@pytest.mark.slow
def test_files_of_any_name_are_taken_along(clew: CommandLine, asked: Said) -> None:
    """Also one whose name is not UTF-8."""
    (worktree(asked) / os.fsdecode(b"caf\xe9.txt")).write_text("mine\n")
    said = clew.run("resume")
    assert (0, True) == (said.code, "caf\\xe9.txt" in said.err), said.err


@pytest.mark.slow
def test_kept_progress_that_excludes_the_persons_edit_gives_way(
    clew: CommandLine, asked: Said
) -> None:
    """Theirs stands; what was left behind is named, and is still at its checkpoint."""
    area(clew).write_text(area(clew).read_text().replace("import ad", "import double as ad"))
    said = clew.run("resume")
    assert 1 == said.code
    assert "left behind, since your edits exclude it: sums/area.py" in said.err
    names = [row["name"] for row in clew.run("checkpoints", "--json").events]
    assert ["start", "iteration-1", "escalation"] == names[:3]
    assert asked.summary["session_id"]


def test_a_person_goes_back_to_a_checkpoint(clew: CommandLine, asked: Said) -> None:
    """Tree and state are the checkpoint's; the next attempt is told, and the numbers carry on."""
    said = clew.run("rollback", "start", "--with-context", "mind the import", "--json")
    assert (1, 2) == (said.code, said.summary["iterations"])
    assert 2 == len(said.summary["reports"])
    events = [e["event"] for e in clew.run("log", "--json").events]
    began = [e["base"] for e in events if e["type"] == "SnapshotTaken"]
    back = [e["commit"] for e in events if e["type"] == "RolledBack"]
    assert began[0] == back[0]
    assert asked.summary["session_id"]


@pytest.mark.slow
def test_an_unknown_checkpoint_is_refused_with_the_known_ones(
    clew: CommandLine, asked: Said
) -> None:
    """Nothing is moved, and the question stays."""
    for words in (("rollback", "yesterday"), ("answer", asked.summary["session_id"], "3", "9")):
        said = clew.run(*words)
        assert 2 == said.code
        assert "start, iteration-1, escalation" in said.err
    assert "guidance" in clew.run("status").out


def test_skipping_keeps_the_known_issues_and_an_honest_exit_code(
    clew: CommandLine, asked: Said
) -> None:
    """`continue --skip-tests` is not success; without the flag nothing is skipped."""
    assert 2 == clew.run("continue").code
    said = clew.run("continue", "--skip-tests", "--json")
    assert (1, "skipped") == (said.code, said.summary["status"])
    assert "test_ring" in said.summary["known_issues"][0]
    summary = clew.project / ".clew" / "sessions" / asked.summary["session_id"] / "summary.md"
    assert "test_ring" in summary.read_text()


def test_terminating_keeps_all_work(clew: CommandLine, asked: Said) -> None:
    """The progress can be applied afterwards; ending it twice is refused."""
    assert 1 == clew.run("terminate").code
    assert (2, True) == ((said := clew.run("terminate")).code, "has ended" in said.err)
    assert 0 == clew.run("apply").code
    assert "import add as ad" in area(clew).read_text()
    assert asked.summary["session_id"]


@pytest.mark.slow
def test_a_session_whose_agent_is_gone_goes_on_when_it_is_back(
    clew: CommandLine, asked: Said, tmp_path: Path
) -> None:
    """That is found out before anything is done; it can still be ended."""
    recorded, session = tmp_path / "r.jsonl", asked.summary["session_id"]
    recorded.rename(gone := tmp_path / "gone.jsonl")
    before = clew.run("log").out
    for words in (("resume",), ("rollback", "start"), ("answer", session, "they are even")):
        said = clew.run(*words)
        assert (2, True) == (said.code, str(recorded) in said.err), said.err
    assert before == clew.run("log").out
    gone.rename(recorded)
    assert (0, "green") == ((said := clew.run("resume", "--json")).code, said.summary["status"])
    recorded.unlink()
    assert 0 == clew.run("resume").code


@pytest.mark.slow
def test_free_words_are_guidance(clew: CommandLine, asked: Said) -> None:
    """More than a word is passed on; a word that is nearly an answer is asked back."""
    session = asked.summary["session_id"]
    assert "Did you mean 'skip'?" in clew.run("answer", session, "skpi").err
    said = clew.run("answer", session, "areas are", "never odd", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    answered = [e["event"] for e in clew.run("log", "--json").events]
    texts = [e["text"] for e in answered if e["type"] == "QuestionAnswered"]
    assert ["areas are never odd"] == texts


@pytest.mark.slow
@pytest.mark.parametrize("point", ["Diagnose.intent", "ApplyFix.effect", "RunTests.intent#3"])
@pytest.mark.parametrize("words", [("terminate",), ("rollback", "start")])
def test_work_that_was_cut_off_can_be_ended_or_taken_back(
    clew: CommandLine, tmp_path: Path, point: str, words: tuple[str, ...]
) -> None:
    """The iteration under way is rolled back and on record; nothing else is lost."""
    agent = recording(
        tmp_path / "r.jsonl", diagnosis("a name that does not exist", FIRST), fix(FIRST)
    )
    killed = clew.run(
        "fix", "--max-iterations", "1", "--agent", agent, env={"CLEW_CRASH_AT": point}
    )
    assert -signal.SIGKILL == killed.code
    said = clew.run(*words, "--json")
    status = "terminated" if words == ("terminate",) else "waiting"
    assert (1, status) == (said.code, said.summary["status"]), said.err
    history = clew.run("show", "--json").events[-1]["history"]
    assert "Halted, rolled back" == history[0]["result"]


def test_a_budget_of_tokens_ends_in_a_question(clew: CommandLine, tmp_path: Path) -> None:
    """What agents say they took is counted; progress is kept, and the next call is not made."""
    usage = {"input_tokens": 900, "output_tokens": 200}
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("a name that does not exist", FIRST, usage=usage),
        fix(FIRST),
    )
    said = clew.run("fix", "--json", "--agent", agent, env={"CLEW_MAX_TOKENS": "1000"})
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    assert "1100 of 1000 tokens until you are asked are spent" in clew.run("status").out
    assert (
        "halted"
        in (
            clew.project / ".clew" / "sessions" / said.summary["session_id"] / "escalation.md"
        ).read_text()
    )


@pytest.mark.slow
def test_an_ended_session_is_taken_up_again_from_a_checkpoint(tmp_path: Path) -> None:
    """A green session whose fix is not liked: back to the start, told why."""
    project = write(tmp_path / "p", {"a.py": "def f():\n    return 1\n"})
    write(project, {"test_a.py": "from a import f\n\n\ndef test_f():\n    assert f() == 2\n"})
    clew = CommandLine(commit_all(project), tmp_path / "state")
    change = {"file": "a.py", "line": 2, "current": "    return 1\n", "should_be": "    return 2\n"}
    other = change | {"should_be": "    return 1 + 1\n"}
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("a constant", change),
        fix(change),
        diagnosis("f returns one where it has to return two", other),
        fix(other),
    )
    assert 0 == clew.run("fix", "--agent", agent).code
    assert 0 == clew.run("rollback", "start", "--with-context", "it is a sum").code
    assert "+    return 1 + 1" in clew.run("diff").out
    assert "" == git(project, "status", "--porcelain", "--", "a.py")
