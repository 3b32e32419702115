"""The five options of an escalation, as commands that work after a restart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from moments import Moment
from treestate import fingerprint

HALF = "from sums.add import add as ad\n\n\ndef ring(width, height):\n"
MENDED = HALF + "    return ad(width, height) * 2\n"


@pytest.fixture
def clew(escalated: Moment) -> CommandLine:
    """A person whose session waits after its only iteration."""
    return escalated.again()


@pytest.fixture
def asked(escalated: Moment) -> Said:
    """What that iteration told."""
    return escalated.said


def worktree(said: Said) -> Path:
    taken = [e["event"] for e in said.events if e.get("event", {}).get("type") == "SnapshotTaken"]
    return Path(taken[-1]["worktree"])


def area(clew: CommandLine) -> Path:
    return clew.project / "sums" / "area.py"


@pytest.mark.slow
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
    alone, both = "tests (carried, your tree alone): ", "tests (carried, with the kept progress): "
    assert said.err.index(f"{alone}1 red") < said.err.index(f"{both}0 red")
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
    assert 1 == clew.run("resume").code
    assert 3 == clew.run("answer", asked.summary["session_id"], "approve").code
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
    assert "left behind, because your edits exclude it: sums/area.py" in said.err
    told = [line.get("event", {}) for line in asked.events]
    (entry,) = [event for event in told if event.get("type") == "IterationEnded"]
    assert f"set aside: iteration 1 (commit {entry['commit'][:10]}, report debug/" in said.err
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


@pytest.mark.slow
def test_another_session_says_that_one_waits(clew: CommandLine, asked: Said) -> None:
    """One line with its id and the command that answers; then it goes on, and so do programs."""
    session = asked.summary["session_id"]
    for words in ((), ("--json",)):
        said = clew.run("fix", "--test-command", "true", *words)
        assert 0 == said.code, said
        (line,) = [line for line in said.err.splitlines() if "waits for you" in line]
        assert f"clew answer {session} OPTION" in line
    clew.run("terminate", session)
    assert "waits for you" not in clew.run("fix", "--test-command", "true").err


@pytest.mark.slow
def test_the_same_code_is_not_worked_on_again_while_its_question_waits(
    clew: CommandLine, asked: Said
) -> None:
    """The options are shown, with `--again`; whoever asks for other work gets another session."""
    session = asked.summary["session_id"]
    words = ("fix", "--max-iterations", "1", "--agent", f"replay:{clew.state.with_name('r.jsonl')}")
    said = clew.run(*words)
    assert (1, "") == (said.code, said.err), said
    assert f"Session {session} has looked at this code, and waits for your answer." in said.out
    assert f"clew terminate {session}" in said.out
    assert "clew fix --again" in said.out
    assert session == clew.run(*words, "--json").summary["session_id"]
    anew = clew.run(*words, "--again", "--json")
    assert session != anew.summary["session_id"], anew


def test_terminating_keeps_all_work(clew: CommandLine, asked: Said) -> None:
    """The progress can be applied afterwards; ending it twice is refused."""
    assert 1 == clew.run("terminate").code
    assert (2, True) == ((said := clew.run("terminate")).code, "has ended" in said.err)
    assert 0 == clew.run("apply").code
    assert "import add as ad" in area(clew).read_text()
    assert asked.summary["session_id"]


@pytest.mark.slow
def test_a_session_whose_agent_is_gone_goes_on_when_it_is_back(
    clew: CommandLine, asked: Said
) -> None:
    """It is told before a call is made, and costs no iteration; nothing is taken back before."""
    recorded = clew.state.with_name("r.jsonl")
    recorded.rename(gone := recorded.with_name("gone.jsonl"))
    before = clew.run("log").out
    said = clew.run("rollback", "start")
    assert (2, True, before) == (said.code, str(recorded) in said.err, clew.run("log").out)
    for words in (("answer", asked.summary["session_id"], "they are even"), ("resume",)):
        said = clew.run(*words)
        assert (2, True) == (said.code, str(recorded) in said.err), said.err
    gone.rename(recorded)
    said = clew.run("resume", "--json")
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"])
    recorded.unlink()
    assert 0 == clew.run("resume").code


@pytest.mark.slow
def test_what_needs_no_agent_is_done_without(escalated: Moment) -> None:
    """Work by hand is proven, and a session is ended, also one that was begun on in vain."""
    clew, recorded = escalated.again(), escalated.folder / "r.jsonl"
    recorded.unlink()
    (worktree(escalated.said) / "sums" / "area.py").write_text(MENDED)
    said = clew.run("resume", "--json")
    assert 0 == said.code, said.err
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    clew = escalated.again()
    recorded.unlink()
    assert 2 == clew.run("resume", "--with-context", "they are even").code
    said = clew.run("terminate", "--json")
    assert (1, "terminated") == (said.code, said.summary["status"])


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
