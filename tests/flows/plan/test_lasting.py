"""Which events of a plan wait for the disk: all that do not come about again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from builder import till
from clew.flows.plan.driver import FLOW, PlanRun
from clew.flows.plan.events import AskSupervisor, PlanWentBack
from clew.journal.streams import SQLiteJournal
from clew.sessions import UNWATCHED, ProjectSessions
from clew.words.phases import PhaseStatus
from clew.words.records import AgentCall, RunSession, Started
from planflow import PlanPlay, phase, plan_of


def test_what_does_not_wait_is_found_again() -> None:
    """By the probe of its intent; no call of an agent is among it."""
    assert FLOW.repeatable < FLOW.reconcile.keys()
    assert not any(issubclass(kind, AgentCall) for kind in FLOW.repeatable)
    assert AskSupervisor not in FLOW.repeatable


def test_what_persons_say_waits_for_the_disk_and_what_comes_again_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child's end is in its own stream; that a person went back is nowhere else."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    waited: dict[str, bool] = {}
    append = SQLiteJournal.append

    def noted(journal: Any, recorded: Any, *, waits: bool = True) -> None:  # noqa: ANN401 -- as the journal has it
        event = recorded.event
        told = event.intent if isinstance(event, Started) else event
        waited[type(told).__name__] = waits
        append(journal, recorded, waits=waits)

    monkeypatch.setattr(SQLiteJournal, "append", noted)
    sessions = ProjectSessions.at(till(tmp_path / "till"))
    run = PlanRun(sessions=sessions, id="s", flow=FLOW, watcher=UNWATCHED)
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    for event in (*play.events, PlanWentBack(checkpoint="start")):
        run.record(event)
    assert PhaseStatus.PENDING is run.state.phase(1).status
    assert not waited[RunSession.__name__]
    assert not any(waited[name] for name in ("ChildEnded", "PhaseMerged", "GatesRan"))
    assert all(waited[name] for name in ("PlanOpened", "TakeBase", "PlanWentBack", "Concluded"))
