"""Sessions of several kinds in one journal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import toyflow
from clew.journal.streams import COMMON, SQLiteJournal
from clew.words import events as ev
from clew.words.errors import JournalDamaged
from clew.words.records import Asked, Event, Recorded, RunSession, Started
from sessionplay import opened

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path) -> SQLiteJournal[Event]:
    """A debugging session, a toy, and a child of the toy."""
    shared = SQLiteJournal(tmp_path / "journal.db", COMMON)
    _write(shared.speaking(ev.CODEC), "fix", opened())
    toys = shared.speaking(toyflow.CODEC)
    begins = Started(intent=RunSession(child="child", kind="toy", budget={"steps": 2}))
    of_toy = toyflow.ToyOpened(session_id="toy", goal="play", kind="toy")
    _write(toys, "toy", of_toy, begins)
    of_child = toyflow.ToyOpened(
        session_id="child", goal="play", kind="toy", parent="toy", number=2
    )
    _write(toys, "child", of_child, Asked(id="q1", text="What now?"))
    return shared


def _write(journal: SQLiteJournal[Any], session: str, *events: Event) -> None:
    for seq, event in enumerate(events, 1):
        journal.append(Recorded(session=session, seq=seq, at=AT, event=event))


def test_a_list_says_of_what_kind_sessions_are_and_who_began_them(
    journal: SQLiteJournal[Event],
) -> None:
    """A session whose opening event names no kind is one of debugging."""
    assert [("child", "toy", "toy"), ("toy", "toy", ""), ("fix", "debugging", "")] == [
        (one.session, one.kind, one.parent) for one in journal.sessions()
    ]


def test_each_kind_reads_its_own_sessions(journal: SQLiteJournal[Event]) -> None:
    """One file and one connection serve them all."""
    (read,) = journal.speaking(ev.CODEC).read("fix")
    assert opened() == read.event
    assert 2 == len(list(journal.speaking(toyflow.CODEC).read("child")))


def test_what_any_kind_has_is_read_without_knowing_it(journal: SQLiteJournal[Event]) -> None:
    """The opening, what was asked of a child, and how it stands."""
    assert ("toy", 2) == (journal.opening("child").parent, journal.opening("child").number)
    assert {"steps": 2} == journal.request("toy", 2).budget
    assert (2, Asked(id="q1", text="What now?")) == journal.standing("child")


def test_an_opening_that_is_not_there_is_said(journal: SQLiteJournal[Event]) -> None:
    """It names the event and the session."""
    with pytest.raises(JournalDamaged, match="event 1 of session lost is missing"):
        journal.opening("lost")


def test_a_journal_of_before_takes_sessions_of_other_kinds(
    journal: SQLiteJournal[Event], tmp_path: Path
) -> None:
    """A Clew that knows no kinds goes on writing rows beside the newer one."""
    row = "INSERT INTO sessions VALUES ('older', '2020', '2020', 'running', 'mend')"
    journal._db.execute(row.replace("2020", AT.isoformat()))
    assert "debugging" == next(o.kind for o in journal.sessions() if o.session == "older")
