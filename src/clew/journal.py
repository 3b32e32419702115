"""The journal: every event of every session of a project, in one SQLite file.

Appending states the sequence number that it expects to follow, and (session, seq) is unique: a lost
update or a second writer is impossible, it is refused. A row is written whole or not at all; with
`durable` the disk has it before `append` returns (synchronous=FULL), which is what intents and
outcomes of side effects need.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import msgspec

from clew import __version__
from clew import events as ev
from clew.errors import ClewError, JournalDamaged, SessionHeld, UsageError

__all__ = ["Journal", "Listed", "SQLiteJournal"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    session TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    at      TEXT NOT NULL,
    type    TEXT NOT NULL,
    version INTEGER NOT NULL,
    writer  TEXT NOT NULL,
    body    BLOB NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE TABLE IF NOT EXISTS sessions (
    session TEXT PRIMARY KEY,
    created TEXT NOT NULL,
    updated TEXT NOT NULL,
    status  TEXT NOT NULL,
    goal    TEXT NOT NULL
) WITHOUT ROWID;
"""

# Pages in the log before they move to the database: a move waits for the disk, and an event makes a
# few. The last connection to close moves what is left.
_LOG_PAGES = 4_000

_ANY_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'events'"

_STATUS_AFTER: dict[type[ev.Event], ev.Status] = {
    ev.QuestionAsked: ev.Status.WAITING,
    ev.QuestionAnswered: ev.Status.RUNNING,
    ev.WentBack: ev.Status.RUNNING,
}


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One session in a list, from the table that is kept beside the events."""

    session: str
    created: datetime
    updated: datetime
    status: ev.Status
    goal: str


class Journal(Protocol):
    """Append-only lists of events, one a session."""

    def append(self, recorded: ev.Recorded) -> None:
        """Add an event after those before its `seq`. Raises SessionHeld if there are others."""
        ...

    def read(self, session: str, after: int = 0) -> Iterator[ev.Recorded]:
        """Yield the events after a sequence number. Raises JournalDamaged."""
        ...

    def sessions(self) -> tuple[Listed, ...]:
        """Return all sessions, newest first."""
        ...


class SQLiteJournal:
    """The journal of one project. One connection, one thread."""

    def __init__(self, path: Path, *, durable: bool = True, begun: bool = False) -> None:
        """Open the journal. A file without one where sessions have `begun` is JournalDamaged."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        begun = begun and path.exists()
        try:
            if _is_kept_from_writing(path):
                self._db = sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)
                return
            self._db = sqlite3.connect(path, timeout=10.0, isolation_level=None)
            # WAL wants shared memory: a network file system answers with another mode, and works.
            self._db.execute("PRAGMA journal_mode=WAL").fetchone()
            self._db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._db.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}").fetchone()
            if begun and not self._db.execute(_ANY_TABLE).fetchone():
                raise JournalDamaged(
                    f"the journal {path} is empty, though sessions have begun",
                    hint="Was it cut short? `clew recover` builds it anew from its checkpoints.",
                )
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def append(self, recorded: ev.Recorded) -> None:
        """Add an event; see `Journal.append`."""
        try:
            listed = _listed(recorded, self._newest)
            if listed is None:  # one statement is a transaction of its own
                self._insert(recorded)
            else:
                with self._transaction():
                    self._insert(recorded)
                    self._db.execute(*listed)
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def _newest(self) -> datetime:
        (newest,) = self._db.execute("SELECT max(created) FROM sessions").fetchone()
        return datetime.fromisoformat(newest) if newest else datetime.min.replace(tzinfo=UTC)

    def _insert(self, recorded: ev.Recorded) -> None:
        """Add one row. Raises SessionHeld, having added nothing."""
        session, before = recorded.session, recorded.seq - 1
        row = (
            session,
            recorded.seq,
            recorded.at.isoformat(),
            ev.type_of(recorded.event),
            ev.SCHEMA_VERSION,
            __version__,
            ev.encode(recorded.event),
            before,
            session,
        )
        added = self._db.execute(
            "INSERT INTO events SELECT ?,?,?,?,?,?,?"
            " WHERE ? = (SELECT coalesce(max(seq), 0) FROM events WHERE session = ?)",
            row,
        ).rowcount
        if added != 1:
            raise SessionHeld(
                f"session {session} has moved on since event {before}",
                hint="Another process works on it; look with `clew status`.",
            )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                self._db.execute("ROLLBACK")
            raise

    def read(self, session: str, after: int = 0) -> Iterator[ev.Recorded]:
        """Yield events; see `Journal.read`."""
        expected = after
        try:
            rows = self._db.execute(
                "SELECT seq, at, version, writer, body FROM events"
                " WHERE session = ? AND seq > ? ORDER BY seq",
                (session, after),
            )
            for seq, at, version, writer, body in rows:
                expected += 1
                if seq != expected:
                    raise JournalDamaged(
                        f"event {expected} of session {session} is missing in {self._path}",
                        hint="`clew recover` builds the journal anew from its checkpoints.",
                    )
                yield ev.Recorded(
                    session=session,
                    seq=seq,
                    at=datetime.fromisoformat(at),
                    event=ev.decode(body, version, writer),
                )
        except (sqlite3.DatabaseError, ValueError) as error:
            raise self._damaged(error) from error

    def sessions(self) -> tuple[Listed, ...]:
        """Return all sessions; see `Journal.sessions`."""
        try:
            rows = self._db.execute(
                "SELECT session, created, updated, status, goal FROM sessions"
                " ORDER BY created DESC, session DESC"
            ).fetchall()
            return tuple(
                Listed(
                    session=session,
                    created=datetime.fromisoformat(created),
                    updated=datetime.fromisoformat(updated),
                    status=ev.Status(status),
                    goal=goal,
                )
                for session, created, updated, status, goal in rows
            )
        except (sqlite3.DatabaseError, ValueError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: sqlite3.DatabaseError | ValueError) -> ClewError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return SessionHeld(
                f"another process has locked the journal {self._path}",
                hint="Wait for it, or stop it; nothing was lost.",
            )
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return ClewError(
                f"the journal {self._path} cannot be written: {error}",
                hint="Make room on the disk, then `clew resume`; nothing was lost.",
            )
        if isinstance(error, sqlite3.OperationalError):
            return UsageError(
                f"the journal {self._path} cannot be used: {error}",
                hint="Is the folder read-only? Set CLEW_STATE_HOME to another.",
            )
        return JournalDamaged(
            f"the journal {self._path} cannot be read: {error}",
            hint="`clew recover` builds it anew from what can be read and from its checkpoints.",
        )


def _is_kept_from_writing(path: Path) -> bool:
    """Whether a whole journal lies in a folder that cannot be written: it can be looked at."""
    log = path.with_name(f"{path.name}-wal")
    return path.exists() and not os.access(path.parent, os.W_OK) and not log.exists()


def _listed(
    recorded: ev.Recorded, newest: Callable[[], datetime]
) -> tuple[str, tuple[str, ...]] | None:
    """Return what an event changes in the list of sessions, as a statement; most change nothing.

    A session is listed as opened later than the newest one, though the clock was put back.
    """
    session, event = recorded.session, recorded.event
    if isinstance(event, ev.SessionOpened):
        at = recorded.at.isoformat()
        created = max(recorded.at, newest() + timedelta(microseconds=1)).isoformat()
        return (
            "INSERT OR REPLACE INTO sessions VALUES (?,?,?,?,?)",
            (session, created, at, ev.Status.RUNNING, event.goal),
        )
    ended = event.status if isinstance(event, ev.SessionEnded) else None
    status = ended or _STATUS_AFTER.get(type(event))
    if status is None:
        return None
    return (
        "UPDATE sessions SET updated = ?, status = ? WHERE session = ?",
        (recorded.at.isoformat(), status, session),
    )
