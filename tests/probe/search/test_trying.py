from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clew.probe.search.baseline import SeenTest
from clew.probe.search.trying import Check, representatives

TEST: Any = None


def check(name: str, cost: float, *frames: str) -> Check:
    """A red test that ends in some frames."""
    crash = SimpleNamespace(type="AssertionError", frames=frames)
    record = SeenTest(TEST, False, False, "call", cost, {}, crash)
    return Check(name, None, record, 1.0, 1.0, cost)


@pytest.mark.parametrize(
    ("costs", "chosen"),
    [
        ([0.001, 0.002, 0.003], 3),
        ([0.001, 0.002, 0.09], 3),  # cheap enough
        ([0.001, 0.002, 0.5], 2),
        ([0.2, 0.3, 1.5], 3),  # not much dearer than the others
        ([0.001, 0.5], 2),
        ([0.001, 0.002, 0.003, 0.004, 0.005], 4),
    ],
)
def test_a_test_that_costs_much_more_than_others_is_not_asked_of_each(
    costs: list[float], chosen: int
) -> None:
    failing = [check(f"t{at}", cost, f"f{at}") for at, cost in enumerate(costs)]
    assert failing[:chosen] == representatives(failing)


def test_of_tests_that_fail_in_one_way_two_are_asked() -> None:
    failing = [check("a", 0.001, "f"), check("b", 0.002, "f"), check("c", 0.003, "f")]
    assert failing[:2] == representatives(failing)
