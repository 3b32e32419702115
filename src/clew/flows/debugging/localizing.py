"""Localisation on its own: which lines may hold the fault, without any attempt to mend it."""

from __future__ import annotations

from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.snapshot_run import demand_run, look
from clew.sessions import ProjectSessions
from clew.words.facts import Suspect, TestRun, Verdict
from clew.words.settings import Settings

__all__ = ["localize"]


def localize(
    sessions: ProjectSessions, settings: Settings, runner_args: tuple[str, ...] = ()
) -> tuple[TestRun, tuple[Suspect, ...]]:
    """Run the tests traced, on a snapshot of the project as it is now; rank the suspects.

    Raises TestsDidNotRun, and UsageError for words that the runner does not take.
    """
    with look(sessions, settings, "localize", runner_args) as here:
        report = here.run(trace=True)
        demand_run(report.run)
        if report.run.verdict is not Verdict.FAILED:
            return report.run, ()
        suspects = rank(report.run, report.coverage, is_test=is_test_path)
        if not suspects:
            from clew.analysis.context import called  # noqa: PLC0415 - seldom needed, and long to load
            from clew.flows.debugging.collect import reader  # noqa: PLC0415

            files = sessions.repository.files(here.commit)
            suspects = called(report.run, files, reader(sessions.repository, here.commit))
    return report.run, suspects
