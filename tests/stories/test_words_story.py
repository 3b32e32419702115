"""What a session says of itself: it is so, is said once, and works as typed."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from commandline import CommandLine
from moments import Moment
from projects import FIRST, NO_HELP, SECOND, commit_all, diagnosis, fix, git, recording, write


@pytest.mark.slow
def test_a_proven_fix_that_waits_is_pointed_at(proven: Moment) -> None:
    """By `status`, by a second `fix` instead of doing it all again, and by `resume`."""
    clew, session = proven.clew, proven.said.summary["session_id"]
    take = f"clew apply {session}"
    assert take in clew.run("status").out
    agent = ("--agent", f"replay:{proven.folder / 'r.jsonl'}")
    again = clew.run("fix", *agent)
    assert (0, True) == (again.code, take in again.out), again
    assert f"clew diff {session}" in again.out
    assert "clew fix --again" in again.out
    assert session == clew.run("fix", "--json", *agent).summary["session_id"]
    assert 1 == len(clew.run("list").out.splitlines())
    ended = clew.run("resume")
    assert (0, True) == (ended.code, f"session {session} has ended: green" in ended.err)
    assert take in ended.out
    assert 0 == clew.run("fix", "--again", "--max-iterations", "2", *agent).code
    assert 2 == len(clew.run("list").out.splitlines())


@pytest.mark.slow
def test_a_proven_fix_is_no_excuse_for_other_code(proven: Moment) -> None:
    """Whoever has gone on working, or asks otherwise, is worked for."""
    clew, session = proven.clew, proven.said.summary["session_id"]
    agent = ("--json", "--agent", f"replay:{proven.folder / 'r.jsonl'}")
    assert session != clew.run("fix", *agent, "--max-iterations", "2").summary["session_id"]
    write(clew.project, {"notes.txt": "other\n"})
    assert session != clew.run("fix", *agent).summary["session_id"]


@pytest.mark.slow
def test_a_proven_fix_that_is_lost_is_made_anew(proven: Moment) -> None:
    """Nobody is sent to a change whose code is gone."""
    clew, session = proven.clew, proven.said.summary["session_id"]
    (private,) = clew.state.rglob("repository.git")
    shutil.rmtree(private)
    agent = ("--json", "--agent", f"replay:{proven.folder / 'r.jsonl'}")
    again = clew.run("fix", *agent)
    assert (0, True) == (again.code, session != again.summary["session_id"]), again.err


@pytest.mark.slow
def test_a_proven_fix_of_other_rules_stands_in_nobody_s_way(proven: Moment) -> None:
    """Opened by the first rules it is pointed at; by rules that are not known it is passed by."""
    clew, session = proven.clew, proven.said.summary["session_id"]
    agent = ("--json", "--agent", f"replay:{proven.folder / 'r.jsonl'}")
    (journal,) = clew.state.rglob("journal.db")
    edit = "UPDATE events SET body = CAST(replace(body, ?, ?) AS BLOB) WHERE type = ?"
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute(edit, (',"rules":2', "", "SessionOpened"))
    assert session == clew.run("fix", *agent).summary["session_id"]
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute(edit, ('"Tests passing"', '"Still failing"', "IterationEnded"))
    refused = clew.run("recover")
    assert (2, True) == (
        refused.code,
        f"session {session} was written by an incompatible Clew" in refused.err,
    )
    again = clew.run("fix", *agent)
    assert (0, True) == (again.code, session != again.summary["session_id"]), again.err


@pytest.mark.slow
def test_what_documents_name_is_there(proven: Moment) -> None:
    """A commit that git knows, what was not committed beside it, and the way to the rest."""
    clew = proven.again()
    session = proven.said.summary["session_id"]
    first, second = ((clew.project / path).read_text() for path in proven.said.summary["reports"])
    head = git(clew.project, "rev-parse", "HEAD").strip()[:12]
    start = f"1. Start from commit `{head}`; with what was not committed then: "
    assert f"{start}`new.txt`, `notes.txt`.\n" in first
    assert f"{start}`new.txt`, `notes.txt`; with what helped before it: `clew diff {session}`" in (
        second
    )
    summary = (clew.project / ".clew" / "sessions" / session / "summary.md").read_text()
    assert re.search(r"Branch\*\*: `clew/\S+`, in Clew's own repository until", summary)


def test_nothing_to_do_is_said_once(tmp_path: Path) -> None:
    """With the number of tests, on whichever of the two outputs."""
    files = {"test_a.py": "def test_a():\n    pass\n"}
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    said = clew.run("fix")
    assert (0, 1) == (said.code, (said.out + said.err).lower().count("nothing to do"))
    assert "nothing to do: the only test passes" in said.out


@pytest.mark.slow
def test_a_fix_that_was_applied_is_told_as_applied(proven: Moment) -> None:
    """Nobody is told to take what is in their files; the commit names change, cause and session."""
    clew = proven.again()
    session = proven.said.summary["session_id"]
    assert 0 == clew.run("apply", "--commit").code
    take, applied = f"take it: clew apply {session}", "applied: `clew apply` has put it into"
    for words in (("status",), ("show",), ("resume",)):
        said = clew.run(*words).out
        assert (True, False) == (applied in said, take in said), said
    assert f"{session}  applied " in clew.run("list").out
    message = git(clew.project, "log", "-1", "--format=%B")
    subject, *body = message.strip().split("\n\n")
    assert subject.startswith("fix: ")
    assert subject.removeprefix("fix: ") not in body
    assert [True, True] == [part.startswith("Cause: ") for part in body[:-1]]
    assert f"Proven by Clew in session {session}" == body[-1]


def test_an_empty_folder_is_asked_about_once(tmp_path: Path) -> None:
    """The reason stands in the question alone, and no answer speaks of tests that fail."""
    (tmp_path / "p").mkdir()
    clew = CommandLine(tmp_path / "p", tmp_path / "state")
    said = clew.run("fix")
    assert (3, 1) == (said.code, (said.out + said.err).count("no tests were found in"))
    assert "End although no test ran; nothing is fixed" in said.out


@pytest.mark.slow
@pytest.mark.parametrize(("gives", "ran"), [(2, "2 red"), (3, "1 red")])
def test_a_file_of_tests_that_does_not_load_hides_no_test_that_ran(
    tmp_path: Path, gives: int, ran: str
) -> None:
    """No test ran, it said, and listed one that had, or counted it as passed."""
    project = tmp_path / "p"
    write(project, {"m.py": "def f(x):\n    return x + 2\n", "test_bad.py": "def test_g(:\n"})
    write(
        project, {"test_m.py": f"from m import f\n\n\ndef test_f():\n    assert f(1) == {gives}\n"}
    )
    said = CommandLine(project, tmp_path / "state").run("fix")
    assert 3 == said.code
    files = f"{'1 of them ' * (gives == 2)}a file of tests that could not be loaded"
    assert f"tests (baseline) did not all run: {ran} ({files}), {gives - 2} passed" in said.err
    shown = "red:     test_m.py::test_f: AssertionError: assert 3 == 2" in said.out
    assert (gives == 2) == shown
    assert "End although not all tests ran; nothing is fixed" in said.out


@pytest.mark.slow
def test_an_answer_that_lacks_something_is_told_what(clew: CommandLine, tmp_path: Path) -> None:
    """The options of the question, and a command that works as typed."""
    agent = recording(tmp_path / "r.jsonl", diagnosis("no idea", NO_HELP), fix(NO_HELP))
    said = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    session = said.summary["session_id"]
    lacking = clew.run("answer", session)
    assert (2, True) == (lacking.code, "the answer is missing" in lacking.err), lacking.err
    assert "Answers: 1 investigate, 2 guidance" in lacking.err
    wordless = clew.run("answer", session, "guidance")
    assert f'clew answer {session} guidance "what you know"' in wordless.err


@pytest.mark.slow
def test_a_session_that_had_nothing_to_do_says_so_to_each_command(tmp_path: Path) -> None:
    """There is no fix of it, and no place to go back to; that is no fault of anybody's."""
    files = {"test_a.py": "def test_a():\n    pass\n"}
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")
    assert 0 == clew.run("fix").code
    resumed = clew.run("resume")
    assert (0, True) == (resumed.code, "has ended: nothing to do\n" in resumed.err), resumed.err
    assert "nothing to do: the only test passes\n" == resumed.out
    for words in (("rollback", "start"), ("apply",)):
        said = clew.run(*words)
        assert (2, True) == (said.code, "had nothing to do: the only test" in said.err), said
    listed = clew.run("checkpoints")
    assert (0, "no checkpoint: nothing to do: the only test passes\n") == (listed.code, listed.err)


