from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.flows.debugging.states import replay
from clew.journal.streams import SQLiteJournal
from clew.words import events as ev
from clew.words.errors import JournalDamaged, SessionHeld
from sessionplay import Play, Script, opened

AT = datetime(2026, 1, 1, tzinfo=UTC)


def recorded(seq: int, session: str = "s") -> ev.Recorded:
    event: ev.AnyEvent = ev.Interrupted(reason=f"event {seq}")
    return ev.Recorded(session=session, seq=seq, at=AT, event=opened() if seq == 1 else event)


@pytest.fixture
def journal(tmp_path: Path) -> SQLiteJournal[ev.AnyEvent]:
    return SQLiteJournal(tmp_path / "journal.db", ev.CODEC)


def test_what_is_appended_is_read_back_equal(journal: SQLiteJournal[ev.AnyEvent]) -> None:
    """Every event of a whole session survives the disk."""
    play = Play(Script(verify=["regression", "fewer_errors+", "passing"], flaky=("a",)))
    play.run()
    for one in play.records:
        journal.append(one)
    assert play.records == list(journal.read("s"))
    assert play.state == replay(journal.read("s"))


def test_reading_goes_on_after_a_sequence_number(journal: SQLiteJournal[ev.AnyEvent]) -> None:
    """An incremental fold reads only what is new."""
    for seq in range(1, 6):
        journal.append(recorded(seq))
    assert [4, 5] == [r.seq for r in journal.read("s", after=3)]


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """Two processes that follow the same event: one of them loses, and nothing is lost."""
    one, two = (SQLiteJournal(tmp_path / "journal.db", ev.CODEC) for _ in range(2))
    one.append(recorded(1))
    two.append(recorded(2))
    with pytest.raises(SessionHeld, match="changed since event 1"):
        one.append(recorded(2))
    assert [1, 2] == [r.seq for r in one.read("s")]


def test_a_gap_is_refused(journal: SQLiteJournal[ev.AnyEvent]) -> None:
    """Sequence numbers have no holes."""
    journal.append(recorded(1))
    with pytest.raises(SessionHeld):
        journal.append(recorded(3))


def test_a_missing_event_is_named_when_read(
    journal: SQLiteJournal[ev.AnyEvent], tmp_path: Path
) -> None:
    """Somebody deleted a row: reading stops there and says which."""
    for seq in (1, 2, 3):
        journal.append(recorded(seq))
    with sqlite3.connect(tmp_path / "journal.db") as db:
        db.execute("DELETE FROM events WHERE seq = 2")
    db.close()
    with pytest.raises(JournalDamaged, match="event 2 of session s is missing"):
        list(journal.read("s"))


def test_an_event_of_a_newer_version_is_refused_with_its_writer(
    journal: SQLiteJournal[ev.AnyEvent], tmp_path: Path
) -> None:
    """What a newer Clew wrote is not guessed at."""
    journal.append(recorded(1))
    with sqlite3.connect(tmp_path / "journal.db") as db:
        db.execute("UPDATE events SET version = 99, writer = '9.9'")
    db.close()
    with pytest.raises(JournalDamaged, match=r"newer Clew \(9\.9\)"):
        list(journal.read("s"))


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    """Zeros or text instead of a database: a clear error, and the file stays."""
    path = tmp_path / "journal.db"
    path.write_bytes(b"no database at all, " * 100)
    with pytest.raises(JournalDamaged, match=r"journal\.db cannot be read"):
        SQLiteJournal(path, ev.CODEC)
    assert path.read_bytes().startswith(b"no database")


def test_sessions_are_listed_newest_first_with_their_status(
    journal: SQLiteJournal[ev.AnyEvent],
) -> None:
    """The list is kept beside the events, in the same transaction."""
    for session, script in (("a", Script()), ("b", Script(verify=["same_errors"]))):
        play = Play(script)
        play.run()
        for one in play.records:
            journal.append(ev.Recorded(session=session, seq=one.seq, at=one.at, event=one.event))
    found = {x.session: x.status for x in journal.sessions()}
    assert {"a": ev.Status.GREEN, "b": ev.Status.WAITING} == found


