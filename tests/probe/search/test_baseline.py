from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew.probe.search.baseline import SeenTest, trace
from clew.probe.search.suites import SuiteOutcome, Test


class Once(Test):
    """A test that hangs in its first runs, and is red in later ones."""

    def __init__(self, folder: Path, hangs: int) -> None:
        super().__init__("test_it", str(folder / "test_it.py"))
        self.folder = folder
        self.hangs = hangs

    def run(self, seed: int = 0) -> SuiteOutcome:
        del seed
        runs = len(list(self.folder.iterdir()))
        (self.folder / str(runs)).touch()
        while runs < self.hangs:
            pass
        return SuiteOutcome(ValueError("red"))


def traced(test: Test) -> SeenTest:
    return trace([test], "/nowhere", [], 0.3, time.monotonic() + 30, lambda _: None)[test.id]


@pytest.mark.parametrize(("hangs", "crash"), [(0, "ValueError"), (1, "ValueError"), (2, "TimeUp")])
def test_what_ends_where_nothing_slows_it_down_does_not_hang(
    hangs: int, crash: str, tmp_path: Path
) -> None:
    """Its lines are recorded in the first run, which takes many times as long."""
    seen = traced(Once(tmp_path, hangs))
    assert seen.crash.type == crash
    assert seen.hangs == (crash == "TimeUp")
