"""The commands, each a few lines over `clew.api`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

import click

from clew import __version__, api
from clew.cli.streams import print_json
from clew.cli.wiring import (
    FOLDER,
    Commands,
    as_json,
    elsewhere,
    in_project,
    is_debugging,
    narrowed,
    settings_options,
    work,
)
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError

__all__ = ["clew"]


SECTIONS = {
    "Fix": (
        "fix",
        "debug",
        "run",
        "pause",
        "resume",
        "answer",
        "continue",
        "rollback",
        "terminate",
        "apply",
        "ci",
    ),
    "See what was done": ("status", "list", "show", "log", "diff", "checkpoints"),
    "Look into a failure": (
        "diagnose",
        "localize",
        "evidence",
        "bisect",
        "minimize",
        "flakes",
        "context",
        "knowledge",
    ),
    "Work by a plan": ("plan", "revise", "fork", "import", "export", "archive"),
    "Check a result": ("gates",),
    "Agents": ("agents", "prompts", "bench", "hooks", "chain"),
    "This machine": ("doctor", "recover"),
}


WORKING = SECTIONS["Fix"]


class _Group(Commands):
    sections = SECTIONS

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- as click has it
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # nobody reads: that ends a listing well, and work unfinished
            ctx.exit(130 if ctx.invoked_subcommand in WORKING else 0)
        except KeyboardInterrupt as interruption:
            with contextlib.suppress(OSError):  # click would end with this error instead
                click.echo(err=True)
            raise click.Abort from interruption


ENDS = (
    "Exit codes: 0 green, or nothing to do; 1 a person is needed; 2 the command line or a setting"
    " is wrong; 3 the tests could not run; 4 another process holds the session; 130 interrupted."
)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=ENDS,
    params=[elsewhere()],
)
@click.version_option(__version__, prog_name="clew")
def clew() -> None:
    """Fix a failing project in a private copy, and prove the fix.

    Start with `clew doctor`, then `clew fix`. Each command has its own --help.
    """


@clew.command()
@click.argument("path", type=FOLDER, default=Path())
@settings_options(
    *("test_command", "junit", "agent", "review", "challenge", "document"),
    *("profile", "max_iterations"),
    *BOUNDS,
    *("accept", "on_invalid_report", "timeout", "test_timeout", "search_seconds"),
)
@click.option(
    "--again",
    is_flag=True,
    help="Start over, even if a fix or a question waits for you, or a session is at work.",
)
@narrowed
@as_json
@click.pass_obj
def fix(
    runner_args: tuple[str, ...],
    /,
    path: Path,
    *,
    again: bool,
    only: bool,
    json: bool,
    **flags: object,
) -> int:
    """Fix the failing tests of PATH, and prove the fix.

    Arguments after -- go to the test runner. Those that select tests narrow the goal; a fix still
    must not break any other test. Your own files are not touched: Clew works in a private worktree,
    and `clew apply` puts the fix into your tree.
    """
    from clew.cli.showing import show_earlier, show_open

    sessions = api.sessions_at(path)
    settings = api.settings_for(sessions, flags)
    api.check_settings(settings, sessions.project)
    if not again and (state := api.earlier_session(sessions, settings, runner_args, only=only)):
        show_earlier(state, json=json)
        return api.exit_code(state)
    if not again:
        api.check_rival(sessions, runner_args)
    show_open(sessions.listing(), sessions.store.holder)
    return work(
        sessions,
        lambda watcher: api.fix(sessions, settings, watcher, runner_args, only=only),
        json=json,
    )


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@in_project
@as_json
def status(name: str | None, project: Path, *, json: bool) -> int:
    """Show the state of a session and of the sessions it started.

    Without ID: the session that was last worked on.
    """
    from clew.cli.showing import show_status
    from clew.cli.tree import show_children, show_standing

    sessions = api.sessions_at(project)
    if not sessions.listing():
        click.echo("{}" if json else "No active session")
        return 0
    session = sessions.find(name)
    holder = sessions.store.holder(session)
    if not is_debugging(sessions, session):
        return show_standing(sessions, session, json=json)
    state = api.load_state(sessions, session)
    there = api.whereabouts(sessions, state)
    show_status(state, holder, there, sessions.children(session), json=json)
    if not json:
        show_children(sessions, session)
    return 0 if holder else api.exit_code(state)


@clew.command("list")
@in_project
@as_json
def list_(project: Path, *, json: bool) -> int:
    """List the sessions of the project, newest first, each with the sessions it started."""
    from clew.cli.showing import show_list

    sessions = api.sessions_at(project)
    if json:
        for listed in sessions.listing():
            print_json(listed)
    else:
        show_list(api.list_sessions(sessions))
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option(
    "--recording",
    is_flag=True,
    help="Print what its agents answered instead, for `replay:FILE`.",
)
@in_project
@as_json
def show(name: str | None, project: Path, *, recording: bool, json: bool) -> int:
    """Show what happened in a session: the failure, each iteration, the proof, the question."""
    from clew.cli.showing import show_recording, show_session
    from clew.cli.tree import show_standing

    sessions = api.sessions_at(project)
    session = sessions.find(name)
    if recording:
        show_recording(sessions, session)
    elif not is_debugging(sessions, session):
        show_standing(sessions, session, json=json)
    else:
        show_session(sessions, api.load_state(sessions, session), json=json)
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option(
    "-f", "--follow", is_flag=True, help="Show those to come as well, until the session has ended."
)
@in_project
@as_json
def log(name: str | None, project: Path, *, follow: bool, json: bool) -> int:
    """Show every event of a session."""
    from clew.cli.showing import show_log
    from clew.cli.tree import show_raw_log

    sessions = api.sessions_at(project)
    session = sessions.find(name)
    read = api.follow if follow else api.events
    if is_debugging(sessions, session):
        show_log(read(sessions, session), json=json)
    else:
        show_raw_log(read(sessions, session), json=json)
    return 0


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--iteration", type=int, metavar="N", help="What iteration N changed, kept or not.")
@in_project
@as_json
def diff(name: str | None, iteration: int | None, project: Path, *, json: bool) -> int:
    """Show what the session changed, as a diff from your tree at its start."""
    from clew.cli.showing import show_diff

    sessions = api.sessions_at(project)
    if json:
        print_json(api.diff(sessions, name, iteration))
        return 0
    found: str | bytes
    if sys.stdout.isatty():
        found = api.diff(sessions, name, iteration).diff
    else:
        found = api.patch(sessions, name, iteration)
    show_diff(found, iteration, () if found else _tried(sessions, name))
    return 0


def _tried(sessions: api.ProjectSessions, name: str | None) -> tuple[int, ...]:
    """Return the iterations of a session that changed something, kept or not."""
    session = sessions.find(name)
    if not is_debugging(sessions, session):
        return ()
    history = api.load_state(sessions, session).history
    return tuple(entry.iteration for entry in history if entry.commit)


@clew.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--commit", is_flag=True, help="Commit the changed files, and nothing else.")
@click.option("--undo", is_flag=True, help="Take it out of your tree again; your own lines stay.")
@in_project
@as_json
def apply(name: str | None, project: Path, *, commit: bool, undo: bool, json: bool) -> int:
    """Put a session's fix into your tree and its branch into your repository.

    Without ID, this and every other command takes the session that was last worked on.
    """
    from clew.cli.applied import show_applied, show_taken_back

    if undo:
        if commit:
            raise UsageError("--commit and --undo exclude each other", hint="Leave one out.")
        show_taken_back(api.take_back(api.sessions_at(project), name), json=json)
        return 0
    delivery = api.apply(api.sessions_at(project), name, commit=commit)
    show_applied(delivery, json=json, commit=commit)
    return 0


@clew.command()
@click.argument("path", type=FOLDER, default=Path())
@settings_options("test_command", "junit", "timeout")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="How many suspects."
)
@as_json
@click.pass_obj
def localize(
    runner_args: tuple[str, ...], /, path: Path, top: int, *, json: bool, **flags: object
) -> int:
    """Rank the lines of PATH that may hold the fault; changes nothing."""
    sessions = api.sessions_at(path)
    run, suspects = api.localize(sessions, api.settings_for(sessions, flags), runner_args)
    from clew.cli.suspecting import show_suspects

    return show_suspects(run, suspects[:top], json=json)


@clew.command("work-on", hidden=True)
@click.argument("kind")
@click.argument("session")
@click.argument("parent")
@click.argument("number", type=int)
@in_project
def work_on(kind: str, session: str, parent: str, number: int, project: Path) -> int:
    """Work on a session that another one began, as that one has it done."""
    api.work_on(api.sessions_at(project), kind, session, parent, number)
    return 0


@clew.command()
@in_project
@as_json
def doctor(project: Path, *, json: bool) -> int:
    """Check what works on this machine and what is missing."""
    from clew.cli.doctor import show_findings

    return show_findings(api.examine(project), json=json)
