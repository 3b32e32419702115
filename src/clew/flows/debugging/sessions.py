"""Sessions of a project: listed, found, read. Whoever only looks holds none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from clew.git import moving
from clew.git.project import Project, locate
from clew.git.worktrees import APPLIED, PrivateRepository
from clew.journal.store import Store
from clew.words.errors import UsageError

if TYPE_CHECKING:
    from clew.flows.debugging.states import State
    from clew.journal.streams import Listed, SQLiteJournal
    from clew.words.events import AnyEvent

__all__ = ["ProjectSessions", "demand_work", "exit_code"]


@dataclass
class ProjectSessions:
    """All sessions of one project."""

    project: Project
    store: Store

    @classmethod
    def at(cls, path: Path) -> ProjectSessions:
        """Find the project that a path belongs to. Raises UsageError."""
        project = locate(path)
        return cls(project, moving.store_of(project))

    @cached_property
    def journal(self) -> SQLiteJournal[AnyEvent]:
        """The project's journal; it is made on first use."""
        from clew.journal.streams import SQLiteJournal  # noqa: PLC0415 - only then
        from clew.words.events import CODEC  # noqa: PLC0415 - only then

        if not self.store.journal.exists():
            self.store.ensure_none_is_lost()
            self.store.create()
        return SQLiteJournal(self.store.journal, CODEC, begun=self.store.begun)

    @cached_property
    def repository(self) -> PrivateRepository:
        """The project's private repository; it is made on first use."""
        self.store.create()
        return PrivateRepository.open(self.project, self.store.folder)

    def listing(self) -> tuple[Listed, ...]:
        """Return all sessions, newest first; an untouched project has none, and none is made."""
        if self.store.journal.exists():
            return self.journal.sessions()
        self.store.ensure_none_is_lost()
        return ()

    def find(self, name: str | None, *, unfinished: bool = False) -> str:
        """Return the id that a name, or the start of one, stands for.

        Without a name it is that of the session that was last worked on: the one with the newest
        event; `unfinished` prefers those that have not ended. Raises UsageError naming what there
        is.
        """
        from clew.words.events import Status  # noqa: PLC0415 - only then

        listing = self.listing()
        known = [listed.session for listed in listing]
        if not known:
            raise UsageError(
                f"there is no session in {self.project.root}", hint="`clew fix` starts one."
            )
        if name is None:
            going = [it for it in listing if it.status in (Status.RUNNING, Status.WAITING)]
            among = going if going and unfinished else listing
            return max(among, key=lambda it: it.updated).session
        if not name:
            raise UsageError("an empty name is no session's", hint="`clew list` has them.")
        if name in known:
            return name
        matches = [session for session in known if session.startswith(name)]
        if len(matches) == 1:
            return matches[0]
        raise UsageError(
            f"there is no session {name[:80]!r}" if not matches else f"{name!r} is not unique",
            hint="Known: " + ", ".join((matches or known)[:5]),
        )

    def load(self, session: str) -> State:
        """Read a session's state. Raises JournalDamaged."""
        from clew.flows.debugging.states import replay  # noqa: PLC0415 - only then

        return replay(self.journal.read(session))

    def applied(self, session: str) -> bool:
        """Whether what a session came to is what `clew apply` put into the person's tree last."""
        last = self.repository.ref(session, APPLIED)
        return last is not None and last == self.load(session).head


def demand_work(state: State) -> None:
    """Raise UsageError where a session found nothing to do, and so has nothing to go on from."""
    from clew.words import events as ev  # noqa: PLC0415 - only then

    if state.ended and state.status is ev.Status.NOTHING_TO_DO and not state.marks:
        raise UsageError(
            f"session {state.session.session_id} had nothing to do: {state.ended.reason}",
            hint="`clew fix` looks again.",
        )


def exit_code(state: State) -> int:
    """Return the documented exit code for where a session stands."""
    from clew.words import events as ev  # noqa: PLC0415 - only then

    if state.status in (ev.Status.GREEN, ev.Status.NOTHING_TO_DO):
        return 0
    if state.question and state.question.kind is ev.QuestionKind.INFRASTRUCTURE:
        return 3
    if state.ended and state.baseline and state.baseline.misused and not state.round:
        return 2
    if state.status is ev.Status.RUNNING:
        return 130
    return 1
