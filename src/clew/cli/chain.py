"""`clew chain`: sessions that hand off to each other, looked at, started and stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.cli.streams import say
from clew.cli.wiring import Commands, as_json, in_project
from clew.words.errors import ClewError

if TYPE_CHECKING:
    from clew.handoff.records import Chain, HandoffStore
    from clew.handoff.table import Next

__all__ = ["HandOffRefused", "chain"]


class HandOffRefused(ClewError):
    """The next session may not be started now, or could not be."""

    page = "hand-off-refused"


@click.group(cls=Commands)
def chain() -> None:
    """Sessions that start each other: where they stand, and how to stop them."""


@chain.command()
@in_project
@as_json
def status(project: Path, *, json: bool) -> int:
    """Show the newest chain: hand-offs, time, tokens, the last step, what it waits for."""
    from clew.cli.showing import print_json
    from clew.handoff.config import load
    from clew.handoff.questions import pending

    desk = _desk(project)
    config, names, questions = load(desk.project), desk.chains(), pending(desk.project)
    record: dict[str, Any] = {
        "active": config.active,
        "reason": config.reason,
        "questions": questions,
        "sessions": sorted(desk.sessions()),
        "chain": None,
    }
    if names:
        newest = desk.chain(names[-1])
        record |= {
            "chain": newest.name,
            "hand_offs": newest.hops,
            "minutes": round((time.time() - (newest.begun or time.time())) / 60, 1),
            "tokens": newest.tokens,
            "last": dict(newest.lines[-1]) if newest.lines else None,
        }
    if json:
        print_json(record)
        return 0
    say(f"hand-off is {'on' if config.active else 'off'}: {config.reason}")
    if names:
        newest = desk.chain(names[-1])
        say(
            f"chain {newest.name}: {newest.hops} of {config.max_depth:g} hand-offs,"
            f" {record['minutes']:g} of {config.max_minutes:g} minutes,"
            f" {newest.tokens:,} of {config.max_tokens:,.0f} tokens"
        )
        say(f"  {_line(newest.lines[-1])}" if newest.lines else "  nothing yet")
    else:
        click.echo("no chain yet")
    for question in questions:
        say(f"waits for you: {question}")
    return 0


@chain.command()
@click.argument("name", required=False, metavar="[CHAIN]")
@in_project
@as_json
def log(name: str | None, project: Path, *, json: bool) -> int:
    """Show every step of a chain; without a name, of all of them."""
    from clew.cli.showing import print_json
    from clew.words.errors import UsageError

    desk = _desk(project)
    names = desk.chains()
    if name is not None and name not in names:
        raise UsageError(f"there is no chain {name!r}", hint=f"Known: {', '.join(names[-5:])}")
    for each in [name] if name else names:
        found: Chain = desk.chain(each)
        for line in found.lines:
            if json:
                print_json({"chain": each, **line})
            else:
                say(f"{each}  {_line(line)}")
    return 0


@chain.command()
@in_project
def stop(project: Path) -> int:
    """Let no chain go on that has begun by now; running sessions are left alone."""
    desk = _desk(project)
    desk.stop("clew chain stop")
    click.echo("stopped: no session that runs now starts another")
    for session, known in desk.sessions().items():
        where = f" in window {known['window']}" if known.get("window") else ""
        say(f"  session {session} was not seen to end{where}")
    return 0


@chain.command()
@click.argument("command", required=False, metavar="[COMMAND]")
@click.option("--agent", type=click.Choice(("claude", "gemini")), default="claude")
@click.option("--dry-run", is_flag=True, help="Print what would happen, and do nothing.")
@in_project
def start(command: str | None, agent: str, project: Path, *, dry_run: bool) -> int:
    """Start a chain with COMMAND, or with what comes next; in tmux in a new window."""
    from clew.handoff.agents import AGENTS
    from clew.handoff.collect import facts
    from clew.handoff.config import load
    from clew.handoff.courier import Courier, Failed, command_line
    from clew.handoff.deciding import decide
    from clew.handoff.markers import MARKER, MarkerCommand, find
    from clew.handoff.orders import Order, new_chain
    from clew.handoff.records import digest

    desk = _desk(project)
    if command is None:
        following = _next(desk)
        if following is None:
            raise HandOffRefused(
                f"nothing in {desk.project} says what comes next", hint="Name a command."
            )
        command = following.command
    asked = find(f"{MARKER} {command}") or MarkerCommand(command, "this is no command")
    config, now = load(desk.project), time.time()
    name = new_chain()
    verdict = decide(asked, config, facts(desk, "", name, now, started=now))
    if not verdict.goes_on:
        raise HandOffRefused(
            f"{command} is not started: {verdict.why}",
            hint="docs/guides/hand-off.md says how each rule is set.",
        )
    pane = os.environ.get("TMUX_PANE", "") if os.environ.get("TMUX") else ""
    windowed = bool(pane) and config.backend != "process"
    try:
        words = command_line(AGENTS[agent], config, command, headless=not windowed)
    except Failed as failed:
        raise HandOffRefused(
            str(failed), hint="`clew hooks verify` shows what is missing."
        ) from None
    if dry_run or config.dry_run:
        place = "in a new tmux window" if windowed else "without a terminal"
        say(f"would start, {place}, in {desk.project}:")
        for word in words:
            say(f"  {word}")
        return 0
    token = digest(name, command)
    order = Order(
        agent=agent,
        chain=name,
        command=command,
        folder=desk.project,
        pane=pane,
        tmux=os.environ.get("TMUX", "") if pane else "",
        ended=True,
    )
    desk.claim(token, order.record())
    desk.note(name, "asked", token=token, session="", command=command)
    Courier(desk, token, order).run()
    ended = desk.chain(name).lines[-1]
    if ended.get("event") in ("failed", "refused"):
        raise HandOffRefused(str(ended.get("why")), hint=f"`clew chain log {name}` has every step.")
    say(f"chain {name} has begun with {command}")
    return 0


@chain.command()
@as_json
def table(*, json: bool) -> int:
    """Show which workflow follows which."""
    from clew.cli.showing import print_json
    from clew.handoff.table import HANDOFFS

    for row in HANDOFFS:
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
    """Show what comes next for the project as it stands."""
    from clew.cli.showing import print_json

    found = _next(_desk(project))
    if json:
        print_json(found._asdict() if found else {"command": None, "because": None})
    elif found is None:
        click.echo("nothing: no milestone is under way here")
    else:
        say(f"{found.command}  ({found.because})")
    return 0


def _desk(folder: Path) -> HandoffStore:
    from clew.handoff.records import HandoffStore, project_of
    from clew.words.errors import UsageError

    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder", hint="Name the project's folder.")
    return HandoffStore(project_of(str(folder)))


def _next(desk: HandoffStore) -> Next | None:
    from clew.handoff.table import PlanningState, following

    planning = Path(desk.project) / ".planning"
    paths = (path.relative_to(planning).as_posix() for path in planning.rglob("*.md"))
    roadmap = planning / "ROADMAP.md"
    words = roadmap.read_text("utf-8", "replace") if roadmap.is_file() else ""
    return following(PlanningState(frozenset(paths), words))


def _line(line: Mapping[str, object]) -> str:
    """Return a step in words; what came from outside is shown without control characters."""
    from clew.words.printable import printable

    at = line.get("at")
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at if isinstance(at, float) else 0))
    rest = ", ".join(
        f"{name} {value}" for name, value in line.items() if name not in ("at", "event", "token")
    )
    return printable(f"{stamp}  {line.get('event', ''):<8} {rest}").replace("\n", " ")
