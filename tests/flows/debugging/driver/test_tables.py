from __future__ import annotations

from clew.flows.debugging.driver.performing import PERFORM
from clew.flows.debugging.driver.reconciling import RECONCILE
from clew.words.events import INTENTS


def test_every_intent_has_a_hand_and_a_probe() -> None:
    """No side effect without a way to find out what became of it."""
    assert set(INTENTS) == set(PERFORM) == set(RECONCILE)
