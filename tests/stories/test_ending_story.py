"""Sessions that end before they are green, or are taken up again after they were."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from commandline import CommandLine
from moments import Moment
from projects import FIRST, commit_all, diagnosis, fix, git, recording, write


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "point", ["CallAgent.diagnose.intent", "CallAgent.fix.effect", "RunTests.intent#3"]
)
def test_work_that_was_cut_off_can_be_ended_or_taken_back(
    clew: CommandLine, tmp_path: Path, point: str
) -> None:
    """The iteration under way is rolled back and on record; nothing else is lost."""
    agent = recording(
        tmp_path / "r.jsonl", diagnosis("a name that does not exist", FIRST), fix(FIRST)
    )
    killed = clew.run(
        "fix", "--max-iterations", "1", "--agent", agent, env={"CLEW_CRASH_AT": point}
    )
    assert -signal.SIGKILL == killed.code
    moment = Moment(clew, killed, tmp_path)
    for words, status in ((("terminate",), "terminated"), (("rollback", "start"), "waiting")):
        said = moment.again().run(*words, "--json")
        assert (1, status) == (said.code, said.summary["status"]), said.err
        history = clew.run("show", "--json").events[-1]["history"]
        assert "Halted, rolled back" == history[0]["result"]


@pytest.mark.slow
def test_who_ends_or_archives_what_needs_it_not_is_told_what_to_do(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Each refusal names the session, what is so, and commands that work on it."""
    agent = recording(tmp_path / "r.jsonl", diagnosis("a name that does not exist", FIRST))
    clew.run("fix", "--agent", agent, env={"CLEW_CRASH_AT": "CallAgent.diagnose.intent"})
    session = clew.run("terminate", "--json").summary["session_id"]
    again = clew.run("terminate", session)
    assert (2, True) == (again.code, f"session {session} has ended: terminated" in again.err)
    assert f"`clew show {session}`" in again.err
    assert f"`clew checkpoints {session}`" in again.err
    put_away = clew.run("archive", session)
    assert (2, True) == (put_away.code, f"session {session} is no plan's" in put_away.err)
    assert f"`clew show {session}`" in put_away.err
    assert [0, 0] == [clew.run(word, session).code for word in ("show", "checkpoints")]


@pytest.mark.parametrize(
    ("flags", "env", "words"),
    [
        ((), {"CLEW_MAX_TOKENS": "1000"}, "1100 of 1000 tokens until you are asked are spent"),
        pytest.param(
            ("--max-usd", "0.3"),
            {},
            "0.50 of 0.30 dollars until you are asked are spent",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            (),
            {"CLEW_ITERATION_MAX_USD": "0.3"},
            "0.50 of 0.30 dollars for one iteration are spent",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_budget_that_is_spent_ends_in_a_question(
    clew: CommandLine, tmp_path: Path, flags: tuple[str, ...], env: dict[str, str], words: str
) -> None:
    """What agents say they took is counted; progress is kept, and the next call is not made."""
    usage = {"input_tokens": 900, "output_tokens": 200, "usd": 0.5}
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("a name that does not exist", FIRST, usage=usage, fix={"description": "name it"}),
        fix(FIRST),
    )
    said = clew.run("fix", "--json", "--agent", agent, *flags, env=env)
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    assert words in clew.run("status").out
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
