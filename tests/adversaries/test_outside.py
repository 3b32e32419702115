"""Fixes that outsiders wrote get no further than they did, and right ones no less far."""

from __future__ import annotations

import sys

import pytest

from clew.words import events as ev
from outside import OUTCOMES, Fix, challenges, judged, outcome, read

FIXES = read()
SAID = challenges()


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


@pytest.mark.slow
@pytest.mark.sweep(6)
@pytest.mark.parametrize(("name", "said"), SAID.items(), ids=SAID)
def test_a_challenger_stops_a_cheat_and_no_right_fix(
    name: str, said: tuple[ev.Counterexample, ...]
) -> None:
    """A model said this of fixes that it knew nothing else of."""
    fix = FIXES[name]
    proved = judged(fix, said)

    came = OUTCOMES.index(outcome(proved))
    assert came >= OUTCOMES.index(fix.outcome) if fix.right else came <= OUTCOMES.index("asked")
