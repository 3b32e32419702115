"""Numbers that fit the failing tests, and that nothing else speaks of."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from candidatekit import BEST, change
from clew.evidence.explain.fitted import made_up, other_divisor, other_rounding
from clew.words.facts import Candidate, Edit

LEAP = "def leap(year):\n    return year % {} == 0\n"


def number(was: int, comes: int, text: str = LEAP) -> tuple[Candidate, dict[str, str]]:
    line = text.splitlines()[1]
    edit = Edit(path="a.py", line=2, current=line.format(was), should_be=line.format(comes))
    told = replace(BEST, description=f"replace `{was}` by `{comes}`", path="a.py", edits=(edit,))
    return told, {"a.py": text.format(was)}


@pytest.mark.parametrize(
    ("was", "comes", "text", "guess"),
    [
        (4, 8, LEAP, True),
        (20, 10, LEAP, True),
        (4, 7, LEAP, False),
        (4, 8, LEAP + "    # of 8\n", False),
        (4, 8, "def f(n):\n    return n * {}\n", False),
        (4, 8, "def f(n):\n    return n // {}\n", True),
    ],
)
def test_a_multiple_of_a_divisor_is_a_guess(was: int, comes: int, text: str, guess: bool) -> None:  # noqa: FBT001 -- a case's own
    """Of `% 4` and `% 8` many numbers make the same."""
    best, sources = number(was, comes, text)
    assert guess is ("The change divides by" in other_divisor(best, sources))


@pytest.mark.parametrize(
    ("was", "comes", "told"), [(10, 20, True), (10, 11, False), (10, 1, False), (10, 0, False)]
)
def test_a_number_that_stands_nowhere_else_may_fit_the_tests(
    was: int,
    comes: int,
    told: bool,  # noqa: FBT001 -- a case's own
) -> None:
    best, sources = number(was, comes)
    assert told is ("stands nowhere else in `a.py`" in made_up(best, sources))
    assert "" == made_up(best, {"a.py": sources["a.py"] + f"MOST = {comes}\n"})


def test_two_ways_to_round_are_a_question() -> None:
    """Unless something speaks for one of them."""
    edit = Edit(path="a.py", line=2, current="return n // 5", should_be="return -(-n // 5)")
    up, nearest = replace(BEST, edits=(edit,)), change("round to the nearest")
    assert "To round up and to round to the nearest both pass" in other_rounding((up, nearest))
    assert "" == other_rounding((up, change("replace `5` by `4`")))
    assert "" == other_rounding((replace(up, witness="its docstring says so"), nearest))
    assert "" == other_rounding((nearest, up))
