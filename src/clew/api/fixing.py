"""A debugging session begun."""

from __future__ import annotations

from clew.flows.debugging import working
from clew.flows.debugging.kind import status_of
from clew.sessions import UNWATCHED, ProjectSessions, SessionStatus, Watcher
from clew.words.settings import Settings

__all__ = ["fix"]


def fix(
    sessions: ProjectSessions,
    settings: Settings,
    watcher: Watcher = UNWATCHED,
    runner_args: tuple[str, ...] = (),
    *,
    only: bool = False,
) -> SessionStatus:
    """Open a debugging session on the project as it is now, and work on it.

    `runner_args` go to the test runner; those that choose tests narrow the goal, and with `only`
    the proof as well. The person's files stay as they are. `proven` says beforehand whether a
    session has done this already. Raises what `check` raises, and SessionHeld, GitFailed and
    SandboxUnavailable; that the tests could not run is no error but a question.
    """
    working.check_settings(settings, sessions.project)
    return status_of(working.start(sessions, settings, watcher, runner_args, only=only))
