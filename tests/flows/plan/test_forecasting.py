"""What a plan may take."""

from __future__ import annotations

import pytest

from clew.flows.plan.forecasting import longest
from planflow import phase, plan_of


@pytest.mark.parametrize(
    ("parallel", "seconds"),
    [(1, 10.0), (2, 7.0), (3, 7.0)],
)
def test_phases_run_side_by_side_as_far_as_they_may(parallel: int, seconds: float) -> None:
    """1 and 2 take 3 and 2 seconds, 3 waits for both and takes 4, and 4 takes 1."""
    plan = plan_of(phase(1), phase(2), phase(3, 1, 2), phase(4))
    assert seconds == longest(plan, {1: 3.0, 2: 2.0, 3: 4.0, 4: 1.0}, parallel)
