"""Documents of plans' sessions: taken over from other tools, and given back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from clew import api
from clew.cli.streams import print_json, say
from clew.cli.wiring import as_json, in_project, settings_options

__all__ = ["COMMANDS"]


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--without-plan", is_flag=True, help="Go on where the plan of FILE is missing.")
@settings_options(agent="Who carries out the phases that are left.")
@in_project
@as_json
def import_(
    file: Path,
    project: Path,
    *,
    without_plan: bool,
    json: bool,
    **flags: Any,  # noqa: ANN401 - of many types
) -> int:
    """Open a session from FILE, the document of a plan's session such as Maestro's.

    Nothing is run, and FILE stays as it is. `clew resume` goes on from the first phase that is
    pending or failed.
    """
    sessions = api.sessions_at(project)
    settings = api.settings_for(sessions, flags)
    session = api.import_document(sessions, settings, file, without_plan=without_plan)
    status = api.status(sessions, session)
    if json:
        print_json(status)
        return 0
    say(f"{session}  imported, {status.stage}")
    for line in status.lines:
        say(f"  {line}")
    say(f"go on with it:  clew resume {session}")
    return 0


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it there."
)
@in_project
def export(name: str | None, output: Path | None, project: Path) -> int:
    """Print a plan's session as a document; an imported one keeps its keys, comments and words."""
    sessions = api.sessions_at(project)
    content = api.export(sessions, sessions.find(name))
    if output is None:
        sys.stdout.buffer.write(content)
    else:
        api.write_out(output, content)
    return 0


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--reconciled", is_flag=True, help="You looked at files that nobody reported.")
@in_project
@as_json
def archive(name: str | None, project: Path, *, reconciled: bool, json: bool) -> int:
    """Put a plan that ended away: its documents, its plan, the document it was imported from.

    Each moves to a folder `archive` beside it. Archiving again finishes what was cut off.
    """
    sessions = api.sessions_at(project)
    session = sessions.find(name)
    moves = api.archive(sessions, session, api.Unwatched(), reconciled=reconciled)
    if json:
        print_json({"session": session, "moved": moves})
        return 0
    for move in moves:
        say(f"moved  {move.source}  to  {move.target}")
    say(f"{session} is archived")
    return 0


COMMANDS = (archive, export, import_)
