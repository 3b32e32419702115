"""Agents: exchangeable, one class and one line in a table each.

repair            built in, the default: searches for a patch, offline
claude[:MODEL]    Claude Code, without a terminal
command:LINE      any program: prompt on standard input, JSON on standard output
replay:FILE       recorded answers, one JSON object a line
NAME              a command of your own, from the setting `commands`
"""

from __future__ import annotations

import shlex
from collections.abc import Callable

from clew.agents.claude import Claude
from clew.agents.command import Command
from clew.agents.outside import Outside
from clew.agents.protocol import Agent, Answer, Call, Work
from clew.agents.repairer import Repairer
from clew.agents.replaying import Replay
from clew.errors import UsageError
from clew.project import Project
from clew.settings import Settings

__all__ = ["BUILT_IN", "Agent", "Answer", "Call", "Work", "check", "make"]


def _command(line: str, settings: Settings, project: Project) -> Agent:
    try:
        argv = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"the agent's command line {line!r} cannot be split: {error}") from error
    if not argv:
        raise UsageError("an agent's command line is empty", hint="Write command:PROGRAM ARGS.")
    return Command(tuple(argv), project=project, pass_env=settings.pass_env)


BUILT_IN = "repair"

BACK_ENDS: dict[str, Callable[[str, Settings, Project], Agent]] = {
    BUILT_IN: lambda _line, _settings, _project: Repairer(),
    "claude": lambda model, settings, project: Claude(
        model, project=project, pass_env=settings.pass_env
    ),
    "command": _command,
    "replay": lambda path, _settings, project: Replay(project.path / path),
}


def make(name: str, settings: Settings, project: Project) -> Agent:
    """Return the agent of that name, ready to be called. Raises UsageError."""
    kind, _, rest = name.partition(":")
    if name in settings.commands:
        kind, rest = "command", settings.commands[name]
    if kind not in BACK_ENDS:
        raise UsageError(
            f"there is no agent {name[:80]!r}",
            hint="Known: " + ", ".join((*BACK_ENDS, *settings.commands)),
        )
    return BACK_ENDS[kind](rest, settings, project)


def check(settings: Settings, project: Project) -> None:
    """Raise UsageError for a ladder that cannot be climbed, before a session is opened."""
    for name in settings.agent:
        agent = make(name, settings, project)
        if isinstance(agent, Outside):
            agent.look()
