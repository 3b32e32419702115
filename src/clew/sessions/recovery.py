"""A damaged journal built anew, from what can still be read and from the checkpoints beside it.

Nothing is thrown away: the damaged file is kept under a name that says so. A session is
taken up to the last event without a gap; what came after is named as lost, never made up.
"""

from __future__ import annotations

import contextlib
import itertools
import resource
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from clew.journal.flow import Flow
from clew.journal.store import Store
from clew.journal.streams import COMMON, SQLiteJournal, ensure_it_is_a_file
from clew.sessions import ProjectSessions
from clew.sessions.table import KINDS, flow_named
from clew.words.codec import EventLine
from clew.words.errors import ClewError, JournalDamaged, SessionHeld, TransitionRefused, UsageError
from clew.words.records import DEBUGGING, Interrupted, Opened, Recorded

__all__ = ["Recovered", "recover"]

COMPANIONS = ("", "-wal", "-shm", "-journal")

_ROWS = "SELECT session, seq, at, version, writer, body FROM events ORDER BY rowid"
_COUNTED = "SELECT session, count(*) FROM events GROUP BY session"
_NEWEST = "SELECT max(version), writer FROM events"  # the writer of that row, says SQLite

UNREAD = "nothing of it can be read"

Events = dict[str, dict[int, Recorded[Any]]]
Chains = dict[str, list[Recorded[Any]]]
Row = tuple[str, int, str, int, str, bytes]  # session, seq, at, version, writer, body


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was built anew: its events, and how many more are known to have been.

    One without events is no more: something beside the journal knew of it, and that is all.
    """

    session: str
    events: int
    lost: int
    stage: str


def recover(sessions: ProjectSessions) -> tuple[Path, tuple[Recovered, ...]] | None:
    """Build the journal anew; return where the damaged one is kept, and each session's fate.

    None if the journal is whole: then nothing is done. May be called again after an interruption.
    Raises SessionHeld where somebody works, UsageError for a journal of another Clew, and
    JournalDamaged if nothing at all could be read.
    """
    store = sessions.store
    rebuilt = store.journal.with_name("journal.db.rebuilt")
    _open_many()
    with contextlib.ExitStack() as held:
        for session in _sessions(store):
            held.enter_context(store.hold(session))
        if not rebuilt.exists() and _is_whole(store):
            return None
        found = _gather(store)
        chains = {session: _chain(events) for session, events in sorted(found.items())}
        chains = {session: chain for session, chain in chains.items() if chain}
        if not chains:
            raise JournalDamaged(
                f"nothing in {store.journal} can be read, and it has no checkpoints",
                hint="Move it aside: `clew fix` makes another. Reports are in debug/, fixes in the"
                f" private repository beside it, as refs/clew/ in {sessions.repository.location}.",
            )
        fresh = store.journal.with_name("journal.db.new")
        _remove(fresh)
        fates = (*_write(fresh, chains, found), *_gone(sessions, chains, found))
        aside = store.journal.with_name(f"journal.db.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        for companion in COMPANIONS:
            with contextlib.suppress(FileNotFoundError):
                shutil.copy2(f"{store.journal}{companion}", f"{aside}{companion}")
        fresh.replace(rebuilt)  # from here on a call that follows ends what this one began
        _remove(store.journal)
        rebuilt.replace(store.journal)
    return aside, fates


def _open_many() -> None:
    """Let this process open as many files as it may: each session is held by one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _sessions(store: Store) -> set[str]:
    """Return the sessions that something beside the journal knows of."""
    holders = {path.stem for path in (store.folder / "holders").glob("*.json")}
    return holders | store.checkpointed


def _is_whole(store: Store) -> bool:
    """Whether SQLite finds no fault, every event folds, and no checkpoint knows of another session.

    Where there is no journal, whether nothing was ever written.
    """
    path = store.journal
    if not path.exists():
        return not store.checkpointed
    ensure_it_is_a_file(path)
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=10.0)) as db:
            if db.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                return False
            counted = db.execute(_COUNTED).fetchall()
            newest = db.execute(_NEWEST).fetchone()
        if (newest[0] or 0) > max(flow_named(kind).codec.version for kind in KINDS):
            raise UsageError(
                f"the journal {path} was written by a newer Clew ({newest[1]})",
                hint="The journal is intact: use that version.",
            )
        journal = SQLiteJournal(path, COMMON)
        with contextlib.closing(journal):
            # the quick check compares no index with its table: a name may lead nowhere
            if any(_last(journal, name) < count for name, count in counted):
                return False
        if lacking := store.checkpointed - {name for name, _ in counted}:
            begun = {kept.session for kept in _kept(store.folder / "checkpoints") if kept.seq == 1}
            return not lacking & begun
    except (sqlite3.DatabaseError, JournalDamaged) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN):
            raise SessionHeld(
                f"the journal {path} cannot be opened now: {error}",
                hint="Is another process using it? Wait for it, or stop it.",
            ) from error
        return False
    return True


