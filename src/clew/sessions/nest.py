"""Children of a session: each is worked on by a process of this program."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.journal.store import Holder
from clew.sessions.project_sessions import ProjectSessions
from clew.words.records import Answered, Asked, ChildAsked, Ended, RunSession, WentBack

__all__ = ["ProjectNest"]


@dataclass(frozen=True)
class ProjectNest:
    """What a session has at hand to see to its children; a `clew.journal.nesting.Nest`."""

    sessions: ProjectSessions
    parent: str

    def standing(self, session: str) -> tuple[int, Asked | Answered | WentBack | Ended | None]:
        """Return the number of a session's newest event, and the newest that says how it stands."""
        return self.sessions.events.standing(session)

    def holder(self, session: str) -> Holder | None:
        """Return the living process that works on a session."""
        return self.sessions.store.holder(session)

    def question_below(self, session: str) -> ChildAsked | None:
        """Return a question that a session's own children wait with, as their streams say."""
        for asked in reversed(self.sessions.events.questions_below(session)):
            child = self.sessions.events.request(session, asked.of).child
            if isinstance(self.standing(child)[1], Asked) or self.question_below(child):
                return asked
        return None

    def log(self, session: str) -> Path:
        """Return the file for what a child's process says on its way out."""
        return self.sessions.store.log(session)

    def command(self, number: int, intent: RunSession) -> Sequence[str]:
        """Return the command that works on a child, begun or not."""
        from clew.journal import crashpoints  # noqa: PLC0415 - whoever only looks begins none

        place = str(self.sessions.project.path)
        child = (intent.kind, intent.child, self.parent, str(number))
        alive = ["env", f"--unset={crashpoints.VARIABLE}"]  # the point is this process's
        return [*alive, sys.executable, "-m", "clew", "work-on", "-C", place, *child]
