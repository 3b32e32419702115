"""What an agent that failed is told when it is asked again."""

from __future__ import annotations

import pytest

from clew.flows.debugging.driver import briefing
from sessionplay import Play, Script


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("tool_access", "crashed; use the tools for reading files instead"),
        ("error", "crashed"),
    ],
)
def test_who_was_denied_a_tool_is_told_which_work(kind: str, told: str) -> None:
    """Whatever else failed is told as it was."""
    play = Play(Script(diagnose=[f"fails {kind}", "proposes"]))
    next(action for action in play.steps() if play.state.failures)
    assert briefing._complaint(play.state).startswith(told)
