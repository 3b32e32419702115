"""The journal: every event of every session of a project, in one SQLite file.

Appending states the sequence number that it expects to follow, and (session, seq) is unique: a lost
update or a second writer is impossible, it is refused. A row is written whole or not at all; with
`durable` the disk has it before `append` returns (synchronous=FULL), which is what intents and
outcomes of side effects need.

A row's key is the number of its session and its own: an append then writes one page at the end of
the table, and no index. A journal of before, without such keys, keeps its form: a process of before
may be at work in it, and damage in it is for `clew recover` alone.
"""

from __future__ import annotations

import contextlib
import copy
import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from clew import __version__
from clew.words.codec import Codec, type_of
from clew.words.errors import ClewError, JournalDamaged, SessionHeld, UsageError
from clew.words.records import (
    DEBUGGING,
    Answered,
    Asked,
    ChildAnswered,
    ChildAsked,
    ChildEnded,
    Children,
    Concluded,
    Ended,
    Event,
    Opened,
    Recorded,
    RunSession,
    Started,
    WentBack,
)

__all__ = ["COMMON", "Journal", "ListedSession", "SQLiteJournal", "ensure_it_is_a_file"]

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS names (
        number  INTEGER PRIMARY KEY,
        session TEXT NOT NULL UNIQUE
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS events (
        id      INTEGER PRIMARY KEY,  -- the session's number << 32 | seq
        session TEXT NOT NULL,
        seq     INTEGER NOT NULL,
        at      TEXT NOT NULL,
        type    TEXT NOT NULL,
        version INTEGER NOT NULL,
        writer  TEXT NOT NULL,
        body    BLOB NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS sessions (
        session TEXT PRIMARY KEY,
        created TEXT NOT NULL,
        updated TEXT NOT NULL,
        status  TEXT NOT NULL,
        goal    TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)
# A table of its own: an older Clew at work in the same journal writes rows of `sessions`.
_KINDS = """
    CREATE TABLE IF NOT EXISTS kinds (
        session TEXT PRIMARY KEY,
        kind    TEXT NOT NULL,
        parent  TEXT NOT NULL
    ) WITHOUT ROWID
"""
_HAS_KINDS = "SELECT 1 FROM sqlite_master WHERE name = 'kinds'"
# Journals were first written with an index on (session, seq), and without `names`.
_IS_FORMER = "SELECT count(*) = 0 FROM pragma_table_info('events') WHERE name = 'id'"
# Where the newest event is another one the session is NULL, and the row left out. (Told by a SELECT
# to insert from, SQLite would copy the row to a table of its own first.)
_APPEND = (
    "INSERT OR IGNORE INTO events VALUES (?, CASE ?"
    " WHEN (SELECT coalesce(max(id), ?) FROM events WHERE id > ? AND id <= ?) THEN ? END,"
    "?,?,?,?,?,?)"
)
_APPEND_FORMER = (
    "INSERT INTO events SELECT ?,?,?,?,?,?,?"
    " WHERE ? = (SELECT coalesce(max(seq), 0) FROM events WHERE session = ?)"
)
_LAST = (1 << 32) - 1  # the number that no event of a session is beyond

# Pages in the log before they move to the database, and the log begins anew; an event makes a few.
# A move waits for the disk. Where each event does, a shorter log is the faster one: to write over
# what is there takes the disk two thirds of the time that it takes to lengthen a file.
_LOG_PAGES = {"FULL": 400, "NORMAL": 4_000}

_ANY_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'events'"

RUNNING, WAITING = "running", "waiting"
COMMON: Codec[Any] = Codec(Opened | Asked | Answered | WentBack | Ended, 0, {})
"""What any kind of session has, for whoever looks at sessions of several kinds."""

_OPENED = msgspec.json.Decoder(Opened)
_RUN_SESSION = msgspec.json.Decoder(Started[RunSession])
_STANDING = msgspec.json.Decoder(Asked | Answered | WentBack | Concluded)
_OF_CHILDREN = msgspec.json.Decoder(ChildAsked | ChildAnswered | ChildEnded)
_BELOW = (
    "SELECT body FROM events WHERE session = ? AND type IN"
    " ('ChildAsked', 'ChildAnswered', 'ChildEnded') ORDER BY seq"
)
_NEWEST_STANDING = (
    "SELECT body FROM events WHERE session = ? AND type IN"
    " ('QuestionAsked', 'QuestionAnswered', 'WentBack', 'SessionEnded') ORDER BY seq DESC LIMIT 1"
)

E = TypeVar("E", bound=Event)
Other = TypeVar("Other", bound=Event)


class ListedSession(msgspec.Struct, frozen=True, kw_only=True):
    """One session in a list, from the table that is kept beside the events."""

    session: str
    created: datetime
    updated: datetime
    status: str
    goal: str
    kind: str = DEBUGGING
    parent: str = ""  # the session that began it


class Journal(Protocol[E]):
    """Append-only lists of events, one a session."""

    def append(self, recorded: Recorded[E]) -> None:
        """Add an event after those before its `seq`. Raises SessionHeld if there are others."""
        ...

    def read(self, session: str, after: int = 0) -> Iterator[Recorded[E]]:
        """Yield the events after a sequence number. Raises JournalDamaged."""
        ...

    def sessions(self) -> tuple[ListedSession, ...]:
        """Return all sessions, newest first."""
        ...


@dataclass
class _Pace:
    """How a connection writes; all that speak through it share it."""

    may_ease: bool = False
    waits: bool = True


class SQLiteJournal(Generic[E]):
    """The journal of one project, for one kind of session. One connection, one thread."""

    def __init__(
        self, path: Path, codec: Codec[E], *, durable: bool = True, begun: bool = False
    ) -> None:
        """Open the journal. A file without one where sessions have `begun` is JournalDamaged."""
        path.parent.mkdir(parents=True, exist_ok=True)
        ensure_it_is_a_file(path)
        self._path = path
        self._codec = codec
        self._first: SQLiteJournal[Any] | None = None
        self._numbers: dict[str, int] = {}
        self._former = False
        self._has_kinds = True
        self._pace = _Pace()
        begun = begun and path.exists()
        try:
            frozen = _is_kept_from_writing(path)
            self._db = (
                sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)
                if frozen
                else sqlite3.connect(path, timeout=10.0, isolation_level=None)
            )
            # With the end of the process, or before it, the log goes.
            weakref.finalize(self, self._db.close)
            if frozen:
                (self._former,) = self._db.execute(_IS_FORMER).fetchone()
                self._has_kinds = self._db.execute(_HAS_KINDS).fetchone() is not None
                return
            # WAL wants shared memory: a network file system answers with another mode, and works.
            (mode,) = self._db.execute("PRAGMA journal_mode=WAL").fetchone()
            self._pace.may_ease = durable and mode == "wal"
            synchronous = "FULL" if durable else "NORMAL"
            self._db.execute(f"PRAGMA synchronous={synchronous}")
            self._db.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES[synchronous]}").fetchone()
            any_table = self._db.execute(_ANY_TABLE).fetchone()
            if begun and not any_table:
                raise JournalDamaged(
                    f"the journal {path} is empty, but the project has sessions",
                    hint="Was it truncated? `clew recover` rebuilds it from its checkpoints.",
                )
            if any_table and self._db.execute(_IS_FORMER).fetchone() == (1,):
                self._former = True
                self._db.execute(_KINDS)
                return
            for table in (*_TABLES, _KINDS):
                self._db.execute(table)
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def speaking(self, codec: Codec[Other]) -> SQLiteJournal[Other]:
        """Return this journal for another kind of session: the same file and connection."""
        other: SQLiteJournal[Any] = copy.copy(self)
        other._codec, other._first = codec, self  # the file goes with the first of them
        return other

    def append(self, recorded: Recorded[E], *, waits: bool = True) -> None:
        """Add an event; see `Journal.append`.

        One that does not wait for the disk is safe from the end of this process, and reaches the
        disk with the next one that waits, before that one: never is an event there without those
        before it, of any session.
        """
        pace = self._pace
        if pace.may_ease and waits != pace.waits:
            self._db.execute(f"PRAGMA synchronous={'FULL' if waits else 'NORMAL'}")
            pace.waits = waits
        self._append(recorded)

    def _append(self, recorded: Recorded[E]) -> None:
        try:
            number, listed = self._number(recorded.session), _listed(recorded, self._newest)
            if number is not None and not listed:  # one statement is a transaction of its own
                self._insert(recorded, number)
                return
            with self._transaction():
                if number is None:
                    number = self._new_number(recorded.session)
                self._insert(recorded, number)
                for statement in listed:
                    self._db.execute(*statement)
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def _number(self, session: str) -> int | None:
        """Return a session's number; None before its first event is written.

        A journal of before numbers none: it is 0 there.
        """
        if self._former:
            return 0
        found = self._numbers.get(session)
        if found is None:
            asked = "SELECT number FROM names WHERE session = ?"
            row = self._db.execute(asked, (session,)).fetchone()
            if row is not None:
                found = self._numbers[session] = row[0]
        return found

    def _new_number(self, session: str) -> int:
        """Give a session its number, unless another process did; the transaction may still fail."""
        self._db.execute("INSERT OR IGNORE INTO names (session) VALUES (?)", (session,))
        asked = "SELECT number FROM names WHERE session = ?"
        (number,) = self._db.execute(asked, (session,)).fetchone()
        return int(number)

    def _newest(self) -> datetime:
        (newest,) = self._db.execute("SELECT max(created) FROM sessions").fetchone()
        return datetime.fromisoformat(newest) if newest else datetime.min.replace(tzinfo=UTC)

    def _insert(self, recorded: Recorded[E], number: int) -> None:
        """Add one row. Raises SessionHeld, having added nothing."""
        session, before = recorded.session, recorded.seq - 1
        row = (
            session,
            recorded.seq,
            recorded.at.isoformat(),
            type_of(recorded.event),
            self._codec.version,
            __version__,
            self._codec.encode(recorded.event),
        )
        if self._former:
            done = self._db.execute(_APPEND_FORMER, (*row, before, session))
        else:
            first = number << 32
            place = (first + recorded.seq, first + before, first, first, first + _LAST)
            done = self._db.execute(_APPEND, (*place, *row))
        if done.rowcount != 1:
            raise SessionHeld(
                f"session {session} has changed since event {before}",
                hint="Another process is working on it; see `clew status`.",
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

    def read(self, session: str, after: int = 0) -> Iterator[Recorded[E]]:
        """Yield events; see `Journal.read`."""
        expected = after
        try:
            for seq, at, version, writer, body in self._rows(session, after):
                expected += 1
                if seq != expected:
                    raise JournalDamaged(
                        f"event {expected} of session {session} is missing in {self._path}",
                        hint="`clew recover` rebuilds the journal from its checkpoints.",
                    )
                yield Recorded(
                    session=session,
                    seq=seq,
                    at=datetime.fromisoformat(at),
                    event=self._codec.decode(body, version, writer),
                )
        except (sqlite3.DatabaseError, ValueError) as error:
            raise self._damaged(error) from error

    def _rows(self, session: str, after: int) -> sqlite3.Cursor:
        asked = "SELECT seq, at, version, writer, body FROM events"
        if self._former:
            ordered = f"{asked} WHERE session = ? AND seq > ? ORDER BY seq"
            return self._db.execute(ordered, (session, after))
        first = (self._number(session) or 0) << 32
        between = (first + after, first + _LAST)
        return self._db.execute(f"{asked} WHERE id > ? AND id <= ? ORDER BY id", between)

    def standing(self, session: str) -> tuple[int, Asked | Answered | WentBack | Ended | None]:
        """Return the number of a session's newest event, and the newest that tells how it stands.

        Of any kind of session; of one that has not begun, 0 and None.
        """
        try:
            asked = "SELECT coalesce(max(seq), 0) FROM events WHERE session = ?"
            (seq,) = self._db.execute(asked, (session,)).fetchone()
            row = self._db.execute(_NEWEST_STANDING, (session,)).fetchone()
            return seq, _STANDING.decode(row[0]) if row else None
        except (sqlite3.DatabaseError, msgspec.DecodeError) as error:
            raise self._damaged(error) from error

    def questions_below(self, session: str) -> tuple[ChildAsked, ...]:
        """Return the questions of a session's children that it was not told an answer of."""
        try:
            rows = self._db.execute(_BELOW, (session,)).fetchall()
            children = Children()
            for (body,) in rows:
                children = children.after(_OF_CHILDREN.decode(body))
        except (sqlite3.DatabaseError, msgspec.DecodeError) as error:
            raise self._damaged(error) from error
        return tuple(children.questions.values())

    def opening(self, session: str) -> Opened:
        """Return what any kind of session says when it opens. Raises JournalDamaged."""
        opened: Opened = self._one(session, 1, _OPENED)
        return opened

    def request(self, session: str, number: int) -> RunSession:
        """Return what a session asks of the child that it began by that event."""
        started: Started[RunSession] = self._one(session, number, _RUN_SESSION)
        return started.intent

    def _one(self, session: str, seq: int, decoder: msgspec.json.Decoder[Any]) -> Any:  # noqa: ANN401 - as the decoder has it
        try:
            asked = "SELECT body FROM events WHERE session = ? AND seq = ?"
            row = self._db.execute(asked, (session, seq)).fetchone()
            if row is None:
                raise JournalDamaged(
                    f"event {seq} of session {session} is missing in {self._path}",
                    hint="`clew recover` rebuilds the journal from its checkpoints.",
                )
            return decoder.decode(row[0])
        except (sqlite3.DatabaseError, msgspec.DecodeError) as error:
            raise self._damaged(error) from error

    def sessions(self) -> tuple[ListedSession, ...]:
        """Return all sessions; see `Journal.sessions`."""
        try:
            kinds = "kind, parent" if self._has_kinds else "NULL, NULL"
            joined = " LEFT JOIN kinds USING (session)" if self._has_kinds else ""
            rows = self._db.execute(
                f"SELECT session, created, updated, status, goal, {kinds} FROM sessions{joined}"  # noqa: S608 - words of ours
                " ORDER BY created DESC, session DESC"
            ).fetchall()
            return tuple(
                ListedSession(
                    session=session,
                    created=datetime.fromisoformat(created),
                    updated=datetime.fromisoformat(updated),
                    status=status,
                    goal=goal,
                    kind=kind or DEBUGGING,
                    parent=parent or "",
                )
                for session, created, updated, status, goal, kind, parent in rows
            )
        except (sqlite3.DatabaseError, ValueError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> ClewError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return SessionHeld(
                f"another process has locked the journal {self._path}",
                hint="Wait for it, or stop it; nothing was lost.",
            )
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            is_full = code == sqlite3.SQLITE_FULL
            what = "Make room on the disk" if is_full else "Check the disk, and `ulimit -f`"
            return ClewError(
                f"the journal {self._path} cannot be written: {error}",
                hint=f"{what}; then `clew resume`. Nothing was lost.",
            )
        if isinstance(error, sqlite3.OperationalError):
            return UsageError(
                f"the journal {self._path} cannot be used: {error}",
                hint="Is the folder read-only? Set CLEW_STATE_HOME to another.",
            )
        return JournalDamaged(
            f"the journal {self._path} cannot be read: {error}",
            hint="`clew recover` rebuilds it from what is readable and from its checkpoints.",
        )


def ensure_it_is_a_file(path: Path) -> None:
    """Raise JournalDamaged for a folder in the place of the journal: SQLite would not say so."""
    if path.is_dir():
        raise JournalDamaged(
            f"the journal {path} is a folder, not a file",
            hint="Move it away; then `clew recover` rebuilds the journal from its checkpoints.",
        )


def _is_kept_from_writing(path: Path) -> bool:
    """Whether a whole journal lies in a folder that cannot be written: it can be looked at."""
    log = path.with_name(f"{path.name}-wal")
    return path.exists() and not os.access(path.parent, os.W_OK) and not log.exists()


Statement = tuple[str, tuple[str, ...]]


def _listed(recorded: Recorded[Any], newest: Callable[[], datetime]) -> tuple[Statement, ...]:
    """Return what an event changes in the list of sessions, as statements; most change nothing.

    A session is listed as opened later than the newest one, though the clock was put back.
    """
    session, event = recorded.session, recorded.event
    if isinstance(event, Opened):
        at = recorded.at.isoformat()
        created = max(recorded.at, newest() + timedelta(microseconds=1)).isoformat()
        row = (session, created, at, RUNNING, event.goal)
        opened = ("INSERT OR REPLACE INTO sessions VALUES (?,?,?,?,?)", row)
        if event.kind == DEBUGGING and not event.parent:
            return (opened,)
        kind = (session, event.kind, event.parent)
        return (opened, ("INSERT OR REPLACE INTO kinds VALUES (?,?,?)", kind))
    match event:
        case Ended(status=status):
            pass
        case Asked():
            status = WAITING
        case Answered() | WentBack():
            status = RUNNING
        case _:
            return ()
    update = "UPDATE sessions SET updated = ?, status = ? WHERE session = ?"
    return ((update, (recorded.at.isoformat(), status, session)),)