@pytest.mark.slow
def test_an_iteration_of_a_later_round_is_counted_in_that_round(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Not as the second of one."""
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("a name that does not exist", FIRST),
        fix(FIRST),
        diagnosis("one too many", SECOND),
        fix(SECOND),
    )
    assert 1 == clew.run("fix", "--agent", agent, "--max-iterations", "1").code
    said = clew.run("resume", "--with-context", "rings are closed", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err
    report = (clew.project / said.summary["reports"][-1]).read_text()
    assert "- **Iteration**: 2 (1 of 1 in round 2)\n" in report


@pytest.mark.slow
def test_the_report_of_an_attempt_that_failed_says_so(clew: CommandLine, tmp_path: Path) -> None:
    """At once, and not when the session ends; the errors that it met are kept whole."""
    clew.project.joinpath("sums/area.py").write_text(
        "from sums.add import add as ad\n\n\n"
        "def ring(width, height):\n    return ad(width, height) * 2 + 1\n"
    )
    agent = recording(tmp_path / "r.jsonl", diagnosis("one too many", NO_HELP), fix(NO_HELP))
    said = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    assert (1, "waiting") == (said.code, said.summary["status"]), said.err
    (report,) = said.summary["reports"]
    text = (clew.project / report).read_text()
    assert "- **Status**: Under Investigation\n" in text
    assert "- **Date resolved**: –\n" in text  # noqa: RUF001 -- as it stands there
    assert "Still failing" in text.partition("- **Resolution**: ")[2].partition("\n")[0]
    document = (clew.project / ".clew" / "sessions" / said.summary["session_id"]).joinpath
    front = document("session.md").read_text()
    assert "    type: validation\n" in front
    assert "    message: 'Still failing" in front
    assert "  retry_count: 0\n" in front
    (kept,) = clew.state.rglob("escalation/checkpoint.json")
    (entry,) = json.loads(kept.read_text())["workflow_state"]["error_history"]
    assert (2, [report]) == (len(entry["issue"]), entry["debug_reports"])


@pytest.mark.slow
def test_the_iteration_that_ended_green_is_no_place_to_go_back_to(proven: Moment) -> None:
    """Nothing fails there: that is said, not that there is no such iteration."""
    said = proven.clew.run("rollback", "2")
    assert (2, True) == (said.code, "nothing fails after iteration 2" in said.err), said.err
