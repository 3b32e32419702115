"""Suspects shown to a person, or printed as JSON; little is loaded for it."""

from __future__ import annotations

import shlex

import click

from clew.cli.streams import json_line, say
from clew.words.facts import Runner, Suspect, TestRun, Verdict

__all__ = ["show_suspects"]


def show_suspects(run: TestRun, suspects: tuple[Suspect, ...], *, json: bool) -> int:
    """List suspects, most suspicious first; 0 also if nothing failed."""
    if json:
        for suspect in suspects:
            click.echo(json_line(suspect))
    elif run.verdict is Verdict.PASSED:
        say("All tests pass; there is nothing to find.")
    elif run.command.runner is Runner.COMMAND:
        command = shlex.join(run.command.argv)
        say(f"`{command}` fails, but one result for a whole run does not point at a line.")
    elif not suspects:
        say("Tests fail, but no line of the project's code is known to run in them.")
    else:
        for suspect in suspects:
            line = f"{suspect.path}:{suspect.line}" if suspect.line else suspect.path
            reasons = "; ".join(suspect.reasons)
            say(f"{suspect.score:5.2f}  {line:<40} {suspect.function}".rstrip())
            say(f"       {reasons}")
    return 0
