"""`clew chain`: sessions that hand off to each other, looked at, started and stopped."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from clew import api
from clew.cli.streams import print_json, say
from clew.cli.wiring import Commands, as_json, in_project

__all__ = ["chain"]


@click.group(cls=Commands)
def chain() -> None:
    """Start, watch and stop chains of agent sessions."""


@chain.command()
@in_project
@as_json
def status(project: Path, *, json: bool) -> int:
    """Show the newest chain: hand-offs, time, tokens, last step, and what it is waiting for."""
    found = api.chain_status(project)
    config, newest = found.config, found.newest
    record: dict[str, Any] = {
        "active": config.active,
        "reason": config.reason,
        "questions": found.questions,
        "sessions": found.sessions,
        "chain": None,
    }
    if newest:
        record |= {
            "chain": newest.name,
            "hand_offs": newest.hops,
            "minutes": found.minutes,
            "tokens": newest.tokens,
            "last": dict(newest.lines[-1]) if newest.lines else None,
        }
    if json:
        print_json(record)
        return 0
    say(f"hand-off is {'on' if config.active else 'off'}: {config.reason}")
    if newest:
        say(
            f"chain {newest.name}: {newest.hops} of {config.max_depth:g} hand-offs,"
            f" {found.minutes:g} of {config.max_minutes:g} minutes,"
            f" {newest.tokens:,} of {config.max_tokens:,.0f} tokens"
        )
        say(f"  {_line(newest.lines[-1])}" if newest.lines else "  nothing yet")
    else:
        click.echo("no chain yet")
    for question in found.questions:
        say(f"waits for you: {question}")
    return 0


@chain.command()
@click.argument("name", required=False, metavar="[CHAIN]")
@in_project
@as_json
def log(name: str | None, project: Path, *, json: bool) -> int:
    """Show every step of a chain, or of all chains."""
    for each, found in api.chain_log(project, name):
        for line in found.lines:
            if json:
                print_json({"chain": each, **line})
            else:
                say(f"{each}  {_line(line)}")
    return 0


@chain.command()
@in_project
def stop(project: Path) -> int:
    """Stop all chains: running sessions end by themselves, and start no others."""
    left = api.stop_chains(project)
    click.echo("stopped: no running session will start another")
    for session, known in left.items():
        where = f" in window {known['window']}" if known.get("window") else ""
        say(f"  session {session} may still be running{where}")
    return 0


@chain.command()
@click.argument("command", required=False, metavar="[COMMAND]")
@click.option("--agent", type=click.Choice(("claude", "gemini")), default="claude")
@click.option("--dry-run", is_flag=True, help="Print what would happen, and do nothing.")
@in_project
def start(command: str | None, agent: str, project: Path, *, dry_run: bool) -> int:
    """Start a chain with COMMAND, or with what comes next; inside tmux in a new window."""
    begun = api.start_chain(project, command, agent, dry_run=dry_run)
    if begun.name:
        say(f"chain {begun.name} starts with {begun.command}")
        return 0
    place = "in a new tmux window" if begun.windowed else "without a terminal"
    say(f"would start, {place}, in {begun.folder}:")
    for word in begun.words:
        say(f"  {word}")
    return 0


@chain.command()
@as_json
def table(*, json: bool) -> int:
    """Show which workflow command follows which."""
    for row in api.HANDOFFS:
        if json:
            print_json(row._asdict())
        else:
            after = f"{row.after} ({row.when})" if row.when else row.after
            say(f"{after:<32} {row.command}")
    return 0


@chain.command("next")
@in_project
@as_json
def next_(project: Path, *, json: bool) -> int:
    """Show what comes next in the project's workflow."""
    found = api.next_workflow(project)
    if json:
        print_json(found._asdict() if found else {"command": None, "because": None})
    elif found is None:
        click.echo("nothing: there is no current milestone here")
    else:
        say(f"{found.command}  ({found.because})")
    return 0


def _line(line: Mapping[str, object]) -> str:
    """Return a step in words; what came from outside is shown without control characters."""
    from clew.words.printable import printable

    at = line.get("at")
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at if isinstance(at, float) else 0))
    rest = ", ".join(
        f"{name} {value}" for name, value in line.items() if name not in ("at", "event", "token")
    )
    return printable(f"{stamp}  {line.get('event', ''):<8} {rest}").replace("\n", " ")
