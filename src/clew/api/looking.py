"""Sessions looked at: listed, followed, and what each of them did. None of it holds a session."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from clew.flows.debugging.sessions import load_state
from clew.flows.debugging.states import State
from clew.git.worktrees import TreeChange
from clew.journal.streams import ListedSession
from clew.sessions import ProjectSessions, SessionStatus
from clew.sessions.table import flow_named, kind_named
from clew.words.errors import UsageError
from clew.words.events import CODEC, Proved, Status
from clew.words.papers import is_paper, without_papers
from clew.words.records import DEBUGGING, Ended, Recorded

__all__ = [
    "SessionDiff",
    "SessionRow",
    "changed_files",
    "diff",
    "events",
    "follow",
    "is_applied",
    "list_sessions",
    "patch",
    "proof",
    "report",
    "status",
]

EACH = 0.1  # seconds between two looks at the journal
INTERRUPTED, APPLIED, WAITING, RUNNING = "interrupted", "applied", "waiting", "running"

DONE = {(DEBUGGING, Status.GREEN), ("plan", "completed")}  # as each kind names its end
LEFT = {(DEBUGGING, Status.SKIPPED), (DEBUGGING, Status.TERMINATED)}  # with progress, perhaps


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a list, and how it stands as nobody wrote it down.

    `stands` is the status in the journal, save where more is known: `interrupted` for one that runs
    and has no process, `waiting` for one whose children wait for a person, `applied` for a proven
    fix, or a plan, that is in the person's tree, and behind the status for progress that is.
    """

    listed: ListedSession
    stands: str


class SessionDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What a session changed: a diff as git writes it, between two commits of its repository."""

    session_id: str
    base: str  # both are empty for a session that took no snapshot
    head: str
    diff: str  # empty where nothing was changed


def list_sessions(sessions: ProjectSessions) -> tuple[SessionRow, ...]:
    """Return all sessions of a project, the newest first; children have a `listed.parent`.

    A project that nobody worked on has none, and nothing is written. Raises JournalDamaged.
    `sessions.listing()` is quicker, and has what the journal has.
    """
    listing = sessions.listing()
    asking = _waiting_below(listing)
    return tuple(SessionRow(listed=one, stands=_stands(sessions, one, asking)) for one in listing)


def _stands(sessions: ProjectSessions, one: ListedSession, asking: frozenset[str]) -> str:
    if one.session in asking and not sessions.store.holder(one.session):
        return WAITING
    if one.status == Status.RUNNING and not sessions.store.holder(one.session):
        return INTERRUPTED
    is_done, is_left = (one.kind, one.status) in DONE, (one.kind, one.status) in LEFT
    if not (is_done or is_left) or not is_applied(sessions, one.session):
        return one.status
    return APPLIED if is_done else f"{one.status}, {APPLIED}"


def _waiting_below(listing: Iterable[ListedSession]) -> frozenset[str]:
    """Return the sessions that began one that waits for a person, or began one that did."""
    parents = {one.session: one.parent for one in listing}
    found: set[str] = set()
    for one in listing:
        above = one.parent if one.status == WAITING else ""
        while above and above not in found:
            found.add(above)
            above = parents.get(above, "")
    return frozenset(found)


def is_applied(sessions: ProjectSessions, session: str) -> bool:
    """Whether the person's tree has what a session came to, put there by `clew apply`."""
    last = sessions.repository.still_applied(session)
    if last is None or sessions.repository.is_cut_off(session):
        return False
    return last == status(sessions, session).commit


def status(sessions: ProjectSessions, name: str | None = None) -> SessionStatus:
    """Return how a session stands, of whatever kind. Raises UsageError and JournalDamaged."""
    session = sessions.find(name)
    return kind_named(sessions.listed(session).kind).standing(sessions, session)


def events(
    sessions: ProjectSessions, name: str | None = None, after: int = 0
) -> Iterator[Recorded[Any]]:
    """Yield the events of a session that have a greater number than `after`, in their order.

    Those of debugging sessions are of `clew.words.events`. Raises UsageError and JournalDamaged.
    """
    session = sessions.find(name)
    kind = sessions.listed(session).kind
    codec = CODEC if kind == DEBUGGING else flow_named(kind).codec  # its flow takes long to load
    return sessions.journal(codec).read(session, after)


