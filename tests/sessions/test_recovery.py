from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.git.project import locate
from clew.journal.store import Store
from clew.journal.streams import SQLiteJournal
from clew.sessions import ProjectSessions
from clew.sessions.recovery import recover
from clew.words import events as ev
from clew.words.errors import UsageError
from sessionplay import Play, Script


@pytest.fixture
def sessions(tmp_path: Path) -> ProjectSessions:
    (tmp_path / "project").mkdir()
    return ProjectSessions(locate(tmp_path / "project"), Store(tmp_path / "state"))


def written(sessions: ProjectSessions, session: str) -> list[ev.Recorded]:
    """Return the events of a session that went from end to end, as the journal has them now."""
    play = Play(Script())
    play.run()
    events = [
        ev.Recorded(session=session, seq=one.seq, at=one.at, event=one.event)
        for one in play.records
    ]
    with closing(SQLiteJournal(sessions.store.journal, ev.CODEC)) as journal:
        for recorded in events:
            journal.append(recorded)
    return events


def test_a_session_whose_name_is_damaged_is_found_again(sessions: ProjectSessions) -> None:
    """SQLite's quick look does not compare an index with its table: the events are counted."""
    events = written(sessions, "bright-fox")
    assert recover(sessions) is None
    with closing(sqlite3.connect(sessions.store.journal)) as db:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_names_1'"
        (page,) = db.execute(asked).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    content = bytearray(sessions.store.journal.read_bytes())
    at = content.index(b"bright-fox", (page - 1) * size, page * size)
    content[at : at + 1] = b"f"
    sessions.store.journal.write_bytes(content)
    with closing(sqlite3.connect(sessions.store.journal)) as db:
        assert [("ok",)] == db.execute("PRAGMA quick_check").fetchall()

    recovered = recover(sessions)
    assert recovered is not None
    (fate,) = recovered[1]
    assert ("bright-fox", len(events), 0) == (fate.session, fate.events, fate.lost)
    with closing(SQLiteJournal(sessions.store.journal, ev.CODEC)) as journal:
        found = [one.event for one in journal.read("bright-fox")]
    assert [one.event for one in events] == found[:-1]


def test_a_session_of_which_nothing_can_be_read_is_named(sessions: ProjectSessions) -> None:
    """It has a worktree and no checkpoint yet; its rows are gone."""
    written(sessions, "whole")
    with closing(sqlite3.connect(sessions.store.journal)) as db, db:
        db.execute("DELETE FROM events WHERE seq = 3")
    (sessions.project.root / ".clew" / "sessions" / "without-events").mkdir(parents=True)
    for name in ("without-events", "a-look-that-was-cut-off"):
        (sessions.store.folder / "worktrees" / name).mkdir(parents=True)

    recovered = recover(sessions)
    assert recovered is not None
    whole, other = recovered[1]
    assert ("whole", 2) == (whole.session, whole.events)
    assert ("without-events", 0, 0) == (other.session, other.events, other.lost)
    assert "nothing of it can be read" == other.stage


def test_more_sessions_than_files_that_may_be_open_are_looked_at(sessions: ProjectSessions) -> None:
    """Each is held by an open file, so that nobody works on one meanwhile."""
    written(sessions, "whole")
    (sessions.store.folder / "holders").mkdir()
    for number in range(300):
        (sessions.store.folder / "holders" / f"s{number}.json").touch()
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
    try:
        assert recover(sessions) is None
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_newer_clew_is_named_by_its_version(sessions: ProjectSessions) -> None:
    """The one that wrote what is not known here; as a text another may come after it."""
    written(sessions, "whole")
    with closing(sqlite3.connect(sessions.store.journal)) as db, db:
        db.execute("UPDATE events SET writer = '0.9.0'")
        db.execute("UPDATE events SET version = 99, writer = '0.10.0' WHERE seq = 3")

    with pytest.raises(UsageError, match=r"by a newer Clew \(0\.10\.0\)"):
        recover(sessions)


def test_a_session_that_other_rules_led_is_not_cut(sessions: ProjectSessions) -> None:
    """Each event can be read, and one does not follow by the rules of today: that is no damage."""
    written(sessions, "other")
    with closing(sqlite3.connect(sessions.store.journal)) as db, db:
        (body,) = db.execute("SELECT body FROM events WHERE type = 'IterationEnded'").fetchone()
        told = body.replace(b"Tests passing", b"No fix proposed")
        db.execute("UPDATE events SET body = ? WHERE type = 'IterationEnded'", (told,))
    before = sessions.store.journal.read_bytes()

    with pytest.raises(UsageError, match="session other was written by an incompatible Clew"):
        recover(sessions)
    assert before == sessions.store.journal.read_bytes()


def test_a_session_that_its_checkpoint_alone_knows_is_taken_up(sessions: ProjectSessions) -> None:
    """The newest writes were in a log that somebody deleted; SQLite finds no fault with that."""
    written(sessions, "whole")
    lost = [replace(recorded, session="lost") for recorded in written(sessions, "other")]
    folder = sessions.store.folder / "checkpoints" / "lost" / "001"
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(b"\n".join(map(ev.to_line, lost)))

    recovered = recover(sessions)
    assert recovered is not None
    fates = {fate.session: fate.events for fate in recovered[1]}
    assert {"lost", "other", "whole"} == fates.keys()
    assert len(lost) == fates["lost"]
    assert recover(sessions) is None


def test_folders_without_a_checkpoint_tell_of_no_journal(sessions: ProjectSessions) -> None:
    """A project whose first session was cut off before its first checkpoint has lost nothing."""
    (sessions.store.folder / "checkpoints").mkdir(parents=True)
    assert recover(sessions) is None
