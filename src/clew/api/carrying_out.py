"""A plan carried out."""

from __future__ import annotations

from pathlib import Path

from clew.flows.plan import working
from clew.flows.plan.kind import status_of
from clew.sessions import ProjectSessions, SessionStatus, Unwatched, Watcher
from clew.words.settings import Settings

__all__ = ["run_plan"]

UNWATCHED = Unwatched()


def run_plan(
    sessions: ProjectSessions,
    settings: Settings,
    plan: Path,
    watcher: Watcher = UNWATCHED,
    *,
    parallel: int = 3,
) -> SessionStatus:
    """Open a session that carries out a plan, as many phases side by side, and work on it.

    `plan` is its file, or a folder of task files; whoever runs it approves it. Raises UsageError,
    PlanInvalid with all that is wrong with it, and SessionHeld.
    """
    return status_of(working.start(sessions, settings, plan, watcher, parallel=parallel))
