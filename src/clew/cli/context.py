"""`clew context`."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import print_json
from clew.cli.wiring import as_json, in_project, meant, settings_options

__all__ = ["context"]


@click.command()
@click.argument("name", required=False, metavar="[ID|PATH]")
@settings_options("test_command", "timeout")
@click.option("--budget", type=click.IntRange(8_000), metavar="N", help="Tokens for the prompt.")
@click.option("--prompt", "whole", is_flag=True, help="Print the prompt itself.")
@in_project
@as_json
@click.pass_obj
def context(
    runner_args: tuple[str, ...],
    /,
    name: str | None,
    project: Path,
    budget: int | None,
    *,
    whole: bool,
    json: bool,
    **flags: object,
) -> int:
    """Show what an agent would be told about the failing tests of PATH or of session ID.

    For a PATH (default: the current folder) Clew runs the tests on a snapshot. Your tree stays as
    it is, and Clew calls no agent.
    """
    from clew.cli.words import plain

    sessions, session = meant(name, project)
    if session is None:
        settings = api.settings_for(sessions, flags)
        found = api.context(sessions, settings, runner_args, budget)
    else:
        found = api.session_context(sessions, session, budget)
    if found is None:
        click.echo("{}" if json else "All tests pass; there is nothing to show.")
    elif json:
        print_json({"account": found.account, "prompt": found.prompt})
    elif whole:
        click.echo(plain(found.prompt))
    else:
        _show(found)
    return 0


def _show(found: api.AgentContext) -> None:
    """Show the account: first the files, then in words what it says to the agent."""
    from clew.cli.words import plain

    account = found.account
    if account.plain:
        click.echo(plain(f"the files could not be collected, so none are shown: {account.plain}"))
    for file in account.files:
        click.echo(plain(f"{file.distance}  {file.form:<10} {file.tokens:>7,}  {file.path}"))
    click.echo(f"{'all of the prompt':<13} {account.used:>6,} of {account.budget:,} tokens\n")
    for line in found.lines:
        click.echo(plain(line))
