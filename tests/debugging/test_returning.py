"""Going on with a session: how long what was cut off has worked."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from clew.debugging import Workshop
from clew.debugging.returning import worked
from clew.evaluation.working import Quiet
from clew.journal import SQLiteJournal
from clew.project import locate
from clew.settings import Settings
from clew.states import State
from clew.store import Store
from clew.worktrees import PrivateRepository
from sessionplay import START, opened


@pytest.mark.parametrize(
    ("told", "pulse", "seconds"),
    [(0, None, 0.0), (7, None, 7.0), (7, 40, 40.0), (0, 100_000, 600.0)],
)
def test_a_call_worked_until_its_last_sign_of_life(
    tmp_path: Path, told: int, pulse: int | None, seconds: float
) -> None:
    """An event or its pulse; not until somebody looks, and never longer than a call may take."""
    (tmp_path / "project").mkdir()
    updated = START + timedelta(seconds=told)
    workshop = Workshop(
        project=locate(tmp_path / "project"),
        store=Store(tmp_path / "state"),
        journal=SQLiteJournal(tmp_path / "state" / "journal.db"),
        repository=cast("PrivateRepository", None),
        settings=Settings(),
        watcher=Quiet(),
        clock=lambda: START + timedelta(days=3),
        state=State(opened=opened(), begun=START, updated=updated),
    )
    if pulse is not None:
        workshop.pulse.parent.mkdir(parents=True, exist_ok=True)
        workshop.pulse.touch()
        beat = START.timestamp() + pulse
        os.utime(workshop.pulse, (beat, beat))
    assert seconds == worked(workshop)
