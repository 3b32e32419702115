"""Which agents can be called here, what each can do, and what is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from clew import processes
from clew.agents.claude import LOGIN, VARIABLES
from clew.errors import CommandNotFound
from clew.sandbox import clean_environment
from clew.settings import Settings

__all__ = ["About", "Standing", "survey"]

PATIENCE = 20.0  # seconds for a program to tell its version


class About(msgspec.Struct, frozen=True, kw_only=True):
    """One back-end: how it is named on the ladder, and what it can do."""

    name: str
    does: str
    reads_only_by: str  # what keeps its diagnosis from writing, beside the sandbox
    usage: bool = False  # tells its tokens
    money: bool = False
    models: bool = False  # takes a model behind its name
    program: str = ""  # on PATH
    login: tuple[str, ...] = ()  # variables, one of which is a login
    login_file: str = ""  # below the person's home
    next_step: str = ""


BACK_ENDS = (
    About(name="repair", does="built in: searches for a patch, offline", reads_only_by="itself"),
    About(
        name="claude[:MODEL]",
        does="Claude Code, without a terminal",
        reads_only_by="its tools",
        usage=True,
        money=True,
        models=True,
        program="claude",
        login=tuple(name for name in VARIABLES if name.endswith(("_KEY", "_TOKEN"))),
        login_file=f".claude/{LOGIN}",
        next_step="install Claude Code, and log in with `claude`",
    ),
    About(
        name="command:LINE",
        does="any program: the prompt on its input, JSON on its output",
        reads_only_by="",
        usage=True,
        money=True,
    ),
    About(name="replay:FILE", does="recorded answers", reads_only_by="itself"),
)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One agent as it stands here. `logged_in` is None where that cannot be known."""

    name: str
    does: str
    ready: bool
    version: str = ""
    logged_in: bool | None = None
    reads_only_by: str = ""
    usage: bool = False
    money: bool = False
    models: bool = False
    missing: str = ""


def survey(settings: Settings) -> tuple[Standing, ...]:
    """Look at every back-end, and at each command that the settings name."""
    own = (
        About(name=name, does=line, reads_only_by="", usage=True, money=True, program=_first(line))
        for name, line in settings.commands.items()
    )
    return tuple(_standing(about) for about in (*BACK_ENDS, *own))


def _first(line: str) -> str:
    return next(iter(line.split(maxsplit=1)), "")


def _standing(about: About) -> Standing:
    path = shutil.which(about.program) if about.program else ""
    logged_in = _logged_in(about)
    missing = about.next_step or f"{about.program} was not found"
    if path is not None:
        missing = about.next_step if logged_in is False else ""
    return Standing(
        name=about.name,
        does=about.does,
        ready=not missing,
        version=_version(path) if path and about.next_step else "",
        logged_in=logged_in,
        reads_only_by=about.reads_only_by,
        usage=about.usage,
        money=about.money,
        models=about.models,
        missing=missing,
    )


def _logged_in(about: About) -> bool | None:
    if not about.login:
        return None
    return any(os.environ.get(name) for name in about.login) or _there(
        (Path(os.environ.get("CLAUDE_CONFIG_DIR", "")) / LOGIN, Path.home() / about.login_file)
    )


def _there(paths: Iterable[Path]) -> bool:
    return any(path.is_file() for path in paths)


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
