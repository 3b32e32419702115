"""Tests that do not run as they were told to: what a message advises is typed, and works."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from projects import two_faults, two_fixes, write

PYTEST = f"{shlex.quote(sys.executable)} -m pytest"
WRONG = {
    "no such program": "nothing-of-that-name",
    "no such script": "./bin/pytest",
    "no tests": f"{PYTEST} sums",
}


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    return CommandLine(two_faults(tmp_path), tmp_path / "state")


def advised(said: Said) -> list[list[str]]:
    """Return the commands that a message gives, as they are typed."""
    text = said.out + said.err
    found = re.findall(r"^ +(clew .*)$", text, re.MULTILINE) + re.findall(r"`(clew [^`]*)`", text)
    return [shlex.split(line)[1:] for line in dict.fromkeys(found)]


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_another_test_command_is_named_as_the_message_says(
    clew: CommandLine, tmp_path: Path, wrong: str
) -> None:
    """The session goes on from there, and ends as if it had been named at first."""
    agent = two_fixes(tmp_path / "r.jsonl")
    said = clew.run("fix", "--test-command", wrong, "--agent", agent)
    assert 3 == said.code, said
    (words,) = [words for words in advised(said) if "--test-command" in words]
    assert "…" == words[-1]
    done = clew.run(*words[:-1], PYTEST)
    assert 0 == done.code, done
    assert "proven" in clew.run("status").out


@pytest.mark.slow
def test_each_advised_command_works(clew: CommandLine) -> None:
    """As typed, in the order in which they are named; the last one ends the session."""
    said = clew.run("fix", "--test-command", "nothing-of-that-name")
    typed = [words for words in advised(said) if "…" not in words]
    assert ["resume", "continue", "terminate"] == [words[0] for words in typed]
    for words in typed:
        again = clew.run("fix", "--test-command", "nothing-of-that-name")
        session = next(w[1] for w in advised(again) if w[0] == "terminate")
        done = clew.run(words[0], session, *words[2:])
        assert (done.code, "no such option" in done.err.lower()) in ((1, False), (3, False)), done


@pytest.mark.slow
def test_settings_of_the_tests_are_read_again(clew: CommandLine, tmp_path: Path) -> None:
    """A wrong command in clew.toml is mended there."""
    settings = clew.project / "clew.toml"
    settings.write_text('test_command = "nothing-of-that-name"\n')
    agent = two_fixes(tmp_path / "r.jsonl")
    assert 3 == clew.run("fix", "--agent", agent).code
    settings.write_text(f'test_command = "{PYTEST}"\n')
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["intent", "outcome"])
def test_a_session_that_was_cut_off_before_it_asked_takes_another_command(
    clew: CommandLine, tmp_path: Path, moment: str
) -> None:
    """Before its tests ran or after; what else it was told keeps its source, and is not read."""
    words = ("--test-command", "nothing-of-that-name", "--agent", two_fixes(tmp_path / "r.jsonl"))
    killed = clew.run("fix", *words, env={"CLEW_CRASH_AT": f"RunTests.{moment}"})
    assert -signal.SIGKILL == killed.code
    said = clew.run("resume", "--json", "--test-command", PYTEST)
    assert (0, "green") == (said.code, said.summary["status"]), said
    log = [line["event"] for line in clew.run("log", "--json").events]
    (read,) = [event for event in log if event["type"] == "SetUpRead"]
    assert {"test_command": "command line"} == read["settings"]["sources"]


@pytest.mark.slow
def test_what_was_read_already_is_not_read_once_more(clew: CommandLine, tmp_path: Path) -> None:
    """A session that was told an agent goes on, and nothing of its settings has changed."""
    words = ("--agent", two_fixes(tmp_path / "r.jsonl"))
    killed = clew.run("fix", *words, env={"CLEW_CRASH_AT": "TakeSnapshot.outcome"})
    assert -signal.SIGKILL == killed.code
    assert 0 == clew.run("resume").code
    log = [line["event"] for line in clew.run("log", "--json").events]
    assert [] == [event for event in log if event["type"] == "SetUpRead"]


def test_an_ended_session_takes_no_other_command(clew: CommandLine) -> None:
    """It says so."""
    assert 3 == clew.run("fix", "--test-command", "nothing-of-that-name").code
    clew.run("terminate")
    said = clew.run("resume", "--test-command", PYTEST)
    assert (2, True) == (said.code, "has ended" in said.err), said


@pytest.mark.slow
def test_a_command_is_not_exchanged_once_tests_are_judged_by_it(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The message says what to type instead."""
    agent = two_fixes(tmp_path / "r.jsonl")
    assert 1 == clew.run("fix", "--max-iterations", "1", "--agent", agent).code
    said = clew.run("resume", "--test-command", PYTEST)
    assert (2, True) == (said.code, "`clew fix` with these options" in said.err), said


@pytest.mark.slow
def test_the_same_broken_set_up_is_asked_about_once(clew: CommandLine) -> None:
    """What lies outside the code may be mended: the session that waits runs the tests again."""
    write(clew.project, {"tests/conftest.py": "import nothing_of_that_name\n"})
    first = clew.run("fix", "--json")
    session = first.summary["session_id"]

    said = clew.run("fix")

    assert (3, 3) == (first.code, said.code), said
    assert f"Session {session} has looked at this code" in said.out
    assert f"if something was mended since, run the tests again: clew resume {session}" in said.out
    assert 1 == len(clew.run("list").out.splitlines())
    told = clew.run("resume", session, "--with-context", "hello")
    assert (2, True) == (told.code, "takes no guidance" in told.err), told
    assert f"clew resume {session}" in told.err