def follow(
    sessions: ProjectSessions,
    name: str | None = None,
    after: int = 0,
    *,
    seconds: float | None = None,
) -> Iterator[Recorded[Any]]:
    """Yield the events of a session, those to come as well, until it has ended or time is over.

    A question does not end it: whoever wants to answer stops to listen. Raises as `events` does.
    """
    session = sessions.find(name)
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        for recorded in events(sessions, session, after):
            after = recorded.seq
            yield recorded
        newest, stands = sessions.events.standing(session)
        has_ended = isinstance(stands, Ended) and newest <= after
        if has_ended or (until is not None and time.monotonic() >= until):
            return
        time.sleep(EACH)


def diff(
    sessions: ProjectSessions, name: str | None = None, iteration: int | None = None
) -> SessionDiff:
    """Return what a session changed, against the person's tree when it began.

    With the number of an `iteration`: what that one changed, kept or not. Reports and other papers
    of Clew's own are left out. Raises UsageError and JournalDamaged.
    """
    session = sessions.find(name)
    base, head = _ends(sessions, session, iteration)
    told = without_papers(sessions.repository.diff(base, head)) if head != base else ""
    return SessionDiff(session_id=session, base=base, head=head, diff=told)


def patch(
    sessions: ProjectSessions, name: str | None = None, iteration: int | None = None
) -> bytes:
    """Return the same as `diff` as `git apply` takes it: each byte counts, whatever the encoding.

    Raises as `diff` does.
    """
    session = sessions.find(name)
    base, head = _ends(sessions, session, iteration)
    whole = sessions.repository.patch(base, head) if head != base else b""
    return without_papers(whole.decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def _ends(sessions: ProjectSessions, session: str, iteration: int | None) -> tuple[str, str]:
    """Return the commits between which a session, or an iteration of it, worked."""
    if iteration is not None:
        return _of(sessions, session, iteration)
    if sessions.listed(session).kind != DEBUGGING:
        stands = status(sessions, session)
        return stands.base, stands.commit
    state = load_state(sessions, session)
    if state.in_place:
        return state.start.base, state.head
    return state.snapshot.ground if state.snapshot else "", state.head


def _of(sessions: ProjectSessions, session: str, iteration: int) -> tuple[str, str]:
    """Return the commits between which an iteration worked."""
    state = load_state(sessions, session)
    history, fix = state.history, state.fix
    made = next((e.commit for e in history if e.iteration == iteration), None)
    if made is None and fix is not None and fix.iteration == iteration:
        made = fix.commit  # a person is asked about it
    if made is None:
        known = ", ".join(str(e.iteration) for e in history if e.commit) or "none yet"
        raise UsageError(
            f"session {session} has no change of an iteration {iteration}",
            hint=f"Iterations that changed something: {known}.",
        )
    return sessions.repository.before(made), made


def changed_files(sessions: ProjectSessions, state: State) -> tuple[TreeChange, ...]:
    """Return the files that a debugging session changed in its worktree, papers left out."""
    if state.snapshot is None or state.in_place:
        return ()
    whole = sessions.repository.changed(state.snapshot.ground, state.head)
    return tuple(change for change in whole if not is_paper(change.path))


def proof(sessions: ProjectSessions, name: str | None = None) -> Proved | None:
    """Return the newest proof of a debugging session, accepted or not; None if it has none.

    Raises UsageError, for a session of another kind as well, and JournalDamaged.
    """
    return load_state(sessions, sessions.find(name)).proof


def report(sessions: ProjectSessions, name: str | None = None, number: int | None = None) -> str:
    """Return a report of a debugging session as Markdown: that of a number, or the newest.

    Raises UsageError where there is none, or its file is gone, and JournalDamaged.
    """
    session = sessions.find(name)
    reports = load_state(sessions, session).reports
    found = [each for each in reports if number in (None, each.number)]
    if not found:
        known = ", ".join(str(each.number) for each in reports) or "none yet"
        raise UsageError(
            f"session {session} has no report {'' if number is None else number}".rstrip(),
            hint=f"Reports: {known}.",
        )
    path = sessions.project.root / found[-1].path
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"the report {path} cannot be read: {error.strerror}",
            hint=f"`clew show {session}` shows what was found all the same.",
        ) from error
