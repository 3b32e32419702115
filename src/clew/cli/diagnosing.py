"""`clew diagnose`: the cause of what fails, told; nothing is changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.cli.wiring import as_json, desk_at, in_project, settings_for

if TYPE_CHECKING:
    from clew.diagnosing import Told
    from clew.facts import Option

__all__ = ["diagnose"]


@click.command()
@click.argument("what", required=False, metavar="[ID|PATH]")
@click.option("--agent", metavar="NAME", default="repair", help="Who is asked.", show_default=True)
@click.option("--test-command", metavar="COMMAND", help="How the tests are run.")
@click.option("--timeout", type=float, metavar="S", help="Seconds for one run of the tests.")
@click.option("--test-timeout", type=float, metavar="S", help="Seconds for one test.")
@click.option("--search-seconds", type=float, metavar="S", help="Seconds for a repair search.")
@in_project
@as_json
@click.pass_obj
def diagnose(
    runner_args: tuple[str, ...],
    /,
    what: str | None,
    project: Path,
    agent: str,
    *,
    json: bool,
    **flags: object,
) -> int:
    r"""Say why the tests of PATH fail, or what was last found in the session ID.

    For a PATH, by default the present folder, the tests are run on a snapshot, and an agent is
    asked for the cause. Your tree stays as it is, no session is opened, no report is written. For
    an ID nothing is run at all.

    \b
    Exit codes: 0 the cause is told, or all tests pass · 1 the agent gave no diagnosis that can be
    used · 2 bad usage · 3 the tests could not run · 4 another `clew diagnose` runs here
    """
    from clew import diagnosing

    if what is not None and not Path(what).is_dir():
        desk = desk_at(project)
        return _show(diagnosing.last_diagnosis(desk, desk.find(what)), json=json)
    desk = desk_at(project if what is None else Path(what))
    found = diagnosing.diagnose(desk, settings_for(desk, flags), agent, runner_args)
    if isinstance(found, diagnosing.Told):
        return _show(found, json=json)
    from clew.errors import TestsDidNotRun
    from clew.facts import Verdict

    if found.verdict is Verdict.DID_NOT_RUN:
        raise TestsDidNotRun(f"the tests did not run: {found.reason}")
    click.echo("{}" if json else "All tests pass; there is nothing to diagnose.")
    return 0


def _show(told: Told, *, json: bool) -> int:
    from clew.agents.form import printed
    from clew.cli.showing import print_json
    from clew.printable import printable

    if json:
        print_json(printed(told.diagnosis, told.category, told.cause))
    else:
        click.echo(printable("\n".join(_account(told))).rstrip())
    return 0


def _account(told: Told) -> list[str]:
    found, cause = told.diagnosis, told.cause
    place = f"{found.path}:{found.line}" if found.line else found.path
    why = " ".join(filter(None, (cause.cause_class, cause.subclass)))
    lines = [found.title, "", *_wrapped(found.root_cause), ""]
    lines += [f"kind     {found.category} ({why})"]
    lines += [f"place    {place}"] if place else []
    lines += [f"sure     {found.confidence}: {found.confidence_reason}"]
    if found.elsewhere:
        lines += [f"outside  {found.elsewhere}"]
    if found.context:
        lines += ["", *(f"  {line}" for line in found.context.splitlines())]
    if found.evidence:
        lines += ["", "evidence", *(f"  - {line}" for line in found.evidence)]
    for number, option in enumerate(found.options, 1):
        lines += ["", *_option(number, option, chosen=number == found.recommended)]
    return lines


def _option(number: int, option: Option, *, chosen: bool) -> list[str]:
    lines = [f"option {number}{' (recommended)' if chosen else ''}: {option.title}"]
    if option.approach and option.approach != option.title:
        lines += _wrapped(option.approach, "  ")
    return lines + [f"  {line}" for line in option.diff.splitlines()]


def _wrapped(text: str, indent: str = "") -> list[str]:
    import textwrap

    if not sys.stdout.isatty():
        return [indent + line for line in text.splitlines()]
    return textwrap.wrap(text, 96, initial_indent=indent, subsequent_indent=indent)
