"""Which agents can be called here, what each can do, and what is missing."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec.structs import replace

from clew.agents.about import About
from clew.agents.acp import Acp
from clew.agents.cli_agent import login_of
from clew.agents.command import Command
from clew.agents.table import BACK_ENDS, network
from clew.git.project import Project
from clew.sandbox import processes
from clew.sandbox.confinement import clean_environment
from clew.words.errors import CommandNotFound, UsageError
from clew.words.settings import Settings

__all__ = ["AgentStatus", "survey"]

PATIENCE = 20.0  # seconds for a program to tell its version


class AgentStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One agent as it stands here. `logged_in` and `resumes` are None where that is not known."""

    name: str
    does: str
    ready: bool
    version: str = ""
    logged_in: bool | None = None
    reads_only_by: str = ""
    usage: bool = False
    money: bool = False
    models: bool = False
    tiers: dict[str, str] = {}  # its names for a cheap, a middle and a strong model
    resumes: bool | None = False
    streams: bool = False
    schema: bool = False
    network: str = ""  # open, gated, or nothing for one inside Clew
    missing: str = ""


def survey(settings: Settings, project: Project) -> tuple[AgentStatus, ...]:
    """Look at every back-end, and at each command that the settings name."""
    own = (
        replace(Command.about, word=name, rest="", does=line, program=_first(line))
        for name, line in settings.commands.items()
    )
    return tuple(
        _told(about, settings, project) for about in (*(b.about for b in BACK_ENDS.values()), *own)
    )


def _told(about: About, settings: Settings, project: Project) -> AgentStatus:
    """Tell of one agent; one whose command line cannot be read is not ready, and hides no other."""
    try:
        return _standing(about, _network(about, settings, project))
    except UsageError as error:
        return replace(_standing(about, ""), ready=False, missing=error.message)


def _first(line: str) -> str:
    return next(iter(line.split(maxsplit=1)), "")


def _network(about: About, settings: Settings, project: Project) -> str:
    if about.word in settings.commands or about.program:
        return network(about.word, settings, project)
    if about in (Acp.about, Command.about):
        return network(f"{about.word}:any", settings, project)
    return ""


def _standing(about: About, network: str) -> AgentStatus:
    path = shutil.which(about.program) if about.program else ""
    logged_in = _logged_in(about)
    missing = about.next_step or f"{about.program} was not found"
    if path is not None:
        missing = about.next_step if logged_in is False else ""
    if about.module and find_spec(about.module) is None:
        missing = f"pip install 'clew[{about.extra}]'"
    return AgentStatus(
        name=about.name,
        does=about.does,
        ready=not missing,
        version=_version(path) if path and about.next_step else "",
        logged_in=logged_in,
        reads_only_by=about.reads_only_by,
        usage=about.usage,
        money=about.money,
        models=about.models,
        tiers=about.tiers,
        resumes=about.resumes,
        streams=about.streams,
        schema=about.schema,
        network=network,
        missing=missing,
    )


def _logged_in(about: About) -> bool | None:
    if not about.logins:
        return None
    return any(os.environ.get(name) for name in about.logins) or login_of(about).is_file()


def _version(path: str) -> str:
    try:
        done = processes.run(
            [path, "--version"],
            cwd=Path("/"),
            env=clean_environment(),
            timeout=PATIENCE,
            cap=1_000,
        )
    except CommandNotFound:
        return ""
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else ""
