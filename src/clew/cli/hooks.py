"""`clew hooks`: the agent's hooks that carry a hand-off."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clew.cli.streams import say
from clew.cli.wiring import Commands

if TYPE_CHECKING:
    from clew.handoff.agents import AgentProgram

__all__ = ["hooks"]

F = TypeVar("F", bound=Callable[..., Any])

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


def _where(command: F) -> F:
    """Add the options that say whose settings are meant."""
    for option in (
        click.option("--agent", type=click.Choice(("claude", "gemini")), default="claude"),
        click.option("--user", "user", is_flag=True, help="In your own settings: every project."),
        click.option("--project", "user", flag_value=False, help="In this project (default)."),
        click.option("-C", "folder", type=_FOLDER, default=Path(), metavar="PATH"),
    ):
        command = option(command)
    return command


@click.group(cls=Commands)
def hooks() -> None:
    """Let an agent's sessions start each other: its hooks."""


@hooks.command()
@_where
def install(agent: str, folder: Path, *, user: bool) -> int:
    """Register the hooks, beside whatever else the settings hold."""
    from clew.hooks import installing

    path = _path(agent, folder, user=user)
    changed = installing.install(path, _agent(agent))
    say(f"{'registered in' if changed else 'already in'} {path}")
    verify = "clew hooks verify" if agent == "claude" else f"clew hooks verify --agent {agent}"
    click.echo(f"next: `{verify}`; a session that runs already reads them when it restarts")
    return 0


@hooks.command()
@_where
def uninstall(agent: str, folder: Path, *, user: bool) -> int:
    """Take the hooks out again, and nothing else."""
    from clew.hooks import installing

    path = _path(agent, folder, user=user)
    changed = installing.uninstall(path)
    say(f"{'taken out of' if changed else 'none in'} {path}")
    return 0


@hooks.command()
@_where
@click.option("--json", "json", is_flag=True, help="Print JSON lines on stdout.")
def verify(agent: str, folder: Path, *, user: bool, json: bool) -> int:  # noqa: ARG001 -- both places are looked at
    """Say whether a hand-off would work here, and what is missing."""
    from clew.cli.showing import print_json

    good = True
    for name, holds, says in _findings(_agent(agent), folder):
        good = good and holds
        if json:
            print_json({"name": name, "good": holds, "says": says})
        else:
            say(f"{'✓' if holds else '✗'} {name:<10} {says}")
    return 0 if good else 2


def _agent(name: str) -> AgentProgram:
    from clew.handoff.agents import AGENTS

    return AGENTS[name]


def _path(agent: str, folder: Path, *, user: bool) -> Path:
    from clew.hooks.installing import settings_file

    return settings_file(_agent(agent), None if user else folder.resolve())


def _findings(agent: AgentProgram, folder: Path) -> Iterator[tuple[str, bool, str]]:
    import shutil

    from clew.handoff import config, records

    yield from _registered(agent, folder)
    yield _answers(agent)
    held = config.load(records.project_of(str(folder.resolve())))
    yield "mode", held.active, held.reason
    program = held.program or agent.name
    found = shutil.which(program)
    yield "program", found is not None, found or f"{program} is not on the PATH"
    tmux = shutil.which("tmux")
    inside = "this is a window of it" if os.environ.get("TMUX") else "this is no window of it"
    yield (
        "tmux",
        tmux is not None or held.backend != "tmux",
        f"{tmux}; {inside}" if tmux else "not found: sessions start without a terminal",
    )


def _registered(agent: AgentProgram, folder: Path) -> Iterator[tuple[str, bool, str]]:
    from clew.hooks.hook_blockers import hook_blockers, places
    from clew.hooks.installing import command, installed

    wanted = command(agent)
    found: dict[str, list[str]] = {}
    for path in places(agent, folder.resolve()):
        for event, commands in installed(path).items():
            found.setdefault(event, []).extend(commands)
    for name, why in hook_blockers(agent, folder.resolve()):
        yield name, False, why
    missing = [event for event in agent.events if event not in found]
    stale = sorted({each for many in found.values() for each in many if each != wanted})
    install = "`clew hooks install`"
    if agent.name != "claude":
        install = f"`clew hooks install --agent {agent.name}`"
    if missing:
        yield "hooks", False, f"not registered: {', '.join(missing)}; {install}"
    elif stale:
        yield "hooks", False, f"another Clew's: {stale[0]}; {install}"
    else:
        yield "hooks", True, f"registered: {', '.join(agent.events)}"


def _answers(agent: AgentProgram) -> tuple[str, bool, str]:
    """Run the hook as the agent does, with an event that calls for nothing."""
    import time

    from clew.hooks.installing import ENTRY

    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ENTRY), agent.name],
        input=b'{"hook_event_name": "Verify"}',
        capture_output=True,
        check=False,
    )
    took = (time.perf_counter() - begun) * 1000
    good = (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return "hook", good, f"answers in {took:.0f} ms" if good else done.stderr.decode()[-300:]
