"""What an agent would be told now, without telling it."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from clew.agents.prompts import Brief
from clew.analysis.suspects import traced
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.collect import of_look
from clew.flows.debugging.driver import DebugRun, brief_for, first_brief, surrounded
from clew.flows.debugging.sessions import load_state
from clew.flows.debugging.snapshot_run import demand_run, look
from clew.sessions import ProjectSessions, Unwatched
from clew.words import events as ev
from clew.words.errors import UsageError
from clew.words.facts import Verdict
from clew.words.settings import Settings

__all__ = ["of_project", "of_session"]

_NAME = "context"


def of_session(sessions: ProjectSessions, session: str, budget: int | None) -> Brief:
    """Return the brief of a session's next call. Raises UsageError where no test has failed."""
    state = load_state(sessions, session)
    if state.kept is None or state.kept.verdict is not Verdict.FAILED:
        raise UsageError(
            f"session {session} has no failing tests to show", hint="`clew show` shows more."
        )
    if budget is not None:
        settings = replace(state.settings, context_tokens=budget)
        state = replace(state, opened=replace(state.session, settings=settings))
    debug_run = DebugRun(
        project=sessions.project,
        store=sessions.store,
        journal=sessions.journal(ev.CODEC),
        repository=sessions.repository,
        watcher=Unwatched(),
        clock=lambda: datetime.now(UTC),
        state=state,
    )
    return brief_for(debug_run)


def of_project(
    sessions: ProjectSessions, settings: Settings, runner_args: tuple[str, ...], budget: int | None
) -> Brief | None:
    """Run the tests on a snapshot; return the brief of a first call, or None if they all pass.

    Raises TestsDidNotRun, and UsageError for words that the runner does not take.
    """
    with look(sessions, settings, _NAME, runner_args) as here:
        report = here.run(trace=True)
        run = report.run
        demand_run(run)
        if run.verdict is Verdict.PASSED:
            return None
        found = traced(run, report.coverage, is_test=is_test_path)
        evidence = of_look(sessions, here, run, found.suspects)
        brief = first_brief(run, evidence, settings, sessions.project.subdir)
        if budget is not None:
            brief = replace(brief, budget=budget)
        return surrounded(
            brief,
            sessions.repository,
            here.commit,
            sessions.store.folder,
            sessions.project.subdir,
            ran=found.ran([result.id for result in run.red]),
        )
