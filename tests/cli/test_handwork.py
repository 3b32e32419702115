"""What the terminal says of a person's work, where progress was kept before it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.cli.handwork import by_hand
from clew.cli.words import outcome_line
from clew.flows.debugging.states import replay, require
from clew.words import events as ev
from clew.words.events import SETTLED
from clew.words.facts import Edit, Unsettled
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


def test_what_an_answer_changed_is_not_said_to_be_changed_by_hand() -> None:
    """Though what a person edited meanwhile is."""
    other = Unsettled(
        call="f(1)",
        gives="1",
        other="replace `1` by `2`",
        other_gives="2",
        edits=(Edit(path="a.py", line=1, current="x", should_be="z"),),
    )
    script = Script(proof=[False, True], claim=SETTLED, unsettled=other, answers=["other"])
    script = replace(script, diagnose=["edited"], by_hand=["passing"])
    state = Play(script, opened(cap=1)).run()

    taken = require(state.snapshot)
    assert "\nchanged by your answer: a.py" == by_hand(taken, state)
    both = by_hand(replace(taken, by_hand=("a.py", "b.py")), state)
    assert "\nchanged by your answer: a.py; changed by hand: b.py" == both
    assert "\nchanged by hand: a.py" == by_hand(replace(taken, generation=9), state)
