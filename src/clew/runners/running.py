"""One run of the project's tests: confined, bounded in time, and read back as facts."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from clew.runners.deployment import deploy
from clew.runners.request import Report, Request
from clew.runners.rounds import Places, Rounds
from clew.runners.site import Site
from clew.sandbox.confinement import Level
from clew.sandbox.temporary import passing
from clew.words.errors import CommandNotFound
from clew.words.facts import TestCommand
from clew.words.redaction import without_secrets

__all__ = ["run"]

NAMES = frozenset({"command", "id", "path", "function", "code", "foreign", "sandbox"})


def run(
    site: Site,
    command: TestCommand,
    request: Request,
    scratch: Path,
    level: Level | None = None,
) -> Report:
    """Run tests on a site. Never raises for what the tests do: the verdict says it.

    What tests write into the worktree stays there; commit before, restore after. A test that hangs
    or ends the process is a failed one, and the rest is run without it; the third ends the run.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with passing("run-", scratch) as folder:
        if not command.runner.python:
            from clew.runners.command import run_command  # noqa: PLC0415 - and all dialects with it

            return _discreet(run_command(site, command, request, folder, level))
        places = Places(folder=folder, entry=deploy(scratch))
        rounds = Rounds(site, command, request, places, level)
        try:
            deadline = began + request.timeout
            if request.copies:
                rounds.draw(deadline)
            else:
                rounds.go(deadline)
        except CommandNotFound as error:
            rounds.trouble = str(error)
    return _discreet(rounds.report(time.monotonic() - began))


def _discreet(report: Report) -> Report:
    """Take the secrets out of what tests printed and showed, before anybody keeps or reads it."""
    run = without_secrets(report.run, keep=NAMES)
    return msgspec.structs.replace(report, run=run)
