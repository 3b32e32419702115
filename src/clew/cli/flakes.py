"""`clew flakes`."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import print_json
from clew.cli.wiring import as_json, in_project

__all__ = ["flakes"]


@click.command()
@click.option("--all", "every", is_flag=True, help="Every test that ever failed.")
@in_project
@as_json
def flakes(project: Path, *, every: bool, json: bool) -> int:
    """List the tests that passed and failed on the same code, over all sessions."""
    from clew.cli.streams import say

    past = api.flakes(api.sessions_at(project))
    shown = [one for one in past if every or one.flaky]
    for one in shown:
        if json:
            print_json(one)
            continue
        when = one.last_seen.astimezone().strftime("%Y-%m-%d %H:%M")
        kind = one.kind or "red"
        say(f"{kind:<8} {one.red:>4} of {one.runs:<4} {when}  {one.test}")
        if one.changed_runs:
            changed = f"{one.changed_red} of {one.changed_runs}"
            say(f"{'':8} red with the changes of a session: {changed}")
        if one.evidence:
            say(f"{'':8} when it was examined: {one.evidence}")
    if not shown and not json:
        click.echo("No test passed and failed on the same code.", err=True)
    return 0
