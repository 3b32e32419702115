"""Sessions of a project: opened, found, gone on with, answered.

Whoever works on a session holds it; whoever only looks does not, and does not wait for what work
takes: agents, runners and the loop are imported where work begins.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clew import __version__, moving
from clew import events as ev
from clew.errors import SessionHeld, UsageError
from clew.journal import Listed, SQLiteJournal
from clew.project import Project, is_ignored, locate
from clew.settings import Settings
from clew.states import Stage, State, replay
from clew.store import Store, state_folder
from clew.worktrees import PrivateRepository

if TYPE_CHECKING:
    from clew.debugging import Watcher, Workshop

__all__ = ["Desk", "check", "exit_code"]

GOAL = "make the tests pass"


@dataclass
class Desk:
    """All sessions of one project."""

    project: Project
    store: Store

    @classmethod
    def at(cls, path: Path) -> Desk:
        """Find the project that a path belongs to. Raises UsageError."""
        project = locate(path)
        return cls(project, moving.store_of(project))

    @cached_property
    def journal(self) -> SQLiteJournal:
        """The project's journal; it is made on first use."""
        if not self.store.journal.exists():
            self.store.create()
        return SQLiteJournal(self.store.journal, begun=self.store.begun)

    @cached_property
    def repository(self) -> PrivateRepository:
        """The project's private repository; it is made on first use."""
        self.store.create()
        return PrivateRepository.open(self.project, self.store.folder)

    def listing(self) -> tuple[Listed, ...]:
        """Return all sessions, newest first; an untouched project has none, and none is made."""
        return self.journal.sessions() if self.store.journal.exists() else ()

    def find(self, name: str | None) -> str:
        """Return the id that a name, or the start of one, stands for; without one the newest.

        Raises UsageError naming what there is.
        """
        known = [listed.session for listed in self.listing()]
        if not known:
            raise UsageError(
                f"there is no session in {self.project.root}", hint="`clew fix` starts one."
            )
        if name is None:
            return known[0]
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
        return replay(self.journal.read(session))

    def start(self, settings: Settings, watcher: Watcher, runner_args: tuple[str, ...]) -> State:
        """Open a session and work on it until it ends or a person is needed."""
        now = datetime.now(UTC)
        for session in _names(now, self.project.name):
            if self._known(session):
                continue
            opening = ev.SessionOpened(
                session_id=session,
                clew_version=__version__,
                root=str(self.project.root),
                path=str(self.project.path),
                goal=GOAL,
                agents=settings.agent,
                cap=settings.max_iterations,
                agent_retries=settings.agent_retries,
                test_command=settings.test_command,
                runner_args=runner_args,
                timeout=settings.timeout,
                test_timeout=settings.test_timeout,
                search_seconds=settings.search_seconds,
                settings=settings.sources,
            )
            with contextlib.ExitStack() as held:
                workshop = self._workshop(settings, watcher)
                try:
                    held.enter_context(self.store.hold(session))
                    workshop.record(opening)
                except SessionHeld:
                    continue  # the name is taken
                return _drive(workshop)
        raise UsageError(f"{self.project.root} has too many sessions of one day")

    def _known(self, session: str) -> bool:
        """Whether code or documents of that name are there, perhaps of a journal that is lost."""
        documents = self.project.root / ".clew" / "sessions" / session
        return documents.exists() or self.repository.recorded(session) is not None

    def resume(self, session: str, settings: Settings, watcher: Watcher) -> State:
        """Go on with a session; for one that waits this is the answer that it may go on."""
        with self._at_work(session, settings, watcher) as workshop:
            question = workshop.state.question
            if question is not None:
                workshop.record(ev.QuestionAnswered(id=question.id, option="investigate"))
            return _drive(workshop)

    def answer(
        self, session: str, option: str, text: str, settings: Settings, watcher: Watcher
    ) -> State:
        """Answer the pending question and go on. Raises UsageError if that is no answer."""
        with self._at_work(session, settings, watcher) as workshop:
            event = _answer(workshop.state, option, text)
            workshop.record(event)
            return _drive(workshop)

    @contextlib.contextmanager
    def _at_work(self, session: str, settings: Settings, watcher: Watcher) -> Iterator[Workshop]:
        with self.store.hold(session):
            workshop = self._workshop(settings, watcher)
            workshop.state = self.load(session)
            workshop.project = self._project_of(workshop.state)
            yield workshop

    def _project_of(self, state: State) -> Project:
        """Return the project with the folder that the session was opened for."""
        below = Path(state.session.path).relative_to(state.session.root)
        path = self.project.root / below
        if not path.is_dir():
            raise UsageError(
                f"{path} is gone, where session {state.session.session_id} runs its tests",
                hint="Put it back, or start anew with `clew fix`.",
            )
        return replace(self.project, path=path)

    def _workshop(self, settings: Settings, watcher: Watcher) -> Workshop:
        from clew.debugging import Workshop  # noqa: PLC0415 - only who works waits for it

        return Workshop(
            project=self.project,
            store=self.store,
            journal=self.journal,
            repository=self.repository,
            settings=settings,
            watcher=watcher,
            clock=lambda: datetime.now(UTC),
        )


