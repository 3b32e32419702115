"""Whose fix a person's tree holds: one that Clew made and they took is nobody's work by hand."""

from __future__ import annotations

import contextlib
import itertools

from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.states import State, attempts, replay
from clew.words.errors import GitFailed, JournalDamaged, TransitionRefused
from clew.words.events import Status
from clew.words.papers import is_paper
from clew.words.records import DEBUGGING

__all__ = ["fix_held", "proven_state"]

SESSIONS = 30  # that are looked back


def fix_held(debug_run: DebugRun, tip: str) -> tuple[tuple[int, ...], str]:
    """Return the iterations, or the other session, whose fix is all that a commit has.

    Neither, where a person changed anything else, or what they have is of nobody else.
    """
    if not tip:
        return (), ""
    for attempt in reversed(attempts(debug_run.state)):
        entry = attempt.entry
        if entry.progress and entry.commit and _same(debug_run, entry.commit, tip):
            return tuple(sorted({*attempt.ground.helped, entry.iteration})), ""
    listed = (one.session for one in debug_run.journal.sessions() if one.kind == DEBUGGING)
    for session in itertools.islice(listed, SESSIONS):
        other = proven_state(debug_run, session) if session != debug_run.id else None
        if other is not None and other.solvers and _same(debug_run, other.head, tip):
            return (), session
    return (), ""


def proven_state(debug_run: DebugRun, session: str) -> State | None:
    """Return the state of a session whose fix is proven; None for another, or an unreadable one."""
    with contextlib.suppress(JournalDamaged, TransitionRefused):
        state = replay(debug_run.journal.read(session))
        return state if state.status is Status.GREEN else None
    return None


def _same(debug_run: DebugRun, commit: str, tip: str) -> bool:
    """Whether two commits have the same code; one that is gone is no other's."""
    with contextlib.suppress(GitFailed):
        changed = debug_run.repository.changed(commit, tip)
        return all(is_paper(change.path) for change in changed)
    return False
