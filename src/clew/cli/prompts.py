"""`clew prompts`: what agents are told, and a wording of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import say
from clew.cli.wiring import Commands, as_json, in_project

__all__ = ["prompts"]


@click.group(cls=Commands, invoke_without_command=True)
@in_project
@as_json
@click.pass_context
def prompts(context: click.Context, /, project: Path, *, json: bool) -> int:
    """List all prompts with their versions, and which of them are your own.

    One for each role, and `go-on`, which an agent is told whose conversation was cut off.
    """
    if context.invoked_subcommand is not None:
        context.meta["clew.agents.prompts"] = project
        return 0
    from clew.agents.prompts import TEMPLATES, own_place, version
    from clew.cli.showing import print_json

    own = _own(project)
    for role in TEMPLATES:
        place = own_place(role) if role in own else ""
        named = version(role, own.get(role, ""))
        if json:
            print_json({"role": role, "version": named, "path": place})
        else:
            say(f"{role:<11} {named:<28} {place or 'built in'}")
    return 0


def _own(project: Path) -> dict[str, str]:
    """Return a person's own templates, if a prompt can be made of each. Raises UsageError."""
    return api.settings_for(api.sessions_at(project), {}).prompts


@prompts.command()
@click.argument("role", metavar="NAME")
def show(role: str) -> int:
    """Print the built-in template of NAME."""
    from clew.agents.prompts import source

    click.echo(source(_known(role)), nl=False)
    return 0


@prompts.command()
@click.argument("role", metavar="NAME")
@in_project
@click.pass_context
def copy(context: click.Context, /, role: str, project: Path) -> int:
    """Copy the built-in template of NAME to where your own is looked for."""
    from clew.agents.prompts import own_place, source
    from clew.git.own_folder import own_folder
    from clew.words.errors import UsageError

    chosen = project if project != Path() else context.meta.get("clew.agents.prompts", Path())
    root = api.sessions_at(chosen).project.root
    path = root / own_place(_known(role))
    own_folder(root)
    path.parent.mkdir(exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(source(role))
    except FileExistsError as error:
        raise UsageError(f"{path} is there already", hint="Move it away first.") from error
    say(str(path))
    return 0


def _known(role: str) -> str:
    from clew.agents.prompts import TEMPLATES
    from clew.words.errors import UsageError

    if role not in TEMPLATES:
        told = f"there is no prompt {role[:80]!r}"
        raise UsageError(told, hint=f"Prompts: {', '.join(TEMPLATES)}")
    return role
