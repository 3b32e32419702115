"""Debugging sessions as any face sees them; see `clew.sessions.SessionKind`."""

from __future__ import annotations

from collections.abc import Mapping

from clew.flows.debugging import working
from clew.flows.debugging.driver.loop import FLOW
from clew.flows.debugging.sessions import exit_code, load_state
from clew.flows.debugging.states import State
from clew.sessions import ProjectSessions, SessionStatus, Watcher
from clew.words.records import DEBUGGING

__all__ = ["FLOW", "answer", "resume", "roll_back", "standing", "terminate", "work"]


def standing(sessions: ProjectSessions, session: str) -> SessionStatus:
    """Return how a session stands. Raises JournalDamaged."""
    return _standing(load_state(sessions, session))


def _standing(state: State) -> SessionStatus:
    ended = state.ended
    reason = (ended.reason,) if ended and ended.reason else ()
    at = f"iteration {state.counter} of {state.cap}"
    return SessionStatus(
        session=state.session.session_id,
        kind=DEBUGGING,
        status=str(state.status),
        stage=str(state.stage),
        goal=state.session.goal,
        lines=(at, *reason) if state.round else reason,
        question=state.question,
        usage=state.usage,
        exit_code=exit_code(state),
        base=state.snapshot.ground if state.snapshot else "",
        commit=state.head if state.snapshot else "",
    )


def work(
    sessions: ProjectSessions, session: str, parent: str, number: int, watcher: Watcher
) -> None:
    """Work on a child, opened first if need be by event `number` of its parent's stream."""
    working.work_as_child(sessions, session, parent, number, watcher)


def resume(
    sessions: ProjectSessions, session: str, watcher: Watcher, options: Mapping[str, object]
) -> SessionStatus:
    """Go on with a session; for one that waits this is the answer that it may go on."""
    return _standing(working.resume(sessions, session, watcher, options))


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Answer a session's question, and go on."""
    return _standing(working.answer(sessions, session, option, text, watcher))


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Go back to a checkpoint, and go on from there."""
    return _standing(working.roll_back(sessions, session, target, text, watcher))


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> SessionStatus:
    """End a session where it is; all work is kept."""
    return _standing(working.terminate(sessions, session, watcher))
