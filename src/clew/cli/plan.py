"""`clew plan`: a plan of phases, checked, shown, begun from a template or by an agent, approved."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import click

from clew import api
from clew.cli.streams import json_line, say
from clew.cli.wiring import Commands, as_json, settings_options
from clew.words.printable import one_line, printable

__all__ = ["plan"]

_PATH = click.Path(path_type=Path)
FORMATS = ("table", "mermaid", "svg", "json")
LESSONS = ".clew/learnings.md"
BY_SUFFIX = {".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".json": "json"}


@click.group(cls=Commands)
def plan() -> None:
    """Check, show and approve a plan: the phases that agents carry out."""


@plan.command()
@click.argument("path", type=_PATH)
@as_json
def check(path: Path, *, json: bool) -> int:
    """Say all that is wrong with a plan, each with its line.

    PATH is a plan's file, of any form, or a folder of task files. Exit codes: 0 it can be carried
    out, whatever it is warned of; 1 it cannot; 2 it cannot be read at all.
    """
    from clew.cli.plan_views import sized, summary, tell, verdict

    checked = api.check_plan(path)
    tell(checked.findings, json=json)
    if json:
        click.echo(json_line(summary(checked)))
    else:
        size = f"{sized(checked)}; " if checked.waves else ""
        say(f"{path}: {size}{verdict(checked.findings)}")
    return 1 if checked.errors else 0


@plan.command()
@click.argument("path", type=_PATH)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="By default a table, or as FILE ends."
)
@click.option("-o", "--output", type=_PATH, metavar="FILE", help="Write it there.")
@as_json
def show(path: Path, form: str | None, output: Path | None, *, json: bool) -> int:
    """Show a plan: its phases, what may run side by side, the longest chain.

    A file that ends in .svg, .mmd or .json is written as that. Exit codes: 0 shown; 1 the phases
    have no order, for the reasons that are said; 2 it cannot be read at all.
    """
    from clew.cli.plan_views import page, record, tell

    checked = api.check_plan(path)
    if checked.waves is None:
        tell(checked.findings, json=json)
        return 1
    match form or (output and BY_SUFFIX.get(output.suffix)) or ("json" if json else "table"):
        case "mermaid":
            text = api.mermaid(checked.plan)
        case "svg":
            text = api.svg(checked.plan)
        case "json":
            text = json_line(record(checked)).decode() + "\n"
        case _:
            text = "\n".join([*page(checked), ""])
    if output is None:
        click.echo(printable(text), nl=False)
    else:
        api.write_out(output, text.encode())
        say(f"written: {output}", err=json)
    return 0


@plan.command()
@as_json
def learnings(*, json: bool) -> int:
    """List what failed more than once in phases of plans, as later phases are told it.

    The list is `.clew/learnings.md`, which is yours to edit.
    """
    sessions = api.sessions_at(Path())
    found = api.learnings(sessions)
    if json:
        from msgspec.structs import asdict

        for lesson in found:
            click.echo(json_line({"type": "Lesson", **asdict(lesson)}))
        return 0
    for lesson in found:
        say(f"{lesson.weight:>3} times  {one_line(lesson.title)}")
        if lesson.files:
            say(f"           in {one_line(', '.join(lesson.files))}")
    say(f"edit them:  {LESSONS}" if found else "no plan taught anything so far")
    return 0


@plan.command()
@click.argument("name")
@as_json
def new(name: str, *, json: bool) -> int:
    """Begin a plan from a template.

    NAME is what it is about, and the plan is `plans/NAME.md` then; or it is a path. A file that is
    there already is left alone, and the exit code is 2.
    """
    path = api.new_plan(name)
    if json:
        click.echo(json_line({"type": "PlanCreated", "path": str(path)}))
    else:
        say(f"{path}: edit it, then `clew plan check {quote(str(path))}`")
    return 0


@plan.command()
@click.argument("goal")
@settings_options(agent="Who writes it: the first of the ladder that is not built in.")
@click.option("-o", "--output", type=_PATH, metavar="FILE", help="Write it there.")
@as_json
def draft(goal: str, agent: str | None, output: Path | None, *, json: bool) -> int:
    """Have an agent propose a plan for GOAL, with its design.

    The plan is held to the rules of `clew plan check` and written to `plans`, under its title, as
    a draft: `clew run` refuses it until you approve it. The agent changes nothing else.
    """
    from clew.cli.plan_views import sized, tell, verdict
    from clew.cli.watching_plans import watching_plan

    sessions = api.sessions_at(Path())
    settings = api.settings_for(sessions, {"agent": agent})
    with watching_plan(json=json) as watcher:
        found = api.draft_plan(sessions, settings, goal, watcher, path=output)
    checked = api.check_plan(Path(found.path))
    tell(checked.findings, json=json)
    if json:
        from msgspec.structs import asdict

        click.echo(json_line({"type": "PlanDrafted", **asdict(found)}))
        return 0
    path = os.path.relpath(found.path)
    typed = quote(path)
    say(f"{path}: a draft by {found.agent}, {sized(checked)}; {verdict(checked.findings)}")
    if found.design:
        say(f"{os.path.relpath(found.design)}: its design")
    say(f"Read it with `clew plan show {typed}`; edit it; `clew plan approve {typed}` lets it run.")
    return 0


@plan.command()
@click.argument("path", type=_PATH)
@as_json
def approve(path: Path, *, json: bool) -> int:
    """Approve a plan as it is now; an edit takes the approval away.

    Exit codes: 0 approved; 1 something is wrong with it, and it is not; 2 it cannot be read at all.
    """
    from clew.cli.plan_views import sized, tell, verdict

    checked = api.check_plan(path)
    tell(checked.findings, json=json)
    if checked.errors:
        say(f"{path} is not approved: {verdict(checked.findings)}", err=True)
        return 1
    approval = api.approve_plan(path)
    if json:
        said = {"path": str(path), "digest": approval.digest, "at": approval.at}
        click.echo(json_line({"type": "PlanApproved", **said}))
    else:
        say(f"{path} is approved: {sized(checked)}; {approval.digest[:12]}")
    return 0
