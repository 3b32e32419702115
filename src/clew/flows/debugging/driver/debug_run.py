"""Everything a session needs at hand while it is worked on."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import inf
from pathlib import Path

import msgspec

from clew import runners
from clew.analysis.tampering import Steering
from clew.evidence import Evidence
from clew.evidence.explain import modules_of
from clew.flows.debugging.states import State, fold, replay, require
from clew.git.project import Project
from clew.git.worktrees import PrivateRepository
from clew.journal.flow import Pending
from clew.journal.store import Store
from clew.journal.streams import Journal
from clew.sandbox.confinement import Level
from clew.sessions import Watcher
from clew.words import events as ev
from clew.words.errors import ClewError, GitFailed
from clew.words.facts import TestCommand, TestRun, Tick, Traced
from clew.words.records import Outcome
from clew.words.settings import COMMAND_LINE, Settings
from clew.words.test_ids import home_of

__all__ = ["DebugRun"]


@dataclass(kw_only=True)
class DebugRun:
    """One session, held by this process, with its tools."""

    project: Project
    store: Store
    journal: Journal[ev.AnyEvent]
    repository: PrivateRepository
    watcher: Watcher
    clock: Callable[[], datetime]
    sleep: Callable[[float], None] = time.sleep
    state: State = field(default_factory=State)
    pending: dict[int, Pending] = field(default_factory=dict)
    document: Callable[[DebugRun], None] = lambda _: None  # writes what people read, as it is now
    rendered: str = ""  # the session document as it was written last, without anybody's additions
    worked: float = 0.0  # seconds for which what was cut off gave signs of life
    halting: bool = False  # no call that was cut off is gone on with
    by_hand: tuple[str, ...] = ()  # edited in the worktree while nobody worked on the session
    gathered: dict[str, Evidence] = field(default_factory=dict)  # by the run it is on
    suites: dict[str, TestRun] = field(default_factory=dict)  # all tests, by the commit they ran on
    traced: dict[str, Traced] = field(default_factory=dict)  # by the commit
    steering: dict[tuple[str, str], Steering] = field(default_factory=dict)  # and the baseline run

    @property
    def settings(self) -> Settings:
        """What the session runs with, to its end."""
        return self.state.settings

    @property
    def id(self) -> str:
        return self.state.session.session_id

    def record(self, event: ev.AnyEvent) -> int:
        """Journal an event; return its number.

        Raises TransitionRefused, and then nothing was written.
        """
        session = event.session_id if isinstance(event, ev.SessionOpened) else self.id
        recorded = ev.Recorded(
            session=session, seq=self.state.seq + 1, at=self.clock(), event=event
        )
        after = fold(self.state, recorded)
        self.journal.append(recorded)
        self.state = after
        self.watcher.saw(recorded, after)
        if isinstance(event, Outcome):
            self.document(self)
        return recorded.seq

    def catch_up(self) -> None:
        """Read what the journal has beyond the state: an event that was just being appended."""
        self.state = replay(self.journal.read(self.id, self.state.seq), self.state)

    def pause(self, until: datetime, why: str) -> None:
        """Wait, visibly; an interruption ends it, and a resumed session waits for what is left."""
        self.watcher.tick(Tick(phase="waiting", text=why))
        self.sleep(max(0.0, (until - self.clock()).total_seconds()))

    def open_worktree(self) -> None:
        """Put the worktree back if somebody removed it. Raises GitFailed if its code is gone."""
        if self.state.snapshot is None or self.state.ended:
            return
        try:
            self.repository.add_worktree(self.id, self.state.head)
        except GitFailed as error:
            raise GitFailed(
                f"the worktree of session {self.id} cannot be opened: {error.message}",
                hint="If its private repository was removed, its code is gone: `clew fix`"
                " starts a new one; reports and events are still there.",
            ) from error

    @property
    def documents(self) -> Path:
        """The session's folder of documents, in the person's project."""
        return self.project.documents / self.id

    @property
    def scratch(self) -> Path:
        return self.store.scratch(self.id)

    @property
    def mark(self) -> str:
        """What tells the processes of this session's agents from all others."""
        return hashlib.sha256(f"{self.store.folder}\0{self.id}".encode()).hexdigest()[:24]

    @property
    def pulse(self) -> Path:
        """A file that is touched while an agent works."""
        return self.scratch / "pulse"

    @property
    def worktree(self) -> Path:
        if self.state.snapshot is None:
            raise ClewError("the session has no worktree yet")
        return self.repository.worktree(self.id)

    @cached_property
    def command(self) -> TestCommand:
        """How the tests are run, settled once. Raises TestsDidNotRun or UsageError."""
        chosen = self.settings.test_command
        flagged = self.settings.sources.get("test_command") == COMMAND_LINE
        return runners.detect(
            self.project.path,
            self.worktree / self.project.subdir,
            flag=chosen if flagged else None,
            settings=None if flagged else chosen,
            junit=self.settings.junit,
            root=self.project.root,
            scratch=self.scratch,
        )

    def site(self, worktree: Path) -> runners.Site:
        """Return where the code of a worktree is seen."""
        return runners.site_for(self.project, worktree, self.command, self.settings, self.scratch)

    @cached_property
    def words(self) -> runners.Words:
        """The words after --, parted into those that choose tests and those that any run needs."""
        return runners.parted(self.command.runner, self.state.session.runner_args, self._began_with)

    def _began_with(self, word: str) -> bool:
        """Tell whether a word names a file or a folder of the code that the session began with."""
        place = os.path.normpath(self.project.path / home_of(word))
        path = os.path.relpath(place, self.project.root)
        return path == "." or any(
            file == path or file.startswith(f"{path}/") for file in self._first_files
        )

    @cached_property
    def _first_files(self) -> tuple[str, ...]:
        return self.repository.files(self.state.start.base)

    @property
    def narrowed(self) -> bool:
        """Whether the goal is some of the tests, and the proof asks all of them."""
        return bool(self.words.choosing) and not self.state.session.only

    @property
    def all_tests(self) -> tuple[str, ...]:
        """The words for the runner by which a fix is proven."""
        return self.words.kept if self.narrowed else self.state.session.runner_args

    def run_tests(
        self,
        worktree: Path,
        only: tuple[str, ...] = (),
        first: tuple[str, ...] = (),
        *,
        extra: tuple[str, ...] | None = None,
    ) -> TestRun:
        """Run the tests, or `only` some, as seen in a worktree; `first` ones in their order.

        `extra` are other words for the runner than those of the session.
        """
        return self.report(worktree, runners.Request(only=only, first=first), extra=extra).run

    def report(
        self,
        worktree: Path,
        request: runners.Request,
        *,
        most: float = inf,
        extra: tuple[str, ...] | None = None,
    ) -> runners.Report:
        """Run tests as a request has them, within the bounds of the session and `most` seconds."""
        request = msgspec.structs.replace(
            request,
            extra=self.state.session.runner_args if extra is None else extra,
            timeout=min(most, self.settings.timeout),
            test_timeout=min(most, self.settings.test_timeout),
        )
        return runners.run(self.site(worktree), self.command, request, self.scratch)

    def at_once(self, seen: TestRun) -> bool:
        """Tell whether two runs like one that was seen may go on at the same time.

        There is a core for each, and neither finds what the other opens or leaves behind.
        """
        apart = seen.sandbox == Level.NAMESPACE.value and not self.settings.network
        return apart and not self.settings.variables and len(os.sched_getaffinity(0)) > 1

    @property
    def modules(self) -> frozenset[str]:
        """Dotted names of the project's own modules."""
        return modules_of(self.repository.files(self.state.head))

    @property
    def standing(self) -> TestRun:
        """The run that counts, without the red results of flaky tests: they have no say."""
        return self.run_of(require(self.state.kept)).without(self.state.flaky)

    def run_of(self, event: ev.TestsRan) -> TestRun:
        """Return the whole of a run that was journalled in brief."""
        return self.store.get_record(event.run, TestRun)
