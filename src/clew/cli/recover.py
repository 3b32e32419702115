"""`clew recover`."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import print_json, say
from clew.cli.wiring import as_json, in_project

__all__ = ["recover"]


@click.command()
@in_project
@as_json
def recover(project: Path, *, json: bool) -> int:
    """Rebuild a damaged journal from what is readable and from the checkpoints."""
    from clew.cli.words import counted

    answer = api.recover(api.sessions_at(project))
    if answer is None:
        click.echo("the journal is intact; there is nothing to recover", err=True)
        return 0
    aside, sessions = answer
    for one in sessions:
        if json:
            print_json(one)
        else:
            lost = f", {counted(one.lost, 'later event')} lost" if one.lost else ""
            say(f"{one.session}  {counted(one.events, 'event')}{lost}; {one.stage}")
    say(f"the damaged journal is kept as {aside}; `clew resume` continues", err=True)
    return 0
