"""A project: its sessions, and the settings that hold for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from clew.sessions import ProjectSessions
from clew.words.settings import Settings, load

__all__ = ["sessions_at", "settings_for", "settings_in"]

NOTHING: Mapping[str, object] = {}


def sessions_at(path: Path) -> ProjectSessions:
    """Return the sessions of the project that a path belongs to.

    Nothing is written for a project that has none. Raises UsageError where there is no folder.
    """
    return ProjectSessions.at(path)


def settings_for(sessions: ProjectSessions, chosen: Mapping[str, object] = NOTHING) -> Settings:
    """Return the settings that a new session of the project would have.

    They are read from the project's files and from the CLEW_* variables of this process; `chosen`
    goes before both, by a setting's name with underscores, and what is None there is not chosen.
    Raises UsageError for a value that is none, and for a prompt of the project's own that cannot be
    filled.
    """
    settings = load((sessions.project.root, sessions.project.path), os.environ, chosen)
    if settings.prompts:
        from clew.agents.prompts import check  # noqa: PLC0415 - seldom needed, and long to load

        check(settings.prompts)
    return settings


def settings_in(folder: Path, chosen: Mapping[str, object] = NOTHING) -> Settings:
    """Return the settings that hold in a folder, whatever project it is in; see `settings_for`."""
    return load((folder,), os.environ, chosen)
