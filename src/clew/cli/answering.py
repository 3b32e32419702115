"""What a person may say to a session: go on, go back, skip, end it."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.running import work_other
from clew.cli.streams import say
from clew.cli.wiring import (
    as_json,
    in_project,
    other_kind,
    settings_options,
    work,
)
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError

__all__ = ["COMMANDS"]

_SESSION = click.argument("name", required=False, metavar="[ID]")
_CONTEXT = click.option(
    "--with-context", "context", metavar="TEXT", default="", help="What the agents should know."
)


@click.command()
@_SESSION
@_CONTEXT
@settings_options(test_command="How the tests are run, if they were not.")
@settings_options("junit", *BOUNDS)
@in_project
@as_json
def resume(name: str | None, context: str, project: Path, *, json: bool, **flags: object) -> int:
    """Go on with a session that was interrupted, or that waits.

    If it waits, what you changed by hand, in your tree or in its worktree, is taken along and
    tested; with --with-context it tries again from where it stands, told what you know. While its
    tests could not run yet, their settings are read again, and --test-command names another way.
    The bounds hold for the round that begins then, and count from its beginning.
    """
    from clew.cli.showing import show_ended
    from clew.flows.debugging import working
    from clew.flows.debugging.sessions import exit_code, load_state

    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    bounds = {bound: flags.pop(bound) for bound in BOUNDS}
    if (kind := other_kind(sessions, session)) is not None:
        options = {name: value for name, value in bounds.items() if value is not None}
        options |= {"guidance": context} if context else {}
        return work_other(
            lambda watcher: kind.resume(sessions, session, watcher, options), json=json
        )
    given = any(flags.values()) or any(value is not None for value in bounds.values())
    if (state := load_state(sessions, session)).ended and not given:
        show_ended(sessions, state, json=json)
        return exit_code(state)
    if context and any(flags.values()):
        raise click.UsageError("--with-context is for the agents: first have the tests run")
    if context:
        return work(
            sessions,
            lambda watcher: working.answer(
                sessions, session, "guidance", context, watcher, bounds=bounds
            ),
            json=json,
        )
    return work(
        sessions,
        lambda watcher: working.resume(sessions, session, watcher, flags, bounds=bounds),
        json=json,
    )


@click.command()
@click.argument("name", metavar="ID")
@click.argument("option", metavar="OPTION", default="")
@click.argument("words", nargs=-1, metavar="[TEXT]")
@in_project
@as_json
def answer(name: str, option: str, words: tuple[str, ...], project: Path, *, json: bool) -> int:
    """Answer the question that session ID waits with, by number, by word or in free words.

    Free words are guidance for the agents; `rollback` takes a checkpoint.
    """
    from clew.flows.debugging import working

    sessions = api.sessions_at(project)
    session, text = sessions.find(name), " ".join(words)
    if (kind := other_kind(sessions, session)) is not None:
        return work_other(
            lambda watcher: kind.answer(sessions, session, option, text, watcher), json=json
        )
    return work(
        sessions,
        lambda watcher: working.answer(sessions, session, option, text, watcher),
        json=json,
    )


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[ID] CHECKPOINT")
@_CONTEXT
@in_project
@as_json
def rollback(words: tuple[str, ...], context: str, project: Path, *, json: bool) -> int:
    """Go back to a checkpoint, or an iteration by its number, and try otherwise from there.

    What was tried since stays on record, so that it is not tried again.
    """
    from clew.flows.debugging import working

    if len(words) > 2:  # noqa: PLR2004 -- ID and CHECKPOINT
        raise click.UsageError(f"too many words: {words[2]}")
    sessions = api.sessions_at(project)
    session = sessions.find(words[0] if words[1:] else None)
    if (kind := other_kind(sessions, session)) is not None:
        return work_other(
            lambda watcher: kind.roll_back(sessions, session, words[-1], context, watcher),
            json=json,
        )
    return work(
        sessions,
        lambda watcher: working.roll_back(sessions, session, words[-1], context, watcher),
        json=json,
    )


@click.command("continue")
@_SESSION
@click.option("--skip-tests", is_flag=True, help="Leave the failing tests as known issues.")
@in_project
@as_json
def continue_(name: str | None, project: Path, *, skip_tests: bool, json: bool) -> int:
    """Go on although tests fail: they are recorded as known issues, and the exit code stays 1."""
    from clew.flows.debugging import working

    if not skip_tests:
        raise click.UsageError("say --skip-tests; `clew resume` goes on with mending")
    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    return work(
        sessions, lambda watcher: working.answer(sessions, session, "skip", "", watcher), json=json
    )


@click.command()
@_SESSION
@in_project
@as_json
def terminate(name: str | None, project: Path, *, json: bool) -> int:
    """End a session where it stands; all work is kept."""
    from clew.flows.debugging import working

    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    if (kind := other_kind(sessions, session)) is not None:
        return work_other(lambda watcher: kind.terminate(sessions, session, watcher), json=json)
    return work(sessions, lambda watcher: working.terminate(sessions, session, watcher), json=json)


@click.command()
@_SESSION
@in_project
def pause(name: str | None, project: Path) -> int:
    """Stop the process that works on a session, as Ctrl-C does; `clew resume` continues."""
    import os
    import signal

    sessions = api.sessions_at(project)
    session = sessions.find(name, unfinished=True)
    holder = sessions.store.holder(session)
    if holder is None:
        raise UsageError(
            f"nobody works on session {session}", hint=f"`clew resume {session}` continues it."
        )
    os.kill(holder.pid, signal.SIGINT)
    say(f"session {session} is paused: `clew resume {session}` continues it")
    return 0


@click.command()
@click.argument("words", nargs=-1, metavar="[ID] [CHECKPOINT]")
@in_project
@as_json
def checkpoints(words: tuple[str, ...], project: Path, *, json: bool) -> int:
    """List the checkpoints that `clew rollback` goes back to, or show one of them."""
    from clew.cli.checkpoint import show_checkpoint
    from clew.cli.showing import show_checkpoints
    from clew.flows.debugging.sessions import load_state
    from clew.flows.debugging.working import mark_of

    if len(words) > 2:  # noqa: PLR2004 -- ID and CHECKPOINT
        raise click.UsageError(f"too many words: {words[2]}")
    sessions = api.sessions_at(project)
    state = load_state(sessions, sessions.find(words[0] if words[1:] else None))
    if words[1:] or (words and state.mark(words[0])):
        show_checkpoint(state, mark_of(state, words[-1]), json=json)
    else:
        show_checkpoints(
            load_state(sessions, sessions.find(words[0])) if words else state, json=json
        )
    return 0


COMMANDS = (answer, checkpoints, continue_, pause, resume, rollback, terminate)
