"""`clew gates`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew import api
from clew.cli.wiring import FOLDER, as_json, settings_options

if TYPE_CHECKING:
    from clew.words.gates import GateCommand, GateResult, GateStatus

__all__ = ["gates"]

EXIT_CODES = {"pass": 0, "warn": 0, "fail": 1, "did_not_run": 3}


@click.command()
@click.argument("path", type=FOLDER, default=Path())
@click.option(
    "--only", multiple=True, metavar="NAME", help="Only this gate or this kind; repeatable."
)
@click.option("--base", metavar="REV", help="Count only what is new since this commit.")
@click.option("--list", "list_only", is_flag=True, help="List the gates; run none.")
@settings_options("test_command", "gate_timeout")
@as_json
def gates(
    path: Path,
    only: tuple[str, ...],
    base: str | None,
    *,
    list_only: bool,
    json: bool,
    **flags: object,
) -> int:
    """Run the gates of PATH: the checks that decide whether a result counts.

    Clew reads them from the project's own configuration and runs them on a private copy of your
    tree. Exit codes: 0 none fails; 1 some fail; 3 one that has to run could not. One has to run if
    the project asks for it, or --only names it; tests, if there are some or a command for them.
    """
    sessions = api.sessions_at(path)
    settings = api.settings_for(sessions, flags)
    if list_only:
        _show_list(api.gates_listed(sessions, settings, only, base), json=json)
        return 0
    found = api.gates(sessions, settings, only, base, _print if json else _say)
    _show_verdict(found.verdict, found.results, json=json)
    return EXIT_CODES[found.verdict.value]


def _print(result: GateResult) -> None:
    import msgspec

    from clew.cli.streams import json_line

    click.echo(json_line({"type": "GateResult", **msgspec.to_builtins(result)}))


def _say(result: GateResult) -> None:
    from clew.cli.streams import say
    from clew.gates import lines

    for line in lines(result):
        say(line)


def _show_list(found: tuple[GateCommand, ...], *, json: bool) -> None:
    import msgspec

    from clew.cli.streams import json_line, say
    from clew.gates import listed

    if json:
        for gate in found:
            click.echo(json_line({"type": "Gate", **msgspec.to_builtins(gate)}))
        return
    for line in listed(found):
        say(line)


def _show_verdict(said: GateStatus, results: tuple[GateResult, ...], *, json: bool) -> None:
    from clew.cli.streams import json_line, say
    from clew.words.gates import GateStatus
    from clew.words.printable import one_line

    counts = {each.value: sum(r.status is each for r in results) for each in GateStatus}
    if json:
        click.echo(json_line({"type": "Summary", "verdict": said, **counts}))
        return
    warned = any(each.status is GateStatus.WARN for each in results)
    words = {
        GateStatus.PASS: "All gates pass.",
        GateStatus.WARN: f"No gate fails{'; read their warnings' * warned}.",
        GateStatus.FAIL: "Some gates fail.",
        GateStatus.DID_NOT_RUN: "Some gates that have to run could not.",
    }
    say()
    say(words[said] if results else "There was no gate to run.")
    if lost := [one_line(r.name) for r in results if r.status is GateStatus.DID_NOT_RUN]:
        say(f"Of what did not run nothing is known: {', '.join(lost)}.")
