"""Runners that have no probe in them: each is asked for facts in its own words.

A new one is a class with two methods and a line here, and a line in `clew.runners.commands` by
which it is recognised.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.runners.dialects.cargo import Cargo
from clew.runners.dialects.go import Go
from clew.runners.dialects.jest import JEST, VITEST
from clew.runners.dialects.junit import Junit
from clew.runners.dialects.node import Node
from clew.runners.dialects.plain import Plain
from clew.runners.dialects.protocol import (
    CommandOutput,
    Dialect,
    DialectRequest,
    DialectResult,
    InstrumentedCommand,
    RunLocation,
)
from clew.words.facts import Runner, TestCommand

__all__ = [
    "DIALECTS",
    "CommandOutput",
    "Dialect",
    "DialectRequest",
    "DialectResult",
    "InstrumentedCommand",
    "RunLocation",
    "about",
]

DIALECTS: Mapping[Runner, Dialect] = {
    Runner.GO: Go(),
    Runner.CARGO: Cargo(),
    Runner.NODE: Node(),
    Runner.JEST: JEST,
    Runner.VITEST: VITEST,
    Runner.JUNIT: Junit(),
    Runner.COMMAND: Plain(),
}


def about(command: TestCommand) -> str:
    """Say what is known of each test where a command runs them. Its runner is in the table."""
    return DIALECTS[command.runner].about
