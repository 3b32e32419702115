"""`clew hooks`: the agent's hooks that carry a hand-off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from clew import api
from clew.cli.streams import print_json, say
from clew.cli.wiring import Commands

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
    """Install the hooks that let one agent session start the next."""


@hooks.command()
@_where
def install(agent: str, folder: Path, *, user: bool) -> int:
    """Add the hooks to the agent's settings; everything else there stays."""
    path, changed = api.install_hooks(folder, agent, user=user)
    say(f"{'registered in' if changed else 'already in'} {path}")
    verify = "clew hooks verify" if agent == "claude" else f"clew hooks verify --agent {agent}"
    click.echo(f"next: `{verify}`; running sessions read them when they restart")
    return 0


@hooks.command()
@_where
def uninstall(agent: str, folder: Path, *, user: bool) -> int:
    """Remove the hooks from the agent's settings, and nothing else."""
    path, changed = api.uninstall_hooks(folder, agent, user=user)
    say(f"{'taken out of' if changed else 'none in'} {path}")
    return 0


@hooks.command()
@_where
@click.option("--json", "json", is_flag=True, help="Print JSON lines on stdout.")
def verify(agent: str, folder: Path, *, user: bool, json: bool) -> int:  # noqa: ARG001 -- both places are looked at
    """Check whether a hand-off would work here, and what is missing."""
    good = True
    for found in api.examine_hooks(folder, agent):
        good = good and found.good
        if json:
            print_json(found)
        else:
            say(f"{'✓' if found.good else '✗'} {found.name:<10} {found.says}")
    return 0 if good else 2
