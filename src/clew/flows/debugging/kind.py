"""Debugging sessions as any face sees them; see `clew.sessions.SessionKind`."""

from __future__ import annotations

from collections.abc import Mapping

from clew.flows.debugging import applying, working
from clew.flows.debugging.driver.loop import FLOW
from clew.flows.debugging.sessions import exit_code, load_state
from clew.flows.debugging.states import State
from clew.sessions import Delivery, ProjectSessions, SessionStatus, Watcher
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError
from clew.words.records import DEBUGGING

__all__ = [
    "FLOW",
    "answer",
    "apply",
    "note_taken_back",
    "resume",
    "roll_back",
    "standing",
    "status_of",
    "terminate",
    "work",
]

OF_TESTS = ("test_command", "junit")  # settings that may still be told while no run counts


def standing(sessions: ProjectSessions, session: str) -> SessionStatus:
    """Return how a session stands. Raises JournalDamaged."""
    return status_of(load_state(sessions, session))


def status_of(state: State) -> SessionStatus:
    """Return how a session stands, in words that any face can show."""
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
    """Go on with a session; for one that waits this is the answer that it may go on.

    Options are `guidance`, `agent`, `test_command`, `junit` and the bounds; one that is None or
    empty is not given. Other agents go on with what was found out and tried. A session that has
    ended is left as it is, unless another option than guidance is given.
    """
    bounds = {name: options.get(name) for name in BOUNDS}
    flags = {name: options.get(name) for name in OF_TESTS}
    state = load_state(sessions, session)
    guidance, ladder = str(options.get("guidance") or ""), options.get("agent")
    asked = any(value is not None for value in (*bounds.values(), ladder))
    if state.ended and not any(flags.values()) and not asked:
        return status_of(state)
    if guidance or ladder is not None:
        if any(flags.values()):
            raise UsageError(
                f"session {session} takes no guidance, and no other agent, while it is told how its"
                " tests are run",
                hint="First have the tests run, without it.",
            )
        return status_of(
            working.answer(
                sessions, session, "guidance", guidance, watcher, bounds=bounds, ladder=ladder
            )
        )
    return status_of(working.resume(sessions, session, watcher, flags, bounds=bounds))


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Answer a session's question, and go on."""
    return status_of(working.answer(sessions, session, option, text, watcher))


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Go back to a checkpoint, and go on from there."""
    return status_of(working.roll_back(sessions, session, target, text, watcher))


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> SessionStatus:
    """End a session where it is; all work is kept."""
    return status_of(working.terminate(sessions, session, watcher))


def apply(sessions: ProjectSessions, session: str, *, commit: bool) -> Delivery:
    """Put a session's fix, or its progress, into the person's tree."""
    return applying.apply(sessions, session, commit=commit)


def note_taken_back(sessions: ProjectSessions, session: str) -> None:
    """Say in its documents that the person took its fix out of their tree."""
    applying.note_taken_back(sessions, session)
