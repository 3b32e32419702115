"""Rates, intervals and comparisons."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from clew.evaluation.counting import mcnemar, paired, ratio, wilson


def test_wilson_gives_the_published_interval() -> None:
    """15 of 148, the worked example of Newcombe (1998): 0.0624 to 0.1605."""
    rate = wilson(15, 148)
    assert ("0.0624", "0.1605") == (f"{rate.low:.4f}", f"{rate.high:.4f}")


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_rate(counts: tuple[int, int]) -> None:
    """Within 0 to 1, and mirrored for the misses."""
    hits, total = counts
    rate, misses = wilson(hits, total), wilson(total - hits, total)
    assert 0.0 <= rate.low <= rate.share <= rate.high <= 1.0
    assert math.isclose(rate.low, 1 - misses.high, abs_tol=1e-9)


def test_of_nothing_everything_is_possible() -> None:
    """No task, no knowledge."""
    assert (0.0, 0.0, 1.0) == (wilson(0, 0).share, wilson(0, 0).low, wilson(0, 0).high)


def test_mcnemar_is_exact() -> None:
    """Two tails of a fair coin: 1 of 8 tosses or fewer, twice: 18 in 256."""
    assert 18 / 256 == mcnemar(1, 7)
    assert 1.0 == mcnemar(0, 0)
    assert 1.0 == mcnemar(3, 3)
    assert mcnemar(2, 9) == mcnemar(9, 2)


def test_pairs_are_counted_by_who_has_them() -> None:
    """The difference is the second's gain, with an interval that its seed repeats."""
    first = [True] * 20 + [False] * 20
    second = [True] * 38 + [False] * 2
    found = paired(first, second, seed=1)
    assert (20, 0, 18, 2) == (found.both, found.first, found.second, found.neither)
    assert 0.45 == found.difference
    assert 0.25 < found.low < 0.45 < found.high < 0.65
    assert found == paired(first, second, seed=1)


def test_times_are_compared_as_ratios() -> None:
    """Twice the time is 2, whatever the tasks take; no time at all says nothing."""
    factor, low, high = ratio([1.0, 10.0, 0.0], [2.0, 20.0, 5.0], seed=0)
    assert all(math.isclose(2.0, each) for each in (factor, low, high))
