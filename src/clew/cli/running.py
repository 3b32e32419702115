"""`clew run`: a plan carried out by agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew import api
from clew.cli.streams import json_line, say
from clew.cli.wiring import as_json, in_project, settings_options
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.sessions import ProjectSessions, SessionStatus, Watcher

__all__ = ["apply_other", "fork", "run", "show_plan_end", "work_other"]


@click.command()
@click.argument("plan", type=click.Path(path_type=Path, dir_okay=True, exists=False))
@settings_options(agent="Who carries out phases and repairs.")
@click.option(
    "--parallel",
    type=click.IntRange(1, 16),
    default=3,
    show_default=True,
    metavar="N",
    help="Phases at work side by side.",
)
@settings_options("test_command", *BOUNDS)
@in_project
@as_json
def run(plan: Path, project: Path, parallel: int, *, json: bool, **flags: Any) -> int:  # noqa: ANN401 - of many types
    """Carry out PLAN: each phase by an agent in a worktree of its own, held against gates, merged.

    A phase whose tests fail is repaired by a debugging session. Your own files are not touched:
    `clew apply` brings the result over.
    """
    from clew.cli.watching_plans import watching_plan
    from clew.flows.plan import working
    from clew.flows.plan.kind import status_of

    sessions = api.sessions_at(project)
    settings = api.settings_for(sessions, flags)
    with watching_plan(json=json) as watcher:
        state = working.start(sessions, settings, plan, watcher, parallel=parallel)
    return show_plan_end(status_of(state), json=json)


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--at", "target", required=True, metavar="CHECKPOINT", help="Where to begin.")
@click.option(
    "--with-context", "context", metavar="TEXT", default="", help="What the agents should know."
)
@settings_options(agent="Who carries out phases now; by default who did.")
@in_project
@as_json
def fork(
    name: str | None,
    target: str,
    context: str,
    project: Path,
    *,
    json: bool,
    agent: str | None,
) -> int:
    """Try another way beside a plan's first one: a session of its own, from a checkpoint on.

    CHECKPOINT is `start`, or a phase as in `phase:2`. The first session stays as it is.
    """
    from clew.cli.watching_plans import watching_plan
    from clew.flows.plan import forking
    from clew.flows.plan.kind import status_of

    sessions = api.sessions_at(project)
    session = sessions.find(name)
    settings = api.settings_for(sessions, {"agent": agent}) if agent else None
    with watching_plan(json=json) as watcher:
        state = forking.fork(sessions, session, target, watcher, text=context, settings=settings)
    return show_plan_end(status_of(state), json=json)


def apply_other(
    sessions: ProjectSessions, status: SessionStatus, *, commit: bool, json: bool
) -> int:
    """Put what a session of whatever kind came to into the person's tree; return the exit code."""
    from clew.cli.showing import show_applied
    from clew.git.worktrees import Wording

    session = status.session
    if not status.commit or status.commit == status.base:
        raise UsageError(
            f"session {session} has changed nothing yet", hint=f"`clew status {session}` shows it."
        )
    done = status.exit_code == 0
    claim = f"Carried out by Clew in session {session}"
    message = status.goal if done else f"{status.goal} (unfinished)"
    with sessions.store.hold(session):
        applied = sessions.repository.apply(
            session,
            status.base,
            status.commit,
            wording=Wording(message, claim) if commit else None,
        )
    show_applied(applied, session, proven=True, json=json)
    if not done and not json:
        say("The plan is not finished: this is what has passed its gates so far.", err=True)
    return 0


def work_other(drive: Callable[[Watcher], SessionStatus], *, json: bool) -> int:
    """Work on a session of whatever kind while a person looks on; return the exit code."""
    from clew.cli.watching_plans import watching_plan

    with watching_plan(json=json) as watcher:
        status = drive(watcher)
    return show_plan_end(status, json=json)


def show_plan_end(status: SessionStatus, *, json: bool) -> int:
    """Say what a plan came to, and what to type next; return the exit code."""
    if json:
        click.echo(json_line(status))
        return status.exit_code
    say()
    say(f"{status.session}  {status.status}, {status.stage}")
    for line in status.lines:
        say(f"  {line}")
    if status.question:
        say()
        say(status.question.text)
        for option in getattr(status.question, "options", ()):
            say(f"  {option.word:<8} {option.text}:  {option.command}")
    elif status.exit_code == 0:
        say()
        say(f"see it:   clew diff {status.session}")
        say(f"take it:  clew apply {status.session}")
    return status.exit_code
