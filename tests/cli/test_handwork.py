"""What the terminal says of a person's work, where progress was kept before it."""

from __future__ import annotations

import pytest

from clew.cli.words import outcome_line
from clew.flows.debugging.states import replay
from clew.words import events as ev
from sessionplay import Play, Script, opened

ASIDE = "set aside: iteration 1 (commit c1, report debug/x/001_a.md)"


def told(alone: str, together: str) -> str:
    """Return all lines of a session that a person goes on with by hand."""
    script = Script(
        verify=["fewer_errors+", "same_errors", "passing"],
        by_hand=[alone],
        together=together,
        answers=["investigate"],
    )
    play = Play(script, opened(cap=1))
    play.run()
    lines, state = list[str](), replay([])
    for recorded in play.records:
        state = replay([recorded], state)
        if isinstance(recorded.event, (ev.TestsRan, ev.Proved, ev.SnapshotTaken)):
            lines.append(outcome_line(recorded.event, state))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("alone", "together", "both", "aside"),
    [
        ("passing", "passing", False, 1),
        ("same_errors", "same_errors", True, 1),
        ("same_errors", "did_not_run", True, 1),
        ("same_errors", "fewer_errors+", True, 0),
        ("same_errors", "passing", True, 0),
    ],
)
def test_it_is_said_what_was_run_and_what_was_set_aside(
    alone: str, together: str, aside: int, *, both: bool
) -> None:
    """Once, with its commit and its report; nothing of it where progress stays."""
    said = told(alone, together)
    assert 1 == said.count("tests (carried, your tree alone)")
    assert both == ("tests (carried, with the kept progress)" in said)
    assert aside == said.count(ASIDE) == said.count("set aside")
