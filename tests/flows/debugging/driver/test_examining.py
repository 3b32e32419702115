"""What is said of tests that may be flaky."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clew.analysis.flakes import Chance, Resampling, Word
from clew.flows.debugging.driver import examining
from clew.flows.debugging.driver.resampling import Resampled


@pytest.mark.parametrize(
    ("silent", "told"),
    [
        (False, "the 120 s of `rerun_seconds` were over before"),
        (True, "more runs of it alone told nothing: see whether it can be run alone"),
    ],
)
def test_why_a_test_is_only_perhaps_flaky(
    monkeypatch: pytest.MonkeyPatch, *, silent: bool, told: str
) -> None:
    """Time was called over though three runs had told nothing."""
    monkeypatch.setattr(examining, "seconds_left", lambda _: 900.0)
    debug_run: Any = SimpleNamespace(settings=SimpleNamespace(rerun_seconds=120.0), state=None)
    drawn = Resampled(
        words={"a": Resampling(word=Word.PERHAPS, runs=3, red=3, silent=silent)},
        touched={"a": frozenset({Chance.CLOCK})},
    )
    (flake,) = examining._perhaps(debug_run, drawn)
    assert flake.evidence.endswith(f"48 red runs would make it a fault, and {told}")
