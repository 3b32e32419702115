"""Flaky tests: whether a red test is one, which trials tell what turns it, how it ended before."""

from clew.flakes.examining import Asked, Dialogue, examine
from clew.flakes.hints import doubtful, own_text
from clew.flakes.history import Past, history, outcomes_in
from clew.flakes.sequential import Draws, Resampling, Suspicion, Word, needed, resample
from clew.flakes.sources import Chance, imported, touched
from clew.flakes.trials import Conditions, Trial

__all__ = [
    "Asked",
    "Chance",
    "Conditions",
    "Dialogue",
    "Draws",
    "Past",
    "Resampling",
    "Suspicion",
    "Trial",
    "Word",
    "doubtful",
    "examine",
    "history",
    "imported",
    "needed",
    "outcomes_in",
    "own_text",
    "resample",
    "touched",
]
