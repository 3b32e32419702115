"""What is said while work goes on: each thing once."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from rich.console import Console

from clew.cli.watching import Lines, Live
from clew.cli.watching_debug import debug_line
from clew.cli.watching_plans import PlanLines, plan_line
from clew.flows.debugging.states import State
from clew.words import events as ev
from clew.words.facts import Tick
from clew.words.printable import shortened
from clew.words.records import Event, Interrupted, Recorded

EVENT = ev.Recorded(
    session="s",
    seq=1,
    at=datetime(2026, 3, 14, tzinfo=UTC),
    event=ev.RoundBegan(number=1, cap=3, topic=""),
)


def test_searches_side_by_side_are_named_once_each() -> None:
    """Signs of life that alternate are no news; after the next event they are."""
    out = io.StringIO()
    lines = Lines(out)
    for _ in range(2):
        for phase in ("collecting", "searching", "importing", "searching", "importing", "done"):
            lines.tick(Tick(phase=phase))
        lines.saw(EVENT, State())
    assert ["  … collecting", "  … searching", "  … importing"] * 2 == out.getvalue().splitlines()


def test_the_panel_shows_the_search_that_has_tried_more() -> None:
    """It does not jump between two searches, and counts the time of both together."""
    live = Live()
    since = live._since
    for tick in (Tick(phase="searching", tried=400, best="swap"), Tick(phase="importing", tried=1)):
        live.tick(tick)
    assert ("searching", 400, "swap", since) == (
        live._tick.phase,
        live._tick.tried,
        live._tick.best,
        live._since,
    )


def test_the_panel_names_no_limit_before_one_is_known() -> None:
    """As before a session is opened."""
    out = io.StringIO()
    Console(file=out, width=200).print(Live()._panel())
    assert ("of at most" in out.getvalue(), " · 0 s · " in out.getvalue()) == (False, True)


@pytest.mark.parametrize("line", [plan_line, debug_line])
def test_who_interrupts_a_plan_or_a_debug_session_is_told_how_to_go_on(
    line: Callable[[Event], str],
) -> None:
    """As with one of debugging."""
    out = io.StringIO()
    stopped = Interrupted(reason="Ctrl-C")
    PlanLines(out, line).saw(Recorded(session="s", seq=2, at=EVENT.at, event=stopped), None)
    assert "  interrupted; `clew resume s` continues" in out.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short enough", "short enough"),
        ("two\nlines", "two lines"),
        ("the loop stops before the last item", "the loop stops before…"),
        ("the loop stops, and goes on, and ends", "the loop stops, and…"),
        ("x" * 40, f"{'x' * 23}…"),
    ],
)
def test_what_is_cut_is_cut_after_a_word_and_shows_it(text: str, shown: str) -> None:
    """A title of 24 characters at most; one long word has no better end."""
    assert shown == shortened(text, 24)
    assert len(shown) <= 24
