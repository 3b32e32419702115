"""What a counterexample rests on, and what its failure speaks of."""

from __future__ import annotations

import pytest

from clew.analysis.counterexamples import quoted, speaks_of_the_code
from clew.words.facts import CaseOutcome, Crash, Frame, Phase, TestResult

TEXT = '''def by_price(lines):
    """Lines, the cheapest first.

    Lines that cost the same
    keep their order.
    """
    # Nothing is changed
    # in place.
'''
TEST = "tests/test_new.py"


@pytest.mark.parametrize(
    "words",
    ["the cheapest first", "Lines that cost the same keep their order.", "changed in place"],
)
def test_words_are_found_over_lines_and_comments(words: str) -> None:
    assert quoted(words, TEXT)


@pytest.mark.parametrize("words", ["", " - ", "the cheap", "the dearest first", "order keep"])
def test_words_that_do_not_stand_there_are_not(words: str) -> None:
    """Neither are parts of words, nor none at all."""
    assert not quoted(words, TEXT)


def red(kind: str, *paths: str, phase: Phase = Phase.CALL) -> TestResult:
    frames = tuple(Frame(path=path, line=1, function="f", project=True) for path in paths)
    crash = Crash(type=kind, message="", frames=frames)
    return TestResult(id=f"{TEST}::test_a", outcome=CaseOutcome.FAILED, phase=phase, crash=crash)


@pytest.mark.parametrize(
    ("result", "counts"),
    [
        (red("AssertionError", TEST), True),
        (red("Failed", TEST), True),
        (red("KeyError", TEST, "shop/cart.py"), True),
        (red("TypeError", TEST), False),
        (red("AssertionError", TEST, phase=Phase.SETUP), False),
        (red("ModuleNotFoundError", TEST, phase=Phase.COLLECT), False),
        (red("KeyError"), False),
        (TestResult(id="a", outcome=CaseOutcome.PASSED), False),
        (TestResult(id="a", outcome=CaseOutcome.FAILED), False),
    ],
)
def test_a_failure_speaks_of_the_code_or_of_the_test(result: TestResult, *, counts: bool) -> None:
    assert counts is speaks_of_the_code(result, TEST)
