"""A plan as its document has it."""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.plan.events import GatesRan, MergePhase, PhaseMerged, RunGates
from clew.flows.plan.kind import status_of
from clew.flows.plan.viewing import session_record
from clew.words.gates import GateStatus
from clew.words.phases import OverallStatus, PhaseStatus, TokenCount
from clew.words.records import Concluded, RunSession
from planflow import PlanPlay, phase, plan_of


def test_the_record_follows_the_plan() -> None:
    """Statuses, times, files, what phases waited for, and which one runs."""
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3, 1)))
    play.routine()
    record = session_record(play.state)
    assert (OverallStatus.IN_PROGRESS, 1, "2") == (
        record.status,
        record.current_phase,
        record.current_batch,
    )
    play.end_child(play.children()[1], summary="built it")
    play.routine()
    first, _, third = session_record(play.state).phases
    assert PhaseStatus.COMPLETED is first.status
    assert None not in (first.started, first.completed)
    assert ["built it"] == [output.text for output in first.outputs]
    assert ((1,), ("src/p3.py",)) == (third.blocked_by, third.planned_files)


def test_totals_of_tokens_are_the_sums_of_agents() -> None:
    """Over all phases, those that failed included; what an agent does not tell is unknown."""
    play = PlanPlay(plan_of(phase(1), phase(2)))
    play.routine()
    took = [["coder", {"input": 10, "output": 2}], ["debugging", {"input": 5, "output": 1}]]
    play.end_child(play.children()[1], usage_by_agent=took)
    play.end_child(play.children()[2], "failed", usage_by_agent=took[:1])
    usage = session_record(play.state).token_usage
    assert TokenCount(input=20, output=4, cached=None) == usage.by_agent["coder"]
    assert TokenCount(input=25, output=5, cached=None) == usage.total


def test_a_finished_plan_says_how_it_ended() -> None:
    """Completed is what it is called only where every phase is."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    assert OverallStatus.COMPLETED is session_record(play.state).status


def test_a_phase_that_documents_is_told_what_the_others_delivered() -> None:
    """As git counts it, with what deviates from the plan; nobody else is."""
    manual = replace(phase(2), kind="documentation")
    play = PlanPlay(plan_of(phase(1), manual))
    play.routine()
    assert {1} == set(play.children())
    play.end_child(play.children()[1], summary="It counts.")
    while not play.children():
        play.step()
        for number, intent in play.begun(MergePhase).items():
            made = ("src/p1.py", "src/more.py")
            play.record(PhaseMerged(of=number, phase=intent.phase, commit="m", created=made))
        for number, intent in play.begun(RunGates).items():
            id_, commit = intent.phase, intent.commit
            status = GateStatus.PASS
            play.record(GatesRan(of=number, phase=id_, commit=commit, status=status, summary=""))
    (second,) = play.begun(RunSession).values()
    told = second.request["delivered"]
    created = "  created 2: src/p1.py, src/more.py\n  says: It counts."
    assert f"phase 1 phase 1: completed\n{created}" in told
    assert "- phase 1 also changed `src/more.py`" in told


def test_a_plan_that_ended_asks_nothing() -> None:
    """Whatever it waited for when a person ended it."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1], "failed")
    play.routine()
    assert status_of(play.state).question
    play.record(Concluded(status="terminated", reason="a person ended it"))
    assert ("terminated", None) == (status_of(play.state).status, status_of(play.state).question)


def test_a_plan_that_nobody_works_on_is_interrupted() -> None:
    """Its exit code is 130, as of any session that has not ended and does not wait."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    assert 130 == status_of(play.state).exit_code
    play.end_child(play.children()[1], "failed")
    play.routine()
    assert 1 == status_of(play.state).exit_code
