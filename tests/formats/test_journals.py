"""Journals of former versions, whole: with their code and outputs they are worked on as before.

`journals/vN` holds what a Clew of that day wrote: the rows of its journal, the private repository
and the outputs that are kept beside it. Five sessions of one project: green; waiting; ended by a
person; waiting since the tests cannot run; waiting, its settings of the tests read again.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from clew.journal.streams import SQLiteJournal
from clew.sessions import ProjectSessions
from clew.words import events as ev
from clew.words.codec import Codec
from commandline import CommandLine
from moments import Moment
from projects import SECOND, diagnosis, fix, two_fixes

JOURNALS = Path(__file__).parent / "journals"
PLACE = "/tmp/golden"  # noqa: S108 - where they were written
GREEN = "2026-11-24-fix-sums"
WAITING, ENDED, DID_NOT_RUN, READ_AGAIN = (f"{GREEN}-{number}" for number in range(2, 6))
PYTEST = "python3 -m pytest"
UNNAMED = 3  # the newest version whose checkpoints do not name it


class Row(msgspec.Struct):
    session: str
    seq: int
    at: datetime
    version: int
    event: msgspec.Raw


class Former(Codec[ev.AnyEvent]):
    """Writes as the Clew of the day did."""

    def __init__(self, version: int) -> None:
        super().__init__(ev.AnyEvent, version, {})
        self.body = b""

    def encode(self, _: ev.Event) -> bytes:
        return self.body


def restored(kept: Path, folder: Path) -> CommandLine:
    """Lay project, journal, repository and outputs of former days into a folder."""
    project, bundle = folder / "sums", str(kept / "code.bundle")
    project.mkdir()
    for words in (
        ("init", "-q", "-b", "main"),
        ("fetch", "-q", bundle, f"refs/clew/{GREEN}/base"),
        ("reset", "-q", "--hard", "FETCH_HEAD"),
        ("reset", "-q", "FETCH_HEAD^"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    again = diagnosis("one too many", SECOND), fix(SECOND)
    two_fixes(folder / "r.jsonl", *again)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEW_STATE_HOME", str(folder / "state"))
        sessions = ProjectSessions.at(project)
        code = sessions.repository.location
        store = sessions.store
    subprocess.run(["git", "fetch", "-q", bundle, "+refs/*:refs/*"], cwd=code, check=True)
    for blob in (kept / "blobs").iterdir():
        store.put(blob.read_bytes())
    text = (kept / "events.jsonl").read_text()
    text = text.replace(f"{PLACE}/store", str(store.folder)).replace(PLACE, str(folder))
    version = int(kept.name.removeprefix("v"))
    codec = Former(version)
    journal = SQLiteJournal(store.journal, codec, durable=False)
    for line in text.splitlines():
        row = msgspec.json.decode(line, type=Row)
        assert version == row.version
        codec.body = bytes(row.event)
        event = ev.decode(codec.body, version)
        journal.append(ev.Recorded(session=row.session, seq=row.seq, at=row.at, event=event))
    journal.close()
    return CommandLine(project, folder / "state", {"TZ": "UTC"})


@pytest.fixture(scope="module", params=sorted(JOURNALS.iterdir()), ids=lambda path: path.name)
def former(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Moment:
    folder = tmp_path_factory.mktemp("former")
    clew = restored(request.param, folder)
    return Moment(clew, clew.run("list"), folder)


def test_sessions_of_a_former_journal_are_listed_and_shown(former: Moment) -> None:
    """As they stand: with what they came to, and what they ask."""
    clew = former.again()
    listed = [line.split()[:2] for line in former.said.out.splitlines()]
    assert [
        [READ_AGAIN, "waiting"],
        [DID_NOT_RUN, "waiting"],
        [ENDED, "terminated"],
        [WAITING, "waiting"],
        [GREEN, "green"],
    ] == listed
    assert "proof: proven" in clew.run("show", GREEN).out


@pytest.mark.slow
def test_sessions_of_a_former_journal_tell_what_they_wait_for(former: Moment) -> None:
    """And where they can go back to."""
    clew = former.again()
    assert "iteration 1 of 1, round 1" in clew.run("show", WAITING).out
    assert "nothing-of-that-name" in clew.run("show", DID_NOT_RUN).out
    checkpoints = clew.run("checkpoints", GREEN).out.splitlines()
    assert ["start", "iteration-1", "tests_passing"] == [line.split()[0] for line in checkpoints]
    assert clew.run("status").out.startswith(f"{READ_AGAIN}  waiting")


@pytest.mark.slow
@pytest.mark.parametrize("session", [WAITING, READ_AGAIN])
def test_a_session_of_a_former_journal_is_gone_on_with(former: Moment, session: str) -> None:
    """To its end, with the agent and the command that it was told."""
    clew = former.again()
    said = clew.run("resume", "--json", session, "--with-context", "look again")
    assert (0, "green") == (said.code, said.summary["status"]), said


@pytest.mark.slow
def test_a_session_of_a_former_journal_goes_back(former: Moment) -> None:
    """To a checkpoint, and from there to green once more."""
    clew = former.again()
    said = clew.run("rollback", "--json", GREEN, "iteration-1")
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert 0 == clew.run("apply", GREEN).code


@pytest.mark.slow
def test_the_tests_of_a_former_session_are_told_how_to_run(former: Moment) -> None:
    """Since none of their runs counts yet."""
    clew = former.again()
    said = clew.run("resume", "--json", DID_NOT_RUN, "--test-command", PYTEST)
    assert (0, "green") == (said.code, said.summary["status"]), said


@pytest.mark.slow
def test_an_ended_session_of_a_former_journal_has_its_end(former: Moment) -> None:
    """What it came to can still be taken."""
    clew = former.again()
    said = clew.run("resume", ENDED)
    assert "has ended: terminated" in said.err + said.out
    assert 0 == clew.run("diff", ENDED).code


@pytest.mark.slow
def test_a_former_checkpoint_builds_a_lost_journal_anew(former: Moment) -> None:
    """Its lines name no version, where they did not yet."""
    clew = former.again()
    (journal,) = clew.state.rglob("journal.db")
    asked = "SELECT seq, at, version, body FROM events WHERE session = ? ORDER BY seq"
    with closing(sqlite3.connect(journal)) as db:
        rows = db.execute(asked, (WAITING,)).fetchall()
    lines = [
        {"session": WAITING, "seq": seq, "at": at, "event": json.loads(body)}
        | ({"version": version} if version > UNNAMED else {})
        for seq, at, version, body in rows
    ]
    folder = journal.parent / "checkpoints" / WAITING / "escalation"
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    journal.unlink()
    recovered = clew.run("recover")
    assert (0, True) == (recovered.code, f"{WAITING}  {len(rows)} events" in recovered.out), (
        recovered
    )
    assert "iteration 1 of 1, round 1" in clew.run("show", WAITING).out
