"""Many phases at once, and many phases: nothing is lost, and nothing takes for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clew.documents.phases import read, render
from clew.flows.plan.viewing import session_record
from clew.sessions import ProjectSessions
from clew.sessions.nest import ProjectNest
from clew.words.phases import OverallStatus
from clew.words.records import Concluded
from planflow import PlanPlay, phase, plan_of
from projects import write

WRITERS, ROUNDS, MANY = 8, 100, 500

WRITER = """\
import sys
from pathlib import Path

from clew.flows.plan.phases.driver import FLOW, PhaseRun
from clew.flows.plan.phases.events import PhaseOpened, PhaseRequest
from clew.sessions import UNWATCHED, ProjectSessions
from clew.words.facts import Usage
from clew.words.plans import PlanPhase
from clew.words.records import Concluded
from clew.words.settings import Settings

place, number, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
sessions = ProjectSessions.at(place)
for turn in range(rounds):
    name = f"r{turn}-p{number}"
    with sessions.store.hold(name):
        run = PhaseRun(sessions=sessions, id=name, flow=FLOW, watcher=UNWATCHED)
        request = PhaseRequest(
            phase_id=number, phase=PlanPhase(id=number), base="b", agent="x",
            settings=Settings(), plan="plan.md",
        )
        run.record(
            PhaseOpened(
                session_id=name, goal="", kind="phase", parent=f"r{turn}", number=number,
                clew_version="0", root=str(place), path=str(place), request=request,
            )
        )
        taken = [[f"agent {number}", {"input": turn, "output": number}]]
        result = {"usage_by_agent": taken, "summary": name}
        run.record(
            Concluded(status="completed", commit=f"c{turn}-{number}", usage=Usage(), result=result)
        )
"""


@pytest.mark.slow
def test_eight_processes_that_complete_eight_phases_at_once_lose_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred times; the tokens of each plan are the sum of what its agents took."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    project = write(tmp_path / "project", {"a.py": ""})
    sessions = ProjectSessions.at(project)
    assert () == sessions.events.sessions()  # the journal is there before they begin
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(project), str(number), str(ROUNDS)])
        for number in range(1, WRITERS + 1)
    ]
    assert [0] * WRITERS == [writer.wait(300) for writer in writers]
    for turn in range(ROUNDS):
        play = PlanPlay(plan_of(*map(phase, range(1, WRITERS + 1))), parallel=WRITERS)
        play.routine()
        nest = ProjectNest(sessions, f"r{turn}")
        for id_, number in play.children().items():
            seq, ended = nest.standing(f"r{turn}-p{id_}")
            assert isinstance(ended, Concluded)
            assert (2, f"c{turn}-{id_}") == (seq, ended.commit)
            play.end_child(number, **ended.result)
        play.routine()
        record = session_record(play.state)
        assert OverallStatus.COMPLETED is record.status
        assert WRITERS == len(record.token_usage.by_agent)
        total = record.token_usage.total
        assert (WRITERS * turn, sum(range(WRITERS + 1))) == (total.input, total.output)


@pytest.mark.slow
def test_a_plan_of_five_hundred_phases_is_carried_out_and_its_document_read() -> None:
    """With dependencies, side by side, in batches."""
    phases = [phase(n, *(d for d in (n - 7, n - 3) if d > 0)) for n in range(1, MANY + 1)]
    play = PlanPlay(plan_of(*phases), parallel=8)
    play.routine()
    while children := play.children():
        for number in children.values():
            play.end_child(number)
        play.routine()
    assert play.state.ended
    assert MANY == len(play.state.merges)
    document = read(render(session_record(play.state)))
    assert (OverallStatus.COMPLETED, MANY) == (document.status, len(document.phases))
