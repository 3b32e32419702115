"""Sessions worked on, of whatever kind: gone on with, answered, taken back, ended, applied.

What works on a session holds it, in this process, until it ends or a person is needed. An error or
an interruption on the way loses nothing: `resume` goes on, in whatever process.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping

from clew.journal.store import Holder
from clew.sessions import (
    UNWATCHED,
    Delivery,
    ProjectSessions,
    SessionKind,
    SessionStatus,
    Watcher,
)
from clew.sessions.project_sessions import GOING
from clew.sessions.table import kind_named
from clew.words.errors import SessionHeld, UsageError

__all__ = [
    "answer",
    "apply",
    "pause",
    "resume",
    "rollback",
    "terminate",
    "work_on",
]

PATIENCE = 20.0  # seconds for a process to come to a stand
NOTHING: Mapping[str, object] = {}


def resume(
    sessions: ProjectSessions,
    name: str | None = None,
    watcher: Watcher = UNWATCHED,
    *,
    guidance: str = "",
    settings: Mapping[str, object] = NOTHING,
) -> SessionStatus:
    """Go on with a session; for one that waits this is the answer that it may go on.

    What a person changed by hand meanwhile is taken along. `guidance` is what the agents of a
    debugging session should know. `settings` may name a `test_command` or `junit` for one whose
    tests could not run yet, and `agent` (others go on with what was tried), `max_seconds`,
    `max_tokens` or `max_usd` for the round that begins.
    A debugging session that has ended is left as it is. Raises UsageError where it waits for
    another answer, takes no such settings now, or lacks an agent; SessionHeld; JournalDamaged.
    """
    session = sessions.find(name, unfinished=True)
    options = {name: value for name, value in settings.items() if value is not None}
    options |= {"guidance": guidance} if guidance else {}
    return _kind(sessions, session).resume(sessions, session, watcher, options)


def answer(
    sessions: ProjectSessions,
    name: str | None,
    option: str,
    text: str = "",
    watcher: Watcher = UNWATCHED,
) -> SessionStatus:
    """Answer the question that a session waits with, and go on.

    `option` is a word of the question's options, its number from 1 on, or free words, which are
    guidance. `text` is what the option takes: guidance, or the checkpoint to go back to. Raises
    UsageError for what is no answer, and then nothing was done; SessionHeld; JournalDamaged.
    """
    session = sessions.find(name)
    return _kind(sessions, session).answer(sessions, session, option, text, watcher)


def rollback(
    sessions: ProjectSessions,
    name: str | None,
    checkpoint: str,
    watcher: Watcher = UNWATCHED,
    *,
    guidance: str = "",
) -> SessionStatus:
    """Go back to a checkpoint, and try otherwise from there.

    `checkpoint` is a name that `checkpoints` has, or the number of an iteration. What was tried
    since stays on record. Raises UsageError naming the checkpoints, SessionHeld, JournalDamaged.
    """
    session = sessions.find(name)
    return _kind(sessions, session).roll_back(sessions, session, checkpoint, guidance, watcher)


def terminate(
    sessions: ProjectSessions, name: str | None = None, watcher: Watcher = UNWATCHED
) -> SessionStatus:
    """End a session where it stands, its children too; all work is kept.

    Raises UsageError for one that has ended, SessionHeld, JournalDamaged.
    """
    session = sessions.find(name, unfinished=True)
    return _kind(sessions, session).terminate(sessions, session, watcher)


def pause(sessions: ProjectSessions, name: str | None = None) -> Holder:
    """Stop the process that works on a session, as Ctrl-C does; return what it was.

    Where that process is gone, those that work on the sessions below it are stopped. Returns once
    they have ended; `resume` goes on. Raises UsageError where no process works on any of them,
    SessionHeld where one still works after 20 seconds.
    """
    session = sessions.find(name, unfinished=True)
    stopped = _paused(sessions, session)
    if not stopped:
        going = sessions.listed(session).status in GOING
        hint = f"`clew resume {session}` continues it." if going else "It has ended."
        raise UsageError(f"nobody works on session {session}", hint=hint)
    return stopped[0]


def _paused(sessions: ProjectSessions, session: str) -> list[Holder]:
    """Stop whoever works on a session, who stops what is below it; or else each of those."""
    holder = sessions.store.holder(session)
    if holder is None:
        below = sessions.children(session)
        return [each for child in below for each in _paused(sessions, child.session)]
    os.kill(holder.pid, signal.SIGTERM)  # what a script began in the background ignores SIGINT
    end = time.monotonic() + PATIENCE
    while sessions.store.holder(session) == holder:
        if time.monotonic() > end:
            raise SessionHeld(
                f"process {holder.pid} was asked to stop, and still works on session {session}",
                hint="It may be ending: `clew status` shows when it is gone.",
            )
        time.sleep(0.05)
    return [holder]


def apply(sessions: ProjectSessions, name: str | None = None, *, commit: bool = False) -> Delivery:
    """Put what a session came to into the person's tree, and its branch into their repository.

    With `commit` the changed files are committed, and nothing else. Files that were changed
    meanwhile are merged; what is replaced is kept in .clew/replaced. A session that has not reached
    its goal applies its progress so far. Raises UsageError where there is nothing to apply,
    ApplyConflict where newer work is in the way, and then nothing was done; SessionHeld.
    """
    session = sessions.find(name)
    if commit and not sessions.project.git:
        raise UsageError(
            f"{sessions.project.root} has no git repository, so nothing can be committed",
            hint=f"`clew apply {session}` puts the fix into your files",
        )
    return _kind(sessions, session).apply(sessions, session, commit=commit)


def take_back(sessions: ProjectSessions, name: str | None = None) -> Delivery:
    """Take what `apply` put into the person's tree out again; lines changed since stay.

    Raises UsageError where nothing of the session is applied, ApplyConflict where the very lines
    were changed, and then nothing was done; SessionHeld.
    """
    session = sessions.find(name)
    with sessions.store.hold(session):
        applied = sessions.repository.take_back(session)
    if applied is None:
        raise UsageError(
            f"`clew apply` put nothing of session {session} into your files that is there still",
            hint=f"`clew status {session}` tells what it has; what your files hold is yours.",
        )
    kind = sessions.listed(session).kind
    kind_named(kind).note_taken_back(sessions, session)
    return Delivery(session=session, kind=kind, applied=applied, complete=True)


def work_on(sessions: ProjectSessions, kind: str, session: str, parent: str, number: int) -> None:
    """Work on a session that another one began, opened first if need be.

    Event `number` of the parent's stream has the request. Nobody looks on: what happens is in the
    journal. Raises UsageError for a kind that is begun by no other session.
    """
    kind_named(kind).work(sessions, session, parent, number, UNWATCHED)


def _kind(sessions: ProjectSessions, session: str) -> SessionKind:
    return kind_named(sessions.listed(session).kind)
