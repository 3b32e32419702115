"""How a report says in the end what came of its iteration."""

from __future__ import annotations

import pytest

from clew.flows.debugging.driver.closing import _outcome
from clew.words.events import IterationEnded, Result


@pytest.mark.parametrize(
    ("fix", "result", "said"),
    [
        ("", Result.NO_FIX, "No fix was proposed"),
        ("", Result.AGENT_FAILED, "Agent failed"),
        ("replace `<` by `<=`", Result.PASSING, "replace `<` by `<=`: Tests passing"),
    ],
)
def test_the_end_of_an_iteration_is_said_once(fix: str, result: Result, said: str) -> None:
    """That there was no fix is the result, not what was tried."""
    assert said == _outcome(IterationEnded(iteration=1, result=result, fix_attempted=fix))
