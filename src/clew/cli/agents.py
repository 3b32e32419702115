"""`clew agents`: which agents can be called here, and a trial of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.streams import print_json
from clew.cli.wiring import Commands, as_json, in_project
from clew.words.models import TRIED

if TYPE_CHECKING:
    from clew.api import AgentStatus, AgentTrial, RoleTrial

__all__ = ["agents"]

WIDTH = 25  # of the longest name
INDENT = WIDTH + 3
GOING_ON = {
    True: "continues an interrupted conversation",
    None: "continues an interrupted conversation, if its program can",
}

REACHES = {
    "open": "reaches every host; with bubblewrap, `agent_hosts` limits it to some",
    "gated": "reaches its provider's hosts, and those of `agent_hosts`, alone",
}


@click.group(cls=Commands, invoke_without_command=True)
@in_project
@as_json
@click.pass_context
def agents(context: click.Context, /, project: Path, *, json: bool) -> int:
    """List the agents that Clew can call here, and what each can do."""
    if context.invoked_subcommand is not None:
        context.meta["clew.agents"] = (project, json)
        return 0
    for one in api.agents(project):
        if json:
            print_json(one)
        else:
            _show(one)
    return 0


def _show(one: AgentStatus) -> None:
    from clew.cli.words import plain

    version = f"  {one.version}" if one.version else ""
    click.echo(plain(f"{'✓' if one.ready else '✗'} {one.name:<{WIDTH}} {one.does}{version}"))
    can = ["reports tokens and money" if one.money else "reports tokens"] if one.usage else []
    can += ["shows its progress"] if one.streams else []
    can += [GOING_ON[one.resumes]] if one.resumes in GOING_ON else []
    can += ["answers in a given schema"] if one.schema else []
    lines = ["; ".join(can)]
    lines += (
        [f"a diagnosis writes nothing, enforced by {one.reads_only_by}"]
        if one.reads_only_by
        else []
    )
    if one.models:
        tiers = ", ".join(f"{name} is {tier}" for tier, name in one.tiers.items())
        lines.append("takes a model" + (f": {tiers}" if tiers else ""))
    lines += [REACHES[one.network]] if one.network else []
    lines += ["logged in"] if one.logged_in else []
    lines += [f"missing: {one.missing}"] if one.missing else []
    for line in lines:
        if line:
            click.echo(plain(f"{'':<{INDENT}}{line}"))


@agents.command("try")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(TRIED),
    help="Only one role instead of the whole loop.",
)
@in_project
@as_json
@click.pass_context
def try_(
    context: click.Context, /, name: str, role: str | None, project: Path, *, json: bool
) -> int:
    """Let agent NAME fix a small planted fault, and report how it did.

    Runs the whole loop on a scratch project, with your settings: diagnosis, fix, tests, proof. Or
    one role, with a task of its own that Clew judges: a test, for example, has to fail on the
    fault and pass without it. Does not touch your project, asks nothing and leaves nothing behind.
    Exit codes: 0 it did well; 1 it did not.
    """
    from clew.cli.watching import watching

    above = context.meta.get("clew.agents", (Path(), False))
    json = json or above[1]
    with watching(json=json) as watcher:
        tried = api.try_agent(name, project if project != Path() else above[0], role or "", watcher)
    if json:
        print_json({"type": type(tried).__name__} | _record(tried))
    else:
        _tell(tried)
    return 0 if tried.good else 1


def _record(tried: AgentTrial | RoleTrial) -> dict[str, object]:
    import msgspec

    return dict(msgspec.to_builtins(tried))


def _tell(tried: AgentTrial | RoleTrial) -> None:
    from clew.cli.words import plain

    click.echo()
    click.echo(plain(f"{_mark(good=tried.good)} {tried.agent}: {tried.end}"))
    rows = (
        ("took", f"{tried.seconds:.1f} s, {tried.agent_seconds:.1f} s of them the agent's"),
        ("tokens", tried.tally.tokens),
        ("money", tried.tally.money),
        *_own_rows(tried),
        ("sandbox", tried.sandbox),
        *(("failed", words[:300]) for words in tried.failures),
    )
    for label, text in rows:
        if text:
            click.echo(plain(f"  {label:<10} {text}"))


def _mark(*, good: bool) -> str:
    return "✓" if good else "✗"


def _own_rows(tried: AgentTrial | RoleTrial) -> Iterator[tuple[str, str]]:
    from clew.cli.words import counted

    calls = counted(tried.calls, "call")
    if isinstance(tried, api.AgentTrial):
        yield "calls", f"{calls} in {counted(tried.iterations, 'iteration')}"
        yield "mended by", ", ".join(tried.solved_by)
        return
    yield "calls", calls
    yield "model", tried.model
    for check in tried.checks:
        yield _mark(good=check.holds), check.claim
