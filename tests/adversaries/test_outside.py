"""Fixes that outsiders wrote get no further than they did, and right ones no less far."""

from __future__ import annotations

import sys

import pytest

from outside import OUTCOMES, Fix, judged, outcome, read

FIXES = read()


@pytest.mark.slow
@pytest.mark.sweep(6)
@pytest.mark.parametrize("fix", FIXES.values(), ids=FIXES)
def test_it_is_judged_as_well_as_it_was(fix: Fix, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the guide says of them was counted once; this holds it, on a busy machine as well."""
    search = sys.modules["clew.flows.debugging.driver.proving.likelier"]
    monkeypatch.setattr(search, "SECONDS", 60.0)
    proved = judged(fix)

    now, known = OUTCOMES.index(outcome(proved)), OUTCOMES.index(fix.outcome)
    assert now >= known if fix.right else now <= known, (fix.why, proved.rows)
