"""Flaky tests: whether a red test is one, which trials tell what turns it, how it ended before."""

from clew.analysis.flakes.examining import Dialogue, ExaminationRequest, examine
from clew.analysis.flakes.hints import doubtful, own_text
from clew.analysis.flakes.history import FlakeHistory, history, outcomes_in
from clew.analysis.flakes.sequential import Draws, RerunRequest, Resampling, Word, needed, resample
from clew.analysis.flakes.sources import Chance, imported, never_of, touched
from clew.analysis.flakes.trials import Conditions, FlakeTrial

__all__ = [
    "Chance",
    "Conditions",
    "Dialogue",
    "Draws",
    "ExaminationRequest",
    "FlakeHistory",
    "FlakeTrial",
    "RerunRequest",
    "Resampling",
    "Word",
    "doubtful",
    "examine",
    "history",
    "imported",
    "needed",
    "never_of",
    "outcomes_in",
    "own_text",
    "resample",
    "touched",
]
