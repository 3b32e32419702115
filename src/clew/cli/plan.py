"""`clew plan`: a plan of phases, checked, shown, begun from a template, approved."""

from __future__ import annotations

from pathlib import Path

import click

from clew.cli.streams import json_line, say
from clew.cli.wiring import Commands, as_json
from clew.words.errors import UsageError
from clew.words.printable import printable
from clew.words.slugs import slug

__all__ = ["plan"]

_PATH = click.Path(path_type=Path)
FORMATS = ("table", "mermaid", "svg", "json")
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
    from clew.cli.plan_views import agents_around, in_order, sized, summary, tell, verdict
    from clew.documents.plans import examine
    from clew.sessions.plans import PlanFile

    file = PlanFile.at(path)
    found, findings = examine(file.texts, agents_around(file))
    tell(findings, json=json)
    if json:
        click.echo(json_line(summary(found, findings)))
    else:
        size = f"{sized(found)}; " if in_order(found, findings) else ""
        say(f"{path}: {size}{verdict(findings)}")
    return 1 if any(finding.is_error for finding in findings) else 0


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
    from clew.cli.plan_views import agents_around, in_order, page, record, tell
    from clew.documents.plans import examine, pictures
    from clew.sessions.plans import PlanFile

    file = PlanFile.at(path)
    found, findings = examine(file.texts, agents_around(file))
    if not in_order(found, findings):
        tell(findings, json=json)
        return 1
    match form or (output and BY_SUFFIX.get(output.suffix)) or ("json" if json else "table"):
        case "mermaid":
            text = pictures.mermaid(found)
        case "svg":
            text = pictures.svg(found)
        case "json":
            text = json_line(record(found, file, findings)).decode() + "\n"
        case _:
            text = "\n".join([*page(found, file, findings), ""])
    if output is None:
        click.echo(printable(text), nl=False)
    else:
        _write(output, text)
        say(f"written: {output}", err=json)
    return 0


@plan.command()
@click.argument("name")
@as_json
def new(name: str, *, json: bool) -> int:
    """Begin a plan from a template.

    NAME is what it is about, and the plan is `plans/NAME.md` then; or it is a path. A file that is
    there already is left alone, and the exit code is 2.
    """
    from clew.documents.templating import fill
    from clew.sandbox.files import create_exclusively

    path = Path(name) if "/" in name or name.endswith(".md") else Path("plans", _file_name(name))
    path = path if path.suffix else path.with_name(f"{path.name}.md")
    title = slug(path.stem, " ").capitalize()
    try:
        create_exclusively(path, fill("clew.documents", "plan", title=title).encode())
    except FileExistsError as error:
        raise UsageError(
            f"{path} is there already, and was left alone", hint="Give the plan another name."
        ) from error
    except OSError as error:
        raise _unwritable(path, error) from error
    if json:
        click.echo(json_line({"type": "PlanCreated", "path": str(path)}))
    else:
        say(f"{path}: edit it, then `clew plan check {path}`")
    return 0


@plan.command()
@click.argument("path", type=_PATH)
@as_json
def approve(path: Path, *, json: bool) -> int:
    """Approve a plan as it is now; an edit takes the approval away.

    Exit codes: 0 approved; 1 something is wrong with it, and it is not; 2 it cannot be read at all.
    """
    from clew.cli.plan_views import agents_around, sized, tell, verdict
    from clew.documents.plans import examine
    from clew.sessions.plans import PlanApprovals, PlanFile

    file = PlanFile.at(path)
    found, findings = examine(file.texts, agents_around(file))
    tell(findings, json=json)
    if any(finding.is_error for finding in findings):
        say(f"{path} is not approved: {verdict(findings)}", err=True)
        return 1
    approval = PlanApprovals.around(file).approve(file)
    if json:
        said = {"path": str(path), "digest": approval.digest, "at": approval.at}
        click.echo(json_line({"type": "PlanApproved", **said}))
    else:
        say(f"{path} is approved: {sized(found)}; {approval.digest[:12]}")
    return 0


def _file_name(name: str) -> str:
    if not (found := slug(name)):
        raise UsageError(f"{name!r} names no plan", hint="Use letters or digits.")
    return f"{found}.md"


def _write(path: Path, text: str) -> None:
    from clew.sandbox.files import write_atomically

    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {error.strerror}", hint="Name another place.")
