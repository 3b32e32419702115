"""`clew evidence`."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.streams import print_json
from clew.cli.wiring import as_json, in_project, meant, settings_options

__all__ = ["evidence"]


@click.command()
@click.argument("what", required=False, metavar="[ID|PATH]")
@settings_options("test_command", "timeout")
@in_project
@as_json
@click.pass_obj
def evidence(
    runner_args: tuple[str, ...],
    /,
    what: str | None,
    project: Path,
    *,
    json: bool,
    **flags: object,
) -> int:
    """Show what is known about a failure without asking an agent.

    Of session ID, or of the tests of PATH (default: the current folder), run on a snapshot:
    category and cause, stack traces with values, suspects, what changed since the tests passed,
    the first bad commit if `clew bisect` found it, and similar entries of the knowledge base.
    """
    from clew.evidence import render
    from clew.words.facts import Verdict

    sessions, session = meant(what, project)
    if session is not None:
        found = api.session_evidence(sessions, session)
    else:
        found = api.evidence(sessions, api.settings_for(sessions, flags), runner_args)
    if json:
        print_json(found)
    elif found.verdict is Verdict.PASSED:
        click.echo("All tests pass; there is no failure.")
    else:
        click.echo(render(found), nl=False)
    return 0
