"""Localisation on its own: which lines may hold the fault, without any attempt to mend it."""

from __future__ import annotations

from clew import runners
from clew.facts import Suspect, TestRun, Verdict
from clew.sessions import Desk
from clew.settings import Settings
from clew.suspects import rank
from clew.testfiles import is_test_path

__all__ = ["localize"]

_NAME = "localize"


def localize(
    desk: Desk, settings: Settings, runner_args: tuple[str, ...]
) -> tuple[TestRun, tuple[Suspect, ...]]:
    """Run the tests traced, on a snapshot of the project as it is now; rank the suspects."""
    scratch = desk.store.scratch(_NAME)
    with desk.store.hold(_NAME):
        desk.repository.forget(_NAME)  # a run that was cut off
        snapshot = desk.repository.snapshot(_NAME)
        worktree = desk.repository.add_worktree(_NAME, snapshot.commit)
        try:
            command = runners.detect(
                desk.project.path,
                worktree / desk.project.subdir,
                flag=settings.test_command,
                settings=None,
                root=desk.project.root,
                scratch=scratch,
            )
            site = runners.build(
                desk.project,
                worktree,
                command,
                scratch=scratch,
                memory=settings.memory,
                network=settings.network,
                keep=settings.pass_env,
            )
            request = runners.Request(
                extra=runner_args,
                timeout=settings.timeout,
                test_timeout=settings.test_timeout,
                trace=True,
            )
            report = runners.run(site, command, request, scratch)
        finally:
            desk.repository.forget(_NAME)
            desk.store.clear_scratch(_NAME)
    if report.run.verdict is not Verdict.FAILED:
        return report.run, ()
    return report.run, rank(report.run, report.coverage, is_test=is_test_path)
