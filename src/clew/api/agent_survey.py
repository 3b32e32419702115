"""Agents: which can be called, how they do, what they are told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew.agents.prompts import TEMPLATES, own_place, source, version
from clew.agents.recording import RecordedCall, lines_of
from clew.agents.survey import AgentStatus, survey
from clew.git.own_folder import own_folder
from clew.git.project import locate
from clew.sessions import ProjectSessions
from clew.words.errors import UsageError
from clew.words.events import CODEC
from clew.words.settings import Settings, load

__all__ = [
    "PromptTemplate",
    "agents",
    "copy_prompt",
    "prompt_template",
    "prompts",
    "recording",
]


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent in a role is told by; a project's own has a `path` below its root."""

    role: str
    version: str
    path: str = ""  # empty for the built-in one


def agents(path: Path) -> tuple[AgentStatus, ...]:
    """Return each agent, with whether it can be called for the project at a path, and what it does.

    Those that the settings name are among them. Raises UsageError for settings that are none.
    """
    project = locate(path)
    return survey(load((project.root, project.path), os.environ, {}), project)


def prompts(settings: Settings) -> tuple[PromptTemplate, ...]:
    """Return the template of each role, the project's own where it has one."""
    own = settings.prompts
    return tuple(
        PromptTemplate(
            role=role,
            version=version(role, own.get(role, "")),
            path=own_place(role) if role in own else "",
        )
        for role in TEMPLATES
    )


def prompt_template(role: str) -> str:
    """Return the built-in template of a role. Raises UsageError naming the roles."""
    if role not in TEMPLATES:
        told = f"there is no prompt {role[:80]!r}"
        raise UsageError(told, hint=f"Prompts: {', '.join(TEMPLATES)}")
    return source(role)


def copy_prompt(sessions: ProjectSessions, role: str) -> Path:
    """Copy the built-in template of a role to where the project's own is looked for.

    Raises UsageError naming the roles, and where one is there already.
    """
    text, root = prompt_template(role), sessions.project.root
    path = root / own_place(role)
    own_folder(root)
    path.parent.mkdir(exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} already exists", hint="Move it away first.") from error
    return path


def recording(sessions: ProjectSessions, name: str | None = None) -> Iterator[RecordedCall]:
    """Yield what each call of an agent in a debugging session came to, as `replay:FILE` plays it.

    Each is one JSON object, a line of that file. Raises UsageError and JournalDamaged.
    """
    events = sessions.journal(CODEC).read(sessions.find(name))
    return lines_of(events, sessions.repository)
