"""What a person may say to a session: go on, go back, skip, end it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.streams import say
from clew.cli.wiring import (
    as_json,
    in_project,
    is_debugging,
    settings_options,
    work,
)
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError

if TYPE_CHECKING:
    from clew.api import ProjectSessions

__all__ = ["COMMANDS"]

_SESSION = click.argument("name", required=False, metavar="[ID]")
_CONTEXT = click.option(
    "--with-context", "context", metavar="TEXT", default="", help="What the agents should know."
)


@click.command()
@_SESSION
@_CONTEXT
@settings_options(test_command="Another command for tests that could not run.")
@settings_options("junit", agent="Other agents, tried in turn, for the rounds that begin.")
@settings_options(*BOUNDS)
@in_project
@as_json
def resume(name: str | None, context: str, project: Path, *, json: bool, **flags: object) -> int:
    """Continue a session that was interrupted or is waiting for you.

    If it is waiting, Clew tests what you changed by hand in your tree or in its worktree; with
    --with-context it tries again with what you know, and with --agent other agents do, who get all
    that was found out and tried. If its tests could not run so far, Clew reads
    their settings again; --test-command names another command. The limits hold for the next round
    and count from its start. A plan that is at work takes `[gates]` that you corrected.
    """
    from clew.cli.showing import show_ended

    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    debugging = is_debugging(sessions, session)
    if debugging and all(value is None for value in flags.values()):
        state = api.load_state(sessions, session)
        if state.ended:
            show_ended(sessions, state, json=json)
            return api.exit_code(state)
    at_work = sessions.store.holder(session)
    code = work(
        sessions,
        lambda watcher: api.resume(sessions, session, watcher, guidance=context, settings=flags),
        kind=sessions.listed(session).kind,
        json=json,
    )
    return 0 if at_work else code


@click.command(context_settings={"ignore_unknown_options": True})  # a value may be -1
@click.argument("name", metavar="ID")
@click.argument("option", metavar="OPTION", default="")
@click.argument("words", nargs=-1, metavar="[TEXT]")
@in_project
@as_json
def answer(name: str, option: str, words: tuple[str, ...], project: Path, *, json: bool) -> int:
    """Answer the question of session ID by number, by word or in your own words.

    Your own words are guidance for the agents; `rollback` takes a checkpoint. Where Clew asks which
    of two changes is right, `value` takes what the call has to give, as Python writes it. That
    becomes a test beside the failing one, which decides. A plan that is at work takes the answer
    and goes on.
    """
    sessions = api.sessions_at(project)
    session = sessions.find(name)
    at_work = sessions.store.holder(session)
    code = work(
        sessions,
        lambda watcher: api.answer(sessions, session, option, " ".join(words), watcher),
        kind=sessions.listed(session).kind,
        json=json,
    )
    return 0 if at_work else code


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[ID] CHECKPOINT")
@_CONTEXT
@in_project
@as_json
def rollback(words: tuple[str, ...], context: str, project: Path, *, json: bool) -> int:
    """Return to a checkpoint, or to an iteration by its number, and try another approach.

    What was tried since then stays on record and is not tried again.
    """
    if len(words) > 2:  # noqa: PLR2004 -- ID and CHECKPOINT
        raise click.UsageError(f"too many words: {words[2]}")
    sessions = api.sessions_at(project)
    session = sessions.find(words[0] if words[1:] else None)
    code = work(
        sessions,
        lambda watcher: api.rollback(sessions, session, words[-1], watcher, guidance=context),
        kind=sessions.listed(session).kind,
        json=json,
    )
    if sessions.repository.still_applied(session):
        undo = f"`clew apply --undo {session}` takes it out"
        say(f"your files still hold the change that `clew apply` put there: {undo}", err=json)
    return code


@click.command("continue")
@_SESSION
@click.option("--skip-tests", is_flag=True, help="Record the failing tests as known issues.")
@in_project
@as_json
def continue_(name: str | None, project: Path, *, skip_tests: bool, json: bool) -> int:
    """Accept the failing tests as known issues; the exit code stays 1."""
    if not skip_tests:
        raise click.UsageError(
            "Add --skip-tests to accept the failing tests, or `clew resume` to go on fixing."
        )
    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    return work(
        sessions,
        lambda watcher: api.answer(sessions, session, "skip", watcher=watcher),
        kind=sessions.listed(session).kind,
        json=json,
    )


@click.command()
@_SESSION
@in_project
@as_json
def terminate(name: str | None, project: Path, *, json: bool) -> int:
    """End a session now; all work is kept."""
    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    return work(
        sessions,
        lambda watcher: api.terminate(sessions, session, watcher),
        kind=sessions.listed(session).kind,
        json=json,
    )


@click.command()
@_SESSION
@in_project
def pause(name: str | None, project: Path) -> int:
    """Stop the process that works on a session, as Ctrl-C does; `clew resume` continues."""
    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    api.pause(sessions, session)
    say(f"session {session} is paused: `clew resume {session}` continues it")
    return 0


@click.command()
@click.argument("words", nargs=-1, metavar="[ID] [CHECKPOINT]")
@in_project
@as_json
def checkpoints(words: tuple[str, ...], project: Path, *, json: bool) -> int:
    """List the checkpoints that `clew rollback` can return to, or show one."""
    from clew.cli.checkpoint import show_checkpoint
    from clew.cli.showing import show_checkpoints
    from clew.cli.tree import show_plan_checkpoints

    if len(words) > 2:  # noqa: PLR2004 -- ID and CHECKPOINT
        raise click.UsageError(f"too many words: {words[2]}")
    sessions = api.sessions_at(project)
    session = sessions.find(words[0] if words[1:] else None)
    if len(words) < 2 and (plan := _plan_named(sessions, words)):  # noqa: PLR2004 -- as above
        show_plan_checkpoints(sessions, plan, json=json)
        return 0
    if words[1:] or (words and api.load_state(sessions, session).mark(words[0])):
        show_checkpoint(api.checkpoint(sessions, session, words[-1]), json=json)
    else:
        session = sessions.find(words[0]) if words else session
        show_checkpoints(api.load_state(sessions, session), json=json)
    return 0


def _plan_named(sessions: ProjectSessions, words: tuple[str, ...]) -> str:
    """Return the plan's session that is meant; nothing where it is of another kind."""
    try:
        session = sessions.find(words[0] if words else None)
    except UsageError:
        return ""
    return session if sessions.listed(session).kind == "plan" else ""


COMMANDS = (answer, checkpoints, continue_, pause, resume, rollback, terminate)
