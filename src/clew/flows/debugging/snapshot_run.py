"""A look at a project as it stands: its tests run on a snapshot, and nothing is left behind."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clew import runners
from clew.sandbox import confinement
from clew.sessions import ProjectSessions
from clew.words.errors import ClewError, TestsDidNotRun, UsageError
from clew.words.facts import TestCommand, TestRun, Verdict
from clew.words.settings import Settings

__all__ = ["UNRUN", "SnapshotRun", "demand_run", "look"]

UNRUN = (
    "Repair the test set-up, or set another command with `--test-command`; `clew doctor` shows how"
    " the tests are run."
)


@dataclass(frozen=True, kw_only=True)
class SnapshotRun:
    """A worktree on the snapshot `commit`, where the tests of the project can be run."""

    name: str
    commit: str
    head: str | None  # the person's newest commit
    command: TestCommand
    site: runners.Site
    scratch: Path
    settings: Settings
    runner_args: tuple[str, ...] = ()

    def run(self, *, trace: bool = False) -> runners.Report:
        """Run all tests, each one's lines recorded if they are to be traced."""
        request = runners.Request(
            extra=self.runner_args,
            timeout=self.settings.timeout,
            test_timeout=self.settings.test_timeout,
            trace=trace,
        )
        return runners.run(self.site, self.command, request, self.scratch)


@contextlib.contextmanager
def look(
    sessions: ProjectSessions,
    settings: Settings,
    name: str,
    runner_args: tuple[str, ...] = (),
    *,
    branch: bool = False,
) -> Iterator[SnapshotRun]:
    """Hold a snapshot of the project, as a session of this name would; it is gone afterwards.

    With a `branch` it can be told what somebody changed there.

    Raises SessionHeld while another process looks under the same name, and UsageError,
    SandboxUnavailable or TestsDidNotRun where there is no way to run the tests.
    """
    confinement.demand_linux()
    scratch, project = sessions.store.scratch(name), sessions.project
    with sessions.store.hold(name):
        # The sandbox is tried meanwhile; what is wrong with it shows when the tests run.
        trying = threading.Thread(target=_try_sandbox)
        trying.start()
        try:
            sessions.repository.forget(name)  # a look that was cut off
            seen = (
                sessions.repository.snapshot(name) if branch else sessions.repository.glimpse(name)
            )
            worktree = sessions.repository.add_worktree(name, seen.commit, branch=branch)
            command = runners.command_of(project, worktree, settings, scratch)
            site = runners.site_for(project, worktree, command, settings, scratch)
            yield SnapshotRun(
                name=name,
                commit=seen.commit,
                head=seen.head,
                command=command,
                site=site,
                scratch=scratch,
                settings=settings,
                runner_args=runner_args,
            )
        finally:
            trying.join()
            sessions.repository.forget(name)
            sessions.store.clear_scratch(name)


def demand_run(run: TestRun) -> None:
    """Raise TestsDidNotRun where that is so, and UsageError where a person's words are at fault."""
    if run.misused:
        raise UsageError(run.reason, hint="Correct these arguments, or leave them out.")
    if run.verdict is Verdict.DID_NOT_RUN:
        raise TestsDidNotRun(f"the tests did not run: {run.reason}", hint=UNRUN)


def _try_sandbox() -> None:
    with contextlib.suppress(ClewError, OSError):
        confinement.detect()
