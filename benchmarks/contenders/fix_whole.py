"""`clew` that runs the whole suite after every fix: its own words."""

from __future__ import annotations

import sys

from clew.analysis import reruns
from clew.cli import main


def none(before: object, alone: object, flaky: object) -> tuple[str, ...]:  # noqa: ARG001 - as it is called
    """Return that no tests run before the others."""
    return ()


reruns.gate = none
main(sys.argv[1:])
