"""Going on with a session: how long what was cut off has worked."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from clew.evaluation.working import Quiet
from clew.flows.debugging.driver import DebugRun
from clew.flows.debugging.driver.reconciling import RECONCILE
from clew.flows.debugging.driver.returning import worked
from clew.flows.debugging.states import State
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from clew.journal.store import Store
from clew.journal.streams import SQLiteJournal
from clew.words import events as ev
from clew.words.models import AgentRole
from sessionplay import START, opened


def workshop_at(place: Path, state: State) -> DebugRun:
    (place / "project").mkdir()
    return DebugRun(
        project=locate(place / "project"),
        store=Store(place / "state"),
        journal=SQLiteJournal(place / "state" / "journal.db", ev.CODEC),
        repository=cast("PrivateRepository", None),
        watcher=Quiet(),
        clock=lambda: START + timedelta(days=3),
        state=state,
    )


@pytest.mark.parametrize(
    ("told", "pulse", "seconds"),
    [(0, None, 0.0), (7, None, 7.0), (7, 40, 40.0), (0, 100_000, 600.0)],
)
def test_a_call_worked_until_its_last_sign_of_life(
    tmp_path: Path, told: int, pulse: int | None, seconds: float
) -> None:
    """An event or its pulse; not until somebody looks, and never longer than a call may take."""
    updated = START + timedelta(seconds=told)
    debug_run = workshop_at(tmp_path, State(opened=opened(), begun=START, updated=updated))
    if pulse is not None:
        debug_run.pulse.parent.mkdir(parents=True, exist_ok=True)
        debug_run.pulse.touch()
        beat = START.timestamp() + pulse
        os.utime(debug_run.pulse, (beat, beat))
    assert seconds == worked(debug_run)


def test_a_call_that_is_made_again_leaves_the_login_that_it_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else was left of it goes."""
    old, new = (
        json.dumps({"claudeAiOauth": {"accessToken": token, "refreshToken": token}}).encode()
        for token in ("old", "new")
    )
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    theirs = tmp_path / ".credentials.json"
    theirs.write_bytes(old)
    debug_run = workshop_at(tmp_path, State(opened=opened(), begun=START))
    own = debug_run.scratch / "claude" / theirs.name
    own.parent.mkdir(parents=True)
    own.write_bytes(new)
    own.with_name(f"{own.name}.lent").write_text(hashlib.sha256(old).hexdigest())
    intent = ev.CallAgent(role=AgentRole.DIAGNOSE, call=1, iteration=1, attempt=1, agent="claude")
    assert RECONCILE[ev.CallAgent](debug_run, intent) is None
    assert (new, False) == (theirs.read_bytes(), own.exists())
