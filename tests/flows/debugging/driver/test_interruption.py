from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from clew.flows.debugging.driver import DebugRun, drive
from clew.flows.debugging.states import State
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from clew.journal.store import Store
from clew.journal.streams import Journal, ListedSession, SQLiteJournal
from clew.words import events as ev
from clew.words.facts import Tick
from sessionplay import START, opened


class Nobody:
    """Looks on and says nothing."""

    def saw(self, recorded: ev.Recorded, state: State) -> None:
        pass

    def tick(self, tick: Tick) -> None:
        pass


class Interrupting:
    """A journal during whose next append but one a signal arrives, when the event is on disk."""

    def __init__(self, journal: Journal[ev.AnyEvent]) -> None:
        self.journal = journal
        self.left = 2

    def append(self, recorded: ev.Recorded) -> None:
        self.journal.append(recorded)
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt("SIGTERM")

    def read(self, session: str, after: int = 0) -> Iterator[ev.Recorded]:
        return self.journal.read(session, after)

    def sessions(self) -> tuple[ListedSession, ...]:
        return self.journal.sessions()


def test_a_signal_while_an_event_is_written_loses_nothing(tmp_path: Path) -> None:
    """The event stands, the interruption follows it, and the state knows both."""
    (tmp_path / "project").mkdir()
    debug_run = DebugRun(
        project=locate(tmp_path / "project"),
        store=Store(tmp_path / "state"),
        journal=Interrupting(SQLiteJournal(tmp_path / "state" / "journal.db", ev.CODEC)),
        repository=cast("PrivateRepository", None),
        watcher=Nobody(),
        clock=lambda: START,
    )
    debug_run.record(opened())
    with pytest.raises(KeyboardInterrupt):
        drive(debug_run)
    written = [ev.type_of(r.event) for r in debug_run.journal.read(debug_run.id)]
    assert ["SessionOpened", "Started", "Interrupted"] == written
    assert (3, "SIGTERM") == (debug_run.state.seq, debug_run.state.interrupted)