def _drive(workshop: Workshop) -> State:
    from clew.debugging import drive  # noqa: PLC0415 - as above

    return drive(workshop)


def check(settings: Settings, project: Project) -> None:
    """Raise UsageError for what no session could be carried out with."""
    from clew import agents, runners, sandbox  # noqa: PLC0415 - as above
    from clew.debugging import own_folder  # noqa: PLC0415 - as above

    try:
        str(project.path).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the path {str(project.path)!a} is not UTF-8", hint="Rename that folder."
        ) from error
    sandbox.detect()
    agents.check(settings, project)
    _check_place(project)
    if settings.test_command is not None:
        runners.split(settings.test_command)
    own_folder(project.root)


def _check_place(project: Project) -> None:
    """Keep Clew's own files out of what is mended."""
    folder = state_folder().resolve()
    if folder.is_relative_to(project.root) and not is_ignored(project, folder):
        raise UsageError(
            f"the state folder {folder} lies in the project, and is not ignored there",
            hint="Set CLEW_STATE_HOME to a folder outside, or let git ignore it.",
        )


def _names(now: datetime, project: str) -> Iterator[str]:
    """Yield ids to try: the day and the topic, then with a number."""
    slug = re.sub(r"[^a-z0-9]+", "-", f"fix-{project}".lower()).strip("-")[:40].rstrip("-")
    first = f"{now:%Y-%m-%d}-{slug}"
    yield first
    for number in range(2, 10_000):
        yield f"{first}-{number}"


def _answer(state: State, option: str, text: str) -> ev.QuestionAnswered:
    question = state.question
    if question is None:
        raise UsageError(
            f"session {state.session.session_id} asks nothing", hint="`clew status` shows it."
        )
    words = [o.word for o in question.options]
    number = int(option) if option.isdecimal() else 0
    word = words[number - 1] if 0 < number <= len(words) else option
    offered = next((o for o in question.options if o.word == word), None)
    if offered is None:
        raise UsageError(
            f"{option!r} is not an answer to this question",
            hint="Answers: " + ", ".join(f"{n} {w}" for n, w in enumerate(words, 1)),
        )
    if not offered.available:
        raise UsageError(f"{word!r} comes with a later version", hint="Choose another option.")
    if word == "guidance" and not text.strip():
        raise UsageError(
            "guidance needs words", hint=f'clew answer … guidance "what you know about {GOAL}"'
        )
    return ev.QuestionAnswered(id=question.id, option=word, text=text)


def exit_code(state: State) -> int:
    """Return the documented exit code for where a session stands."""
    if state.status in (ev.Status.GREEN, ev.Status.NOTHING_TO_DO):
        return 0
    if state.question and state.question.kind is ev.QuestionKind.INFRASTRUCTURE:
        return 3
    if state.status is ev.Status.RUNNING and state.stage is not Stage.ENDED:
        return 130
    return 1
