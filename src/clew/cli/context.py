"""`clew context`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.wiring import as_json, in_project, meant, settings_options

if TYPE_CHECKING:
    from clew.agents.prompts import Brief
    from clew.analysis.context import PromptAccount

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
    """Show what an agent would be told of the failing tests of PATH, or in the session ID.

    For a PATH, by default the present folder, the tests are run on a snapshot. Your tree stays as
    it is, and no agent is called.
    """
    from clew.agents.prompts import prompt
    from clew.cli.showing import print_json
    from clew.cli.words import plain
    from clew.flows.debugging import previewing

    sessions, session = meant(name, project)
    brief: Brief | None
    if session is None:
        settings = api.settings_for(sessions, flags)
        brief = previewing.of_project(sessions, settings, runner_args, budget)
    else:
        brief = previewing.of_session(sessions, session, budget)
    if brief is None or brief.account is None:
        click.echo("{}" if json else "All tests pass; there is nothing to tell.")
    elif json:
        print_json({"account": brief.account, "prompt": prompt("diagnose", brief)})
    elif whole:
        click.echo(plain(prompt("diagnose", brief)))
    else:
        _show(brief.account)
    return 0


def _show(account: PromptAccount) -> None:
    """Show the account: first the files, then in words what it says to the agent."""
    from clew.analysis.context import account_lines
    from clew.cli.words import plain

    if account.plain:
        click.echo(plain(f"the files could not be gathered, so none are shown: {account.plain}"))
    for file in account.files:
        click.echo(plain(f"{file.distance}  {file.form:<10} {file.tokens:>7,}  {file.path}"))
    click.echo(f"{'all of the prompt':<13} {account.used:>6,} of {account.budget:,} tokens\n")
    for line in account_lines(account):
        click.echo(plain(line))