@given(body=st.binary(max_size=200))
@settings(deadline=None)
def test_garbage_is_damage_never_a_crash(body: bytes) -> None:
    """Whatever bytes stand in a row, reading them raises JournalDamaged or gives an event."""
    try:
        event = ev.decode(body, ev.SCHEMA_VERSION)
    except JournalDamaged:
        return
    assert isinstance(event, ev.Event)


def test_the_newest_session_is_the_one_opened_last(journal: SQLiteJournal[ev.AnyEvent]) -> None:
    """Though the clock was put back in between, or stood still."""
    for session, at in (("a", AT + timedelta(days=400)), ("c", AT), ("b", AT)):
        journal.append(msgspec.structs.replace(recorded(1, session), at=at))
    assert ["b", "c", "a"] == [listed.session for listed in journal.sessions()]


def test_a_file_system_without_shared_memory_has_a_journal_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network: SQLite has no write-ahead log there, and every event is kept."""
    connect = sqlite3.connect

    def elsewhere(path: Path, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 -- passed on
        found: sqlite3.Connection = connect(f"file:{path}?vfs=unix-dotfile", uri=True, **options)
        return found

    monkeypatch.setattr(sqlite3, "connect", elsewhere)
    one = SQLiteJournal(tmp_path / "journal.db", ev.CODEC)
    assert ("delete",) == one._db.execute("PRAGMA journal_mode").fetchone()
    one.append(recorded(1, "a"))
    one.close()
    assert [recorded(1, "a")] == list(SQLiteJournal(tmp_path / "journal.db", ev.CODEC).read("a"))


def test_a_journal_that_was_emptied_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    """Where sessions have begun, an empty file is a loss; none at all is a beginning."""
    path = tmp_path / "journal.db"
    SQLiteJournal(path, ev.CODEC, begun=True).close()
    SQLiteJournal(path, ev.CODEC, begun=True).close()
    path.write_bytes(b"")
    with pytest.raises(JournalDamaged, match="is empty"):
        SQLiteJournal(path, ev.CODEC, begun=True)


FORMER = """
CREATE TABLE events (
    session TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, type TEXT NOT NULL,
    version INTEGER NOT NULL, writer TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE TABLE sessions (
    session TEXT PRIMARY KEY, created TEXT NOT NULL, updated TEXT NOT NULL, status TEXT NOT NULL,
    goal TEXT NOT NULL
) WITHOUT ROWID;
"""


def former(path: Path, records: list[ev.Recorded]) -> Path:
    """Write a journal as Clew did before it numbered its sessions."""
    SQLiteJournal(path, ev.CODEC).close()
    with sqlite3.connect(path) as db:
        db.executescript(f"DROP TABLE events; DROP TABLE names; DROP TABLE sessions; {FORMER}")
        for one in records:
            row = (one.session, one.seq, one.at.isoformat(), ev.type_of(one.event))
            body = ev.encode(one.event)
            more = (ev.SCHEMA_VERSION, "0.0.9", body)
            db.execute("INSERT INTO events VALUES (?,?,?,?,?,?,?)", row + more)
    db.close()
    return path


WOVEN = [recorded(1, "b"), recorded(1, "a"), recorded(2, "b"), recorded(2, "a"), recorded(3, "b")]


def test_a_journal_with_the_tables_of_before_is_read_and_gone_on_with(tmp_path: Path) -> None:
    """Events of sessions that went on side by side are all there, each where it was."""
    path = former(tmp_path / "journal.db", WOVEN)
    one, two = (SQLiteJournal(path, ev.CODEC, begun=True) for _ in range(2))
    assert [r for r in WOVEN if r.session == "a"] == list(one.read("a"))
    assert [r for r in WOVEN if r.session == "b"] == list(two.read("b"))
    one.append(recorded(3, "a"))
    with pytest.raises(SessionHeld):
        two.append(recorded(3, "a"))
    with pytest.raises(SessionHeld):
        two.append(recorded(5, "a"))
    two.append(recorded(1, "c"))
    assert [1, 2, 3] == [r.seq for r in two.read("a")]
    assert [recorded(1, "c")] == list(one.read("c"))
    assert ["c"] == [listed.session for listed in one.sessions()]


def test_a_clew_of_before_goes_on_beside_the_one_of_today(tmp_path: Path) -> None:
    """An upgrade while a session is under way: neither process cuts the other one off."""
    path = former(tmp_path / "journal.db", WOVEN)
    of_before = sqlite3.connect(path, isolation_level=None)
    today = SQLiteJournal(path, ev.CODEC, begun=True)
    today.append(recorded(1, "c"))
    event = recorded(4, "b").event
    row = ("b", 4, AT.isoformat(), ev.type_of(event), ev.SCHEMA_VERSION, "0.0.9", ev.encode(event))
    of_before.execute("INSERT INTO events VALUES (?,?,?,?,?,?,?)", row)
    of_before.close()
    assert [1, 2, 3, 4] == [r.seq for r in today.read("b")]


def test_whoever_only_looks_at_a_journal_of_before_leaves_it_as_it_is(tmp_path: Path) -> None:
    """Neither room on the disk nor leave to write is needed for a look."""
    path = former(tmp_path / "journal.db", WOVEN)
    before = path.read_bytes()
    journal = SQLiteJournal(path, ev.CODEC, begun=True)
    assert [1, 2] == [r.seq for r in journal.read("a")]
    assert () == journal.sessions()
    journal.close()
    assert before == path.read_bytes()


def test_a_damaged_journal_of_before_keeps_every_row(tmp_path: Path) -> None:
    """Rows that its index lacks are still there after it was opened, and the fault can be seen."""
    path = former(tmp_path / "journal.db", [recorded(seq) for seq in range(1, 21)])
    with sqlite3.connect(path) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_events_1'"
        ).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    content, cells = bytearray(path.read_bytes()), (page - 1) * size + 3
    assert (20).to_bytes(2, "big") == content[cells : cells + 2]
    content[cells : cells + 2] = (15).to_bytes(2, "big")
    path.write_bytes(content)
    SQLiteJournal(path, ev.CODEC, begun=True).close()
    with sqlite3.connect(path) as db:
        assert [(20,)] == db.execute("SELECT count(*) FROM events NOT INDEXED").fetchall()
        assert [("ok",)] != db.execute("PRAGMA quick_check").fetchall()
    db.close()


def test_a_journal_of_before_that_may_only_be_read_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that nobody may write to it keeps its tables, and says what it holds."""
    path = former(tmp_path / "journal.db", WOVEN)
    monkeypatch.setattr("clew.journal.streams._is_kept_from_writing", lambda _: True)
    journal = SQLiteJournal(path, ev.CODEC)
    assert [2, 3] == [r.seq for r in journal.read("b", after=1)]
    assert [] == list(journal.read("nobody"))
    monkeypatch.undo()
    path = tmp_path / "today.db"
    journal = SQLiteJournal(path, ev.CODEC)
    for one in WOVEN:
        journal.append(one)
    journal.close()
    monkeypatch.setattr("clew.journal.streams._is_kept_from_writing", lambda _: True)
    assert [2, 3] == [r.seq for r in SQLiteJournal(path, ev.CODEC).read("b", after=1)]


def test_an_event_that_does_not_wait_for_the_disk_is_there_at_once(tmp_path: Path) -> None:
    """For every process, and refused as any other; the next one waits again."""
    one, two = (SQLiteJournal(tmp_path / "journal.db", ev.CODEC) for _ in range(2))
    one.append(recorded(1))
    one.append(recorded(2), waits=False)
    assert [1, 2] == [r.seq for r in two.read("s")]
    with pytest.raises(SessionHeld):
        two.append(recorded(2), waits=False)
    two.append(recorded(3))
    assert (2,) == two._db.execute("PRAGMA synchronous").fetchone()
    assert [1, 2, 3] == [r.seq for r in one.read("s")]


def test_all_that_speak_through_a_connection_know_what_it_waits_for(tmp_path: Path) -> None:
    """It is told to wait, or not to, only where that changes; by whichever writes next."""
    one = SQLiteJournal(tmp_path / "journal.db", ev.CODEC)
    two = one.speaking(ev.CODEC)
    one.append(recorded(1))
    for writer, seq, waits in ((one, 2, False), (two, 3, True), (one, 4, False), (one, 5, True)):
        writer.append(recorded(seq), waits=waits)
        wanted = 2 if waits else 1
        assert (wanted,) == one._db.execute("PRAGMA synchronous").fetchone()
