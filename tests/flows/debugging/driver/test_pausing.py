"""Waiting before an agent is called again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.flows.debugging.driver.debug_run import DebugRun
from clew.words.facts import Tick

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Waiting(DebugRun):
    """A debug run that looks at a clock, and notes what it would sleep."""

    def __init__(self, seen: list[Any]) -> None:
        self.clock = lambda: NOW
        self.sleep = seen.append
        self.watcher = cast("Any", SimpleNamespace(tick=seen.append))


@pytest.mark.parametrize(("left", "slept"), [(0.5, 0.5), (0.0, 0.0), (-3.0, 0.0)])
def test_a_wait_is_shown_and_lasts_for_what_is_left_of_it(left: float, slept: float) -> None:
    """Nothing is journalled: when it ends follows from the failure before it."""
    seen: list[Any] = []
    until = NOW + timedelta(seconds=left)
    Waiting(seen).pause(until, "mine (busy) for 1 s")

    assert [Tick(phase="waiting", text="mine (busy) for 1 s"), slept] == seen


def test_an_interruption_ends_a_wait() -> None:
    """As it ends everything else."""

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    debug_run = Waiting([])
    debug_run.sleep = interrupted
    with pytest.raises(KeyboardInterrupt):
        debug_run.pause(NOW, "mine")
