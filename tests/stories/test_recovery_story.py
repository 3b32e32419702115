"""A journal that the disk damaged is built anew, and the session goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import CommandLine
from moments import Moment
from projects import two_faults, two_fixes


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    folder = tmp_path_factory.mktemp("killed")
    clew = CommandLine(two_faults(folder), folder / "state")
    agent = two_fixes(folder / "r.jsonl")
    said = clew.run("fix", "--agent", agent, env={"CLEW_CRASH_AT": "CallAgent.fix.intent#2"})
    clew.run("list")  # moves the log into the file
    return Moment(clew, said, folder)


@pytest.fixture
def killed(cut_off: Moment) -> CommandLine:
    """A session that was killed in its second iteration; its first is at a checkpoint."""
    return cut_off.again()


@pytest.mark.slow
def test_every_call_has_a_number_and_a_conversation_of_its_own(killed: CommandLine) -> None:
    """Also one that was cut off: no other call takes its place."""
    assert 0 == killed.run("resume").code
    told = [json.loads(line)["event"] for line in killed.run("log", "--json").out.splitlines()]
    calls = [e["intent"] for e in told if e["type"] == "Started" and "call" in e["intent"]]
    assert [1, 2, 3, 4, 5] == [each["call"] for each in calls]
    assert len(calls) == len({each["conversation"] for each in calls})


def journal(clew: CommandLine) -> Path:
    (path,) = clew.state.rglob("journal.db")
    return path


def zeroed(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def without_a_page(path: Path) -> None:
    """The newest page of rows is overwritten, as a bad block does it."""
    with path.open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(b"\xff" * 4096)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("damage", [zeroed, halved, without_a_page, emptied])
def test_a_damaged_journal_is_built_anew_and_the_session_goes_on(
    killed: CommandLine, damage: Callable[[Path], None]
) -> None:
    """Never reset in silence: it is refused first, then recovered by name, then carried on."""
    path = journal(killed)
    damage(path)
    refused = killed.run("resume")
    assert (1, True) == (refused.code, "clew recover" in refused.err), refused
    said = killed.run("recover", "--json")
    assert 0 == said.code, said.err
    assert "journal.db.damaged-" in said.err
    assert 18 <= said.events[0]["events"]
    resumed = killed.run("resume", "--json")
    assert (0, "green", 2) == (
        resumed.code,
        resumed.summary["status"],
        resumed.summary["iterations"],
    ), resumed.err
    assert "nothing to recover" in killed.run("recover").err


def test_a_whole_journal_is_left_alone(clew: CommandLine) -> None:
    """There is nothing to do, with a session and without one."""
    assert (0, True) == ((said := clew.run("recover")).code, "is intact" in said.err)
    clew.run("fix", "--test-command", "true")
    before = journal(clew).read_bytes()
    assert 0 == clew.run("recover").code
    assert before == journal(clew).read_bytes()
