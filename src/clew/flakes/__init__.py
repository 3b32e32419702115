"""Flaky tests: which trials tell what turns them, and how they ended before."""

from clew.flakes.examining import Asked, Dialogue, examine
from clew.flakes.hints import doubtful, own_text
from clew.flakes.history import Past, history, outcomes_in
from clew.flakes.trials import Conditions, Trial

__all__ = [
    "Asked",
    "Conditions",
    "Dialogue",
    "Past",
    "Trial",
    "doubtful",
    "examine",
    "history",
    "outcomes_in",
    "own_text",
]
