"""`clew agents`: which agents can be called here."""

from __future__ import annotations

import os
from pathlib import Path

import click

from clew.cli.wiring import as_json, in_project

__all__ = ["agents"]


@click.command()
@in_project
@as_json
def agents(project: Path, *, json: bool) -> int:
    """Say which agents can be called here, and what each can do."""
    from clew.agents.survey import survey
    from clew.cli.showing import print_json
    from clew.cli.words import plain
    from clew.project import locate
    from clew.settings import load

    found = locate(project)
    standings = survey(load((found.root, found.path), os.environ, {}))
    for one in standings:
        if json:
            print_json(one)
            continue
        can = ["tells tokens and money" if one.money else "tells tokens"] if one.usage else []
        can += ["takes a model"] if one.models else []
        can += [f"a diagnosis writes nothing, by {one.reads_only_by}"] if one.reads_only_by else []
        version = f"  {one.version}" if one.version else ""
        click.echo(plain(f"{'✓' if one.ready else '✗'} {one.name:<16} {one.does}{version}"))
        if can:
            click.echo(f"{'':<19}{'; '.join(can)}")
        if one.missing:
            click.echo(plain(f"{'':<19}missing: {one.missing}"))
    return 0
