"""Options that are settings: made from where these are declared."""

from __future__ import annotations

import json

import click
from click.testing import CliRunner

from clew.cli.wiring import settings_options


@click.command()
@settings_options("test_command", "agent", timeout="Seconds for all of it.")
@click.option("--last")
def command(**flags: object) -> None:
    click.echo(json.dumps(flags))


def test_options_stand_in_their_order_with_the_help_that_is_declared() -> None:
    """One that means something else for a command says so itself."""
    said = CliRunner().invoke(command, ["--help"]).output
    lines = [" ".join(line.split()) for line in said.splitlines() if "--" in line]
    assert [
        "--test-command COMMAND How the tests are run.",
        "--agent NAME[,NAME…] The ladder of agents.",
        "--timeout S Seconds for all of it.",
        "--last TEXT",
        "--help Show this message and exit.",
    ] == lines


def test_an_option_that_is_not_given_is_none() -> None:
    """A number is read as one."""
    said = CliRunner().invoke(command, ["--timeout", "7"]).output
    assert {"test_command": None, "agent": None, "timeout": 7.0, "last": None} == json.loads(said)
