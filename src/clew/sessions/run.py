"""A session that this process holds and works on, of whatever kind."""

from __future__ import annotations

import contextlib
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
from clew.journal import engine, nesting
from clew.journal.flow import Flow, Folded, Pending
from clew.journal.store import Store
from clew.journal.streams import SQLiteJournal
from clew.sandbox.files import write_atomically
from clew.sessions.kinds import Watcher
from clew.sessions.nest import ProjectNest
from clew.sessions.project_sessions import ProjectSessions
from clew.words.errors import UsageError
from clew.words.facts import Tick
from clew.words.records import BaseTaken, Outcome, Recorded, RunSession, Started

__all__ = ["SessionRun", "attend", "now", "stop_children"]

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
        self.journal.append(recorded, waits=not self._is_repeatable(event))
        self.state = after
        self.watcher.saw(recorded, after)
        if isinstance(event, Outcome):
            self.document(self)
        return recorded.seq

    def _is_repeatable(self, event: Any) -> bool:  # noqa: ANN401 - as above
        """Whether an event can be lost, as it comes about again."""
        match event:
            case Started(intent=intent):
                return type(intent) in self.flow.repeatable
            case Outcome(of=number) if number in self.state.in_flight:
                return type(self.state.in_flight[number]) in self.flow.repeatable
            case _:
                return False

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

    def take_base(self, name: str = "base") -> BaseTaken:
        """Record the person's tree under a name, once; later calls repeat the answer."""
        taken = self.repository.snapshot(self.id, name)
        return BaseTaken(commit=taken.commit, tree=taken.tree, head=taken.head or "")

    def pause(self, until: datetime, why: str) -> None:
        """Wait, visibly; an interruption ends it, and a resumed session waits for what is left."""
        self.watcher.tick(Tick(phase="waiting", text=why))
        self.sleep(max(0.0, (until - self.clock()).total_seconds()))


def attend(run: SessionRun[Any], number: int, intent: RunSession) -> nesting.Child:
    """See to a child: begun, watched, found again."""
    return nesting.attend(run.nest, run.state.at_work, number, intent)


def stop_children(run: SessionRun[Any]) -> None:
    """End every child that has not ended, and take in what each came to."""
    from clew.sessions.table import kind_named  # noqa: PLC0415 - the table names every flow

    engine.settle(run.flow, run)  # what was cut off is found again
    for intent in tuple(run.state.in_flight.values()):
        if not isinstance(intent, RunSession):
            continue
        for pending in run.pending.values():
            pending.stop()
        if run.nest.standing(intent.child)[0]:
            with contextlib.suppress(UsageError):
                kind_named(intent.kind).terminate(run.sessions, intent.child, run.watcher)
    for number, pending in tuple(run.pending.items()):
        news = pending.poll()
        if news is not None:
            run.pending.pop(number, None)
            run.record(news)
