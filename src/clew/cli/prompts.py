"""`clew prompts`: what agents are told, and a wording of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import print_json, say
from clew.cli.wiring import Commands, as_json, in_project

__all__ = ["prompts"]


@click.group(cls=Commands, invoke_without_command=True)
@in_project
@as_json
@click.pass_context
def prompts(context: click.Context, /, project: Path, *, json: bool) -> int:
    """List all prompts with their versions, and which ones are your own.

    There is one for each role, and `go-on` for an agent whose conversation was cut off.
    """
    if context.invoked_subcommand is not None:
        context.meta["clew.agents.prompts"] = project
        return 0
    sessions = api.sessions_at(project)
    for template in api.prompts(api.settings_for(sessions)):
        if json:
            print_json(template)
        else:
            say(f"{template.role:<11} {template.version:<28} {template.path or 'built in'}")
    return 0


@prompts.command()
@click.argument("role", metavar="NAME")
def show(role: str) -> int:
    """Print the built-in template of NAME."""
    click.echo(api.prompt_template(role), nl=False)
    return 0


@prompts.command()
@click.argument("role", metavar="NAME")
@in_project
@click.pass_context
def copy(context: click.Context, /, role: str, project: Path) -> int:
    """Copy the built-in template of NAME to the place of your own."""
    chosen = project if project != Path() else context.meta.get("clew.agents.prompts", Path())
    say(str(api.copy_prompt(api.sessions_at(chosen), role)))
    return 0
