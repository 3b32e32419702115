"""Fixes that move a border and do nothing else."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import moves_borders

BEFORE = """\
def total(count, price):
    if count > 100 and price:
        return count * price * 9 // 10
    return [count * price for _ in range(count - 1)]
"""
MOVED = (
    ("count > 100", "count >= 100"),
    ("count > 100", "count > 99"),
    ("count > 100", "100 <= count"),
    ("count > 100", "count > 100 - 1"),
    ("count > 100", "count + 1 > 100"),
    ("count > 100 and price:", "count >= 100 and price:  # a hundred are many"),
    ("count - 1", "count"),
)
OTHER = (
    ("count > 100", "count > 100"),
    ("count > 100", "count == 100"),
    ("count > 100", "count > 90"),
    ("count > 100", "count >= 100 or count == 50"),
    ("count > 100", "price >= 100"),
    ("count * price *", "(count + 1) * price *"),
    ("9 //", "8 //"),
    ("count > 100", "count >= 100 and price > 1"),
    ("range(count - 1)", "range(count - 1, count)"),
    ("count > 100", "count > 1 +"),
    ("count > 100", "count >= 99"),
    ("count > 100", "count <= 100"),
    ("count > 100", "count + 1 > 99"),
    ("count > 100", "count < 102"),
    ("price:", "price == 1:"),
    ("range(count - 1)", "range(0, count - 1, 2)"),
)
CHAINS = (
    ("90 < count < 110", "90 < count <= 110"),
    ("90 < count < 110", "90 <= count < 110"),
    ("90 < count < 110", "110 > count >= 90"),
)
OTHER_CHAINS = (
    ("90 < count < 110", "90 > count > 110"),
    ("90 < count < 110", "90 < count > 110"),
    ("90 < count < 110", "90 < count <= 111"),
    ("41 < count < 43", "41 > count > 43"),
    ("range(0, count, 1)", "range(0, count, 2)"),
    ("range(0, count, 1)", "range(0, count)"),
    ("90 < count == 110", "90 < count == 111"),
)


@pytest.mark.parametrize(("old", "new"), MOVED)
def test_a_border_that_was_moved_is_told(old: str, new: str) -> None:
    """Another ordered comparison, or one more or less in it or in a range."""
    assert moves_borders(BEFORE, BEFORE.replace(old, new, 1))


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_what_does_anything_else_is_no_such_fix(old: str, new: str) -> None:
    """An equation, another number, a further condition, a change outside a comparison."""
    assert not moves_borders(BEFORE, BEFORE.replace(old, new, 1))


@pytest.mark.parametrize(("old", "new"), CHAINS)
def test_a_border_of_a_chain_may_move(old: str, new: str) -> None:
    """One or both, as long as each looks where it looked."""
    assert moves_borders(f"x = {old}\n", f"x = {new}\n")


@pytest.mark.parametrize(("old", "new"), OTHER_CHAINS)
def test_a_chain_that_turns_round_or_a_step_is_no_border(old: str, new: str) -> None:
    """A comparison keeps its direction; a step is how far, not where to."""
    assert not moves_borders(f"x = {old}\n", f"x = {new}\n")
