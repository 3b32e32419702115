"""What each kind of session has to answer to, so that any face can show it and drive it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from clew.git.worktrees import Applied
from clew.words.facts import Fact, Tick, Usage
from clew.words.records import Asked, Recorded

if TYPE_CHECKING:
    from clew.journal.flow import Flow
    from clew.sessions.project_sessions import ProjectSessions

__all__ = [
    "INTERRUPTED",
    "UNWATCHED",
    "Delivery",
    "SessionKind",
    "SessionStatus",
    "Unwatched",
    "Watcher",
]

INTERRUPTED = 130  # the exit code of a session that nobody works on though it has not ended


class Watcher(Protocol):
    """Somebody who looks on: a terminal, a pipe, a page."""

    def saw(self, recorded: Recorded[Any], state: Any) -> None:  # noqa: ANN401 - of any kind
        """Take note of an event and of the state after it."""
        ...

    def tick(self, tick: Tick) -> None:
        """Take note of a sign of life."""
        ...


class Unwatched:
    """Nobody: what happens is read in the journal."""

    def saw(self, recorded: Recorded[Any], state: object) -> None:
        """Take no note."""

    def tick(self, tick: Tick) -> None:
        """Take no note."""


UNWATCHED = Unwatched()


class SessionStatus(Fact, frozen=True, kw_only=True):
    """How a session stands, in words that any face can show."""

    session: str
    kind: str
    status: str
    stage: str = ""
    goal: str = ""
    lines: tuple[str, ...] = ()  # for people, the most important first
    question: Asked | None = None
    usage: Usage = Usage()  # its children's included
    exit_code: int = 0
    base: str = ""  # the commit that it began with, and the one that it came to so far
    commit: str = ""


class Delivery(Fact, frozen=True, kw_only=True):
    """What `apply` did, and whether it was all: a proven fix, or a plan with all its phases."""

    session: str
    kind: str
    applied: Applied
    complete: bool
    since: tuple[str, ...] = ()  # files that a person changed meanwhile: no proof has seen them so
    guesses: tuple[str, ...] = ()  # of what is not complete: why it may be wrong


class SessionKind(Protocol):
    """A kind of session, as faces see it; a module of its flow.

    What continues a session works on it until it ends or a person is needed. All raise UsageError
    where a session cannot do that, and SessionHeld where another process works on it.
    """

    FLOW: Flow[Any, Any]

    def standing(self, sessions: ProjectSessions, session: str) -> SessionStatus:
        """Return how a session stands."""
        ...

    def work(
        self,
        sessions: ProjectSessions,
        session: str,
        parent: str,
        number: int,
        watcher: Watcher,
    ) -> None:
        """Work on a child, opened first if need be by event `number` of its parent's stream."""
        ...

    def resume(
        self,
        sessions: ProjectSessions,
        session: str,
        watcher: Watcher,
        options: Mapping[str, object],
    ) -> SessionStatus:
        """Go on with a session; for one that waits this is the answer that it may go on."""
        ...

    def answer(
        self, sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
    ) -> SessionStatus:
        """Answer a session's question, and go on."""
        ...

    def roll_back(
        self, sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
    ) -> SessionStatus:
        """Go back to a checkpoint, and go on from there."""
        ...

    def terminate(self, sessions: ProjectSessions, session: str, watcher: Watcher) -> SessionStatus:
        """End a session where it is, its children too; all work is kept."""
        ...

    def apply(self, sessions: ProjectSessions, session: str, *, commit: bool) -> Delivery:
        """Put what a session came to into the person's tree, and commit it if that is wanted."""
        ...

    def note_taken_back(self, sessions: ProjectSessions, session: str) -> None:
        """Say in a session's documents, if it has any, that this is not in the tree any more."""
        ...
