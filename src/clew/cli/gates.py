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
@click.option("--only", multiple=True, metavar="NAME", help="This gate, or this kind, alone.")
@click.option("--base", metavar="REV", help="Blame only what is new since this commit.")
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
    """Run the gates of PATH: what decides whether a result counts.

    They are read from the project's own configuration and run on a private copy of your tree as it
    is, which stays as it is. Exit codes: 0 all pass or warn; 1 some fail; 3 one that has to run
    could not.
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

    counts = {each.value: sum(r.status is each for r in results) for each in GateStatus}
    if json:
        click.echo(json_line({"type": "Summary", "verdict": said, **counts}))
        return
    words = {
        GateStatus.PASS: "All gates pass.",
        GateStatus.WARN: "No gate fails; look at what they warn of.",
        GateStatus.FAIL: "It does not pass.",
        GateStatus.DID_NOT_RUN: "Not all gates that have to run could.",
    }
    say()
    say(words[said] if results else "There was no gate to run.")
