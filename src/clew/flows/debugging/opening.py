"""The event that opens a session: what it is about, and the settings that hold for its life."""

from __future__ import annotations

from clew import __version__
from clew.git.project import Project
from clew.words import events as ev
from clew.words.settings import Settings

__all__ = ["GOAL", "opened"]

GOAL = "make the tests pass"


def opened(
    project: Project, settings: Settings, session: str, runner_args: tuple[str, ...]
) -> ev.SessionOpened:
    """Return the event that opens a session of this name with these settings."""
    return ev.SessionOpened(
        session_id=session,
        goal=GOAL,
        clew_version=__version__,
        root=str(project.root),
        path=str(project.path),
        settings=settings,
        runner_args=runner_args,
        rules=ev.RULES,
    )
