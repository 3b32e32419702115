"""A session that this process holds and works on, of whatever kind."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from clew.git.project import Project
from clew.git.worktrees import PrivateRepository
from clew.journal.flow import Flow, Folded, Pending
from clew.journal.store import Store
from clew.journal.streams import SQLiteJournal
from clew.sandbox.files import write_atomically
from clew.sessions.kinds import Watcher
from clew.sessions.nest import ProjectNest
from clew.sessions.project_sessions import ProjectSessions
from clew.words.facts import Tick
from clew.words.records import Outcome, Recorded

__all__ = ["SessionRun", "now"]

S = TypeVar("S", bound=Folded)
STREAM = "stream"  # the checkpoint that grows with the session


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class SessionRun(Generic[S]):
    """A `clew.journal.flow.Run` with what every kind of session has at hand."""

    sessions: ProjectSessions
    id: str
    flow: Flow[S, Any]
    state: S
    watcher: Watcher
    clock: Callable[[], datetime] = now
    sleep: Callable[[float], None] = time.sleep
    pending: dict[int, Pending] = field(default_factory=dict)
    written: bytes = b""  # its document for people, as this process last wrote it
    exported: int = 0  # events that lie beside the journal as well
    document: Callable[[Any], None] = lambda _: None  # writes what people read, as it is now

    @cached_property
    def journal(self) -> SQLiteJournal[Any]:
        return self.sessions.journal(self.flow.codec)

    @property
    def project(self) -> Project:
        return self.sessions.project

    @property
    def store(self) -> Store:
        return self.sessions.store

    @property
    def repository(self) -> PrivateRepository:
        return self.sessions.repository

    @property
    def nest(self) -> ProjectNest:
        """What there is to see to this session's children."""
        return ProjectNest(self.sessions, self.id)

    @property
    def scratch(self) -> Path:
        """A folder for what running children write; it exists."""
        return self.sessions.store.scratch(self.id)

    @property
    def pulse(self) -> Path:
        """A file that is touched while an agent works."""
        return self.scratch / "pulse"

    @property
    def mark(self) -> str:
        """What tells the processes of this session's agents from all others."""
        place = f"{self.sessions.store.folder}\0{self.id}"
        return hashlib.sha256(place.encode()).hexdigest()[:24]

    def record(self, event: Any) -> int:  # noqa: ANN401 - of the flow that runs
        """Journal an event, fold it, and return its number.

        Raises TransitionRefused, and then nothing was written.
        """
        recorded = Recorded(session=self.id, seq=self.state.seq + 1, at=self.clock(), event=event)
        after = self.flow.fold(self.state, recorded)
        self.journal.append(recorded)
        self.state = after
        self.watcher.saw(recorded, after)
        if isinstance(event, Outcome):
            self.document(self)
        return recorded.seq

    def catch_up(self) -> None:
        """Read what the journal has beyond the state."""
        for recorded in self.journal.read(self.id, self.state.seq):
            self.state = self.flow.fold(self.state, recorded)

    def export(self) -> None:
        """Keep the events beside the journal as well, so that a damaged one loses little."""
        path = self.sessions.store.checkpoint(self.id, STREAM) / "events.jsonl"
        new = self.journal.read(self.id, self.exported)
        lines = b"".join(self.flow.codec.to_line(recorded) + b"\n" for recorded in new)
        if not self.exported:
            write_atomically(path, lines)
        elif lines:
            with path.open("ab") as file:
                file.write(lines)
        self.exported = self.state.seq

    def pause(self, until: datetime, why: str) -> None:
        """Wait, visibly; an interruption ends it, and a resumed session waits for what is left."""
        self.watcher.tick(Tick(phase="waiting", text=why))
        self.sleep(max(0.0, (until - self.clock()).total_seconds()))
