"""`clew ci`: one command for a pipeline. It asks nobody, changes nothing and pushes nothing."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import click

from clew import api
from clew.cli.streams import say
from clew.cli.wiring import (
    FOLDER,
    as_json,
    narrowed,
    settings_options,
    watched,
)
from clew.words.declared import BOUNDS

__all__ = ["ci"]


@click.command()
@click.argument("path", type=FOLDER, default=Path())
@click.option(
    "--output", type=FOLDER, metavar="DIR", help="Folder for the artefacts (default: .clew/ci)."
)
@click.option(
    "--failed",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="JUnit XML of the failed run; Clew runs nothing if no test failed there, and never"
    " exits with 0.",
)
@settings_options(
    *("test_command", "agent", "challenge", "max_iterations"), *BOUNDS, "accept", "timeout"
)
@narrowed
@as_json
@click.pass_obj
def ci(
    runner_args: tuple[str, ...],
    /,
    path: Path,
    *,
    output: Path | None,
    failed: Path | None,
    only: bool,
    json: bool,
    **flags: object,
) -> int:
    """Fix the failing tests of PATH in a pipeline, and write artefacts.

    Writes a summary page, the fix as a patch, the reports, and the result as JSON; in GitHub
    Actions also annotations, the step's summary and outputs. Asks, changes and pushes nothing.
    Arguments after -- go to the test runner; those that select tests narrow the goal, not the
    proof.
    """
    from clew.cli import github

    sessions = api.sessions_at(path)
    settings = api.settings_for(sessions, flags)
    api.check_settings(settings, sessions.project)
    before = api.read_earlier_run(failed) if failed else None
    folder = api.clear_artefacts(sessions.project, output)
    if before and not before.red:
        why = "nothing is run, and the exit code is 1, since that run failed for another reason"
        say(f"{before.report}: none of {before.total} tests is red: {why}", err=json)
        return 1
    here, out = github.is_here(os.environ), sys.stderr if json else sys.stdout
    with github.without_commands(out) if here else contextlib.nullcontext():
        status = watched(
            sessions,
            lambda watcher: api.fix(sessions, settings, watcher, runner_args, only=only),
            json=json,
        )
    state = api.load_state(sessions, status.session)
    kept = api.keep_artefacts(sessions, state, folder, api.summary_of(state), before)
    code = status.exit_code
    with contextlib.suppress(BrokenPipeError):  # how it ended holds, read or not
        for line in ("", kept.headline, str(kept.page), *([str(kept.patch)] if kept.patch else [])):
            say(line, err=json)
        if here:
            for line in github.annotated(state):
                click.echo(line, file=out)
        if before and code == 0:
            say(f"exit code 1, for the run of {before.report}: its tests are still red", err=json)
    if here:
        github.add_to_summary(os.environ, kept.page.read_text("utf-8"))
        said = {"status": state.status.value, "patch": str(kept.patch or "")}
        github.set_outputs(os.environ, said | {"session": state.session.session_id})
    return 1 if before and code == 0 else code
