"""Debug sessions as any face sees them; see `clew.sessions.SessionKind`."""

# ruff: noqa: ARG001 - every kind answers to the same arguments
from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from clew.flows.investigation import working
from clew.flows.investigation.driver import FLOW
from clew.flows.investigation.events import KIND
from clew.flows.investigation.states import DebugState
from clew.sessions import (
    INTERRUPTED,
    Delivery,
    ProjectSessions,
    SessionStatus,
    Watcher,
    deliver,
)
from clew.words.debug_sessions import DebugStatus
from clew.words.errors import UsageError
from clew.words.printable import shortened
from clew.words.settings import load

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


def standing(sessions: ProjectSessions, session: str) -> SessionStatus:
    """Return how a debug session stands."""
    return status_of(working.load_debug(sessions, session))


def status_of(state: DebugState) -> SessionStatus:
    """Return how a debug session stands, in words that any face can show."""
    waits = state.question or state.at_work.questions
    status = str(state.status) if state.ended else "waiting" if waits else "running"
    done = state.ended and state.status in (DebugStatus.RESOLVED, DebugStatus.DIAGNOSED)
    return SessionStatus(
        session=state.session.session_id,
        kind=KIND,
        status=status,
        stage=str(state.status),
        goal=state.session.trigger,
        lines=tuple(_lines(state)),
        question=state.question,
        usage=state.usage,
        exit_code=0 if done else INTERRUPTED if status == "running" else 1,
        base=state.base.commit if state.base else "",
        commit=state.commit,
    )


def _lines(state: DebugState) -> Iterator[str]:
    yield f"document: {state.filed.path if state.filed else state.session.document}"
    yield f"goal: {state.aim}"
    if state.focus.hypothesis:
        yield f"hypothesis: {shortened(state.focus.hypothesis, 300)}"
    if state.focus.next_action and not state.ended:
        yield f"next: {shortened(state.focus.next_action, 300)}"
    if state.resolution.root_cause:
        yield f"root cause: {shortened(state.resolution.root_cause, 600)}"
    if state.plan:
        yield f"plan: {state.plan}; clew run {state.plan}"
    if state.choice and state.ended:
        yield f"once it is fixed: clew debug continue {state.session.slug}"
    for asked in state.at_work.questions.values():
        yield f"asks in its fix: {shortened(asked.text, 300)}"


def work(
    sessions: ProjectSessions, session: str, parent: str, number: int, watcher: Watcher
) -> None:
    """Raise UsageError: no session begins a debug session."""
    raise UsageError(f"session {session} is a debug session, which no other session begins")


def resume(
    sessions: ProjectSessions, session: str, watcher: Watcher, options: Mapping[str, object]
) -> SessionStatus:
    """Go on with a debug session, one that was closed too; `guidance` is what the person knows.

    With `agent` others work on it from here on.
    """
    text = str(options.get("guidance") or "")
    ladder = load((), {}, {"agent": options.get("agent")}).agent if options.get("agent") else ()
    return status_of(working.go_on(sessions, session, watcher, text, ladder))


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Answer a debug session's question, and go on."""
    return status_of(working.answer(sessions, session, option, text, watcher))


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Raise UsageError: what was found out is never taken back."""
    raise UsageError(
        f"debug session {session} has no checkpoints",
        hint=f"`clew debug continue {session} --with-context TEXT` looks another way.",
    )


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> SessionStatus:
    """Close a debug session where it is; it can be gone on with."""
    return status_of(working.close(sessions, session, watcher))


def apply(sessions: ProjectSessions, session: str, *, commit: bool) -> Delivery:
    """Put the proven fix into the person's tree, confirmed or still to be tried there."""
    state = working.load_debug(sessions, session)
    status = replace(status_of(state), exit_code=0 if state.fix else 1)
    return deliver(sessions, status, commit=commit)


def note_taken_back(_: ProjectSessions, __: str) -> None:
    """Say nothing: no document of it tells whether it is applied."""
