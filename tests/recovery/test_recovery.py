from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from clew import events as ev
from clew.journal import SQLiteJournal
from clew.project import locate
from clew.recovery import recover
from clew.sessions import Desk
from clew.store import Store
from sessionplay import Play, Script


def test_a_session_whose_name_is_damaged_is_found_again(tmp_path: Path) -> None:
    """SQLite's quick look does not compare an index with its table: the events are counted."""
    (tmp_path / "project").mkdir()
    desk = Desk(locate(tmp_path / "project"), Store(tmp_path / "state"))
    play = Play(Script())
    play.run()
    with closing(SQLiteJournal(desk.store.journal)) as journal:
        for one in play.records:
            journal.append(
                ev.Recorded(session="bright-fox", seq=one.seq, at=one.at, event=one.event)
            )
    assert recover(desk) is None
    with closing(sqlite3.connect(desk.store.journal)) as db:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_names_1'"
        (page,) = db.execute(asked).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    content = bytearray(desk.store.journal.read_bytes())
    at = content.index(b"bright-fox", (page - 1) * size, page * size)
    content[at : at + 1] = b"f"
    desk.store.journal.write_bytes(content)
    with closing(sqlite3.connect(desk.store.journal)) as db:
        assert [("ok",)] == db.execute("PRAGMA quick_check").fetchall()

    recovered = recover(desk)
    assert recovered is not None
    (fate,) = recovered[1]
    assert ("bright-fox", len(play.records), 0) == (fate.session, fate.events, fate.lost)
    with closing(SQLiteJournal(desk.store.journal)) as journal:
        found = [one.event for one in journal.read("bright-fox")]
    assert [one.event for one in play.records] == found[:-1]


def test_a_session_of_which_nothing_can_be_read_is_named(tmp_path: Path) -> None:
    """It has a worktree and no checkpoint yet; its rows are gone."""
    (tmp_path / "project").mkdir()
    desk = Desk(locate(tmp_path / "project"), Store(tmp_path / "state"))
    play = Play(Script())
    play.run()
    with closing(SQLiteJournal(desk.store.journal)) as journal:
        for one in play.records:
            journal.append(ev.Recorded(session="whole", seq=one.seq, at=one.at, event=one.event))
    with closing(sqlite3.connect(desk.store.journal)) as db, db:
        db.execute("DELETE FROM events WHERE seq = 3")
        db.execute("INSERT INTO names (session) VALUES ('other')")
    (desk.project.root / ".clew" / "sessions" / "without-events").mkdir(parents=True)
    for name in ("without-events", "a-look-that-was-cut-off"):
        (desk.store.folder / "worktrees" / name).mkdir(parents=True)

    recovered = recover(desk)
    assert recovered is not None
    whole, other = recovered[1]
    assert ("whole", 2) == (whole.session, whole.events)
    assert ("without-events", 0, 0) == (other.session, other.events, other.lost)
    assert "nothing of it can be read" == other.stage