def _last(journal: SQLiteJournal[Any], session: str) -> int:
    """Return the number of a session's last event.

    Raises UsageError for one that can be read and does not follow: other rules led to it.
    """
    flow = flow_named(journal.opening(session).kind)
    state = flow.empty
    try:
        for recorded in journal.speaking(flow.codec).read(session):
            state = flow.fold(state, recorded)
        return int(state.seq)
    except TransitionRefused as error:
        raise UsageError(
            f"session {session} was written by an incompatible Clew: {error}",
            hint="The journal is intact: use the version that wrote this session.",
        ) from error


def _gather(store: Store) -> Events:
    """Collect events by session and number: the journal's own first, then the checkpoints'."""
    found: Events = defaultdict(dict)
    rebuilt = store.journal.with_name("journal.db.rebuilt")
    sources = [_readable(path) for path in (rebuilt, store.journal) if path.exists()]
    rows = {(row[0], row[1]): row for row in reversed(list(itertools.chain(*sources)))}
    kinds = {session: _kind(row[5]) for (session, seq), row in rows.items() if seq == 1}
    for (session, seq), row in rows.items():
        with contextlib.suppress(ClewError, ValueError, TypeError):
            found[session][seq] = _decoded(row, flow_named(kinds.get(session, DEBUGGING)))
    for recorded in _kept(store.folder / "checkpoints"):
        found[recorded.session].setdefault(recorded.seq, recorded)
    return found


def _kind(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=Opened).kind
    except msgspec.DecodeError:
        return DEBUGGING


def _decoded(row: Row, flow: Flow[Any, Any]) -> Recorded[Any]:
    session, seq, at, version, writer, body = row
    event = flow.codec.decode(body, version, writer)
    return Recorded(session=session, seq=seq, at=datetime.fromisoformat(at), event=event)


def _readable(path: Path) -> Iterator[Row]:
    """Yield the rows that can still be read, from the front and then from the back."""
    for order in ("", " DESC"):
        with (
            contextlib.suppress(sqlite3.DatabaseError),
            contextlib.closing(sqlite3.connect(path, timeout=10.0)) as db,
        ):
            yield from db.execute(_ROWS + order)


def _kept(checkpoints: Path) -> Iterator[Recorded[Any]]:
    for path in sorted(checkpoints.glob("*/*/events.jsonl")):
        flow: Flow[Any, Any] | None = None
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(JournalDamaged, UsageError):
                flow = flow or flow_named(_kind(bytes(EventLine.read(line).event)))
                yield flow.codec.from_line(line)


def _flow_of(events: Iterable[Recorded[Any]]) -> Flow[Any, Any]:
    """Return the flow of a session by its opening event, which stands first."""
    first = next(iter(events), None)
    opened = first.event if first else None
    return flow_named(opened.kind if isinstance(opened, Opened) else DEBUGGING)


def _chain(events: dict[int, Recorded[Any]]) -> list[Recorded[Any]]:
    """Return the events from the first on, as far as they follow from each other."""
    chain: list[Recorded[Any]] = []
    flow = _flow_of([events[1]] if 1 in events else [])
    state = flow.empty
    while (recorded := events.get(len(chain) + 1)) is not None:
        try:
            state = flow.fold(state, recorded)
        except TransitionRefused:
            break
        chain.append(recorded)
    return chain


def _write(path: Path, chains: Chains, found: Events) -> Iterator[Recovered]:
    fresh = SQLiteJournal(path, COMMON)
    with contextlib.closing(fresh):
        for session, chain in sorted(chains.items(), key=lambda item: item[1][0].at):
            flow = _flow_of(chain)
            journal, state = fresh.speaking(flow.codec), flow.empty
            for recorded in chain:
                journal.append(recorded)
                state = flow.fold(state, recorded)
            lost = max(found[session]) - len(chain)
            reason = f"the journal was damaged; it is rebuilt up to event {len(chain)}"
            note = Recorded(
                session=session,
                seq=state.seq + 1,
                at=datetime.now(UTC),
                event=Interrupted(reason=reason),
            )
            if getattr(state, "ended", None) is None or flow.kind == DEBUGGING:
                journal.append(note)
                state = flow.fold(state, note)
            stage = str(getattr(state, "stage", "rebuilt"))
            yield Recovered(session=session, events=len(chain), lost=lost, stage=stage)


def _gone(sessions: ProjectSessions, chains: Chains, found: Events) -> Iterator[Recovered]:
    """Yield the sessions that are known of and were not built anew.

    What has a worktree is one if it has documents as well: a look at the tests that was cut off has
    none.
    """
    trees = {path.name for path in (sessions.store.folder / "worktrees").glob("*")}
    documents = {path.name for path in sessions.project.documents.glob("*")}
    known = sessions.store.checkpointed | (trees & documents) | found.keys()
    for session in sorted(known - chains.keys()):
        lost = max(found.get(session, ()), default=0)
        yield Recovered(session=session, events=0, lost=lost, stage=UNREAD)


def _remove(path: Path) -> None:
    for companion in COMPANIONS:
        Path(f"{path}{companion}").unlink(missing_ok=True)
