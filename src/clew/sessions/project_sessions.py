"""Sessions of a project: listed, found, read. Whoever only looks holds none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clew.git import moving
from clew.git.project import Project, locate
from clew.git.worktrees import PrivateRepository
from clew.journal.store import Store
from clew.words.codec import Codec
from clew.words.errors import UsageError
from clew.words.papers import DEBUG_FOLDERS
from clew.words.records import Event

if TYPE_CHECKING:
    from clew.journal.streams import ListedSession, SQLiteJournal

__all__ = ["ProjectSessions", "topic_of"]

E = TypeVar("E", bound=Event)

GOING = ("running", "waiting")
IDLE = "nothing_to_do"
_DATED = re.compile(r"\d{4}-\d\d-\d\d-")


def topic_of(session: str) -> str:
    """Return an id without its date."""
    return _DATED.sub("", session, count=1)


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

    def journal(self, codec: Codec[E]) -> SQLiteJournal[E]:
        """Return the project's journal for sessions of one kind."""
        return self.events.speaking(codec)

    @cached_property
    def events(self) -> SQLiteJournal[Any]:
        """The project's journal, for what any kind of session has; it is made on first use."""
        from clew.journal.streams import COMMON, SQLiteJournal  # noqa: PLC0415 - only then

        if not self.store.journal.exists():
            self.store.ensure_none_is_lost()
            self.store.create()
        return SQLiteJournal(self.store.journal, COMMON, begun=self.store.begun)

    @cached_property
    def repository(self) -> PrivateRepository:
        """The project's private repository; it is made on first use."""
        self.store.create()
        return PrivateRepository.open(self.project, self.store.folder)

    def listing(self) -> tuple[ListedSession, ...]:
        """Return all sessions, newest first; an untouched project has none, and none is made."""
        if self.store.journal.exists():
            return self.events.sessions()
        self.store.ensure_none_is_lost()
        return ()

    def listed(self, session: str) -> ListedSession:
        """Return what the list says of a session that is in it."""
        return next(each for each in self.listing() if each.session == session)

    def children(self, session: str) -> tuple[ListedSession, ...]:
        """Return the sessions that a session began, oldest first."""
        return tuple(each for each in reversed(self.listing()) if each.parent == session)

    def top(self, session: str) -> str:
        """Return the session that a person began, above this one; or itself."""
        parents = {each.session: each.parent for each in self.listing()}
        while parents.get(session):
            session = parents[session]
        return session

    def _by_document(self, name: str | None) -> str:
        """Say how to continue a debug session that only its document knows; nothing otherwise."""
        topic = topic_of(name or "")
        folders = (self.project.root / folder for folder in DEBUG_FOLDERS)
        if f"{topic}.md" not in {path.name for folder in folders for path in folder.glob("?*.md")}:
            return ""
        return f"Only its document is here: `clew debug continue {topic}` continues it."

    def find(self, name: str | None, *, unfinished: bool = False) -> str:
        """Return the id that a name, the start of one, or what follows its date stands for.

        Without a name it is that of the session that was last worked on: the one with the newest
        event; `unfinished` prefers those that have not ended. A child is only found by name, and
        what found nothing to do only where nothing else is there.
        Raises UsageError naming what there is.
        """
        listing = self.listing()
        known = [listed.session for listed in listing]
        if not known:
            named = f" {name!r}" if name else ""
            what = f"there is no session{named} in {self.project.root}"
            raise UsageError(what, hint=self._by_document(name) or "`clew fix` starts one.")
        if name is None:
            grown = [it for it in listing if not it.parent] or list(listing)
            worked = [it for it in grown if it.status != IDLE] or grown
            going = [it for it in worked if it.status in GOING]
            among = going if going and unfinished else worked
            return max(among, key=lambda it: it.updated).session
        if not name:
            raise UsageError("the session name is empty", hint="`clew list` shows the names.")
        if name in known:
            return name
        topics = [session for session in known if topic_of(session) == name]
        if len(topics) == 1:
            return topics[0]
        matches = [session for session in known if session.startswith(name)]
        if len(matches) == 1:
            return matches[0]
        raise UsageError(
            f"there is no session {name[:80]!r}" if not matches else f"{name!r} is not unique",
            hint=self._by_document(name) or "Known: " + ", ".join((matches or known)[:5]),
        )
