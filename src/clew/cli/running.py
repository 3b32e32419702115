"""`clew run`: a plan carried out by agents."""

from __future__ import annotations

from pathlib import Path

import click

from clew import api
from clew.cli.wiring import as_json, in_project, settings_options, work
from clew.words.declared import BOUNDS
from clew.words.errors import UsageError

__all__ = ["fork", "revise", "run"]


@click.command()
@click.argument("plan", type=click.Path(path_type=Path, dir_okay=True, exists=False))
@settings_options(agent="The ladder of agents for phases and repairs.")
@click.option(
    "--parallel",
    type=click.IntRange(1, 16),
    default=3,
    show_default=True,
    metavar="N",
    help="Phases that run at the same time.",
)
@click.option("--review-merges", "review", is_flag=True, help="Ask before a phase is merged.")
@click.option("--preview", is_flag=True, help="Say what it may take; run nothing.")
@settings_options("test_command", "merge_batch", *BOUNDS)
@in_project
@as_json
def run(
    plan: Path,
    project: Path,
    parallel: int,
    *,
    review: bool,
    preview: bool,
    json: bool,
    **flags: object,
) -> int:
    """Carry out PLAN: an agent does each phase in its own worktree, gates decide what is merged.

    A debugging session repairs a phase whose tests fail. Your own files are not touched: `clew
    apply` puts the result into your tree.
    """
    sessions = api.sessions_at(project)
    settings = api.settings_for(sessions, flags)
    if preview:
        from clew.cli.plan_views import show_forecast

        show_forecast(api.forecast(sessions, settings, plan, parallel=parallel), json=json)
        return 0
    return work(
        sessions,
        lambda watcher: api.run_plan(
            sessions, settings, plan, watcher, parallel=parallel, review=review
        ),
        kind="plan",
        json=json,
    )


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--plan", "path", type=click.Path(path_type=Path), help="The plan as you want it.")
@click.option("--undo", is_flag=True, help="Take the newest change of the plan back.")
@in_project
@as_json
def revise(name: str | None, path: Path | None, project: Path, *, undo: bool, json: bool) -> int:
    """Change the plan of a session, and continue; one at work takes the change and goes on.

    `--plan` names the plan as you edited it. Phases that are running, merged or skipped stay as
    they are. `--undo` takes back the newest change, whoever made it: you, an agent or a rule.
    """
    if undo == (path is not None):
        raise UsageError("say what to revise: one of --plan FILE and --undo")
    sessions = api.sessions_at(project)
    at_work = sessions.store.holder(sessions.find(name, unfinished=True))
    code = work(
        sessions,
        lambda watcher: api.revise_plan(sessions, name, path, watcher),
        kind="plan",
        json=json,
    )
    return 0 if at_work else code


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
    sessions = api.sessions_at(project)
    settings = api.settings_for(sessions, {"agent": agent}) if agent else None
    return work(
        sessions,
        lambda watcher: api.fork_plan(
            sessions, name, target, watcher, guidance=context, settings=settings
        ),
        kind="plan",
        json=json,
    )
