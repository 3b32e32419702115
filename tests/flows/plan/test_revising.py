"""A plan cut anew for a phase that failed: proposed, held to rules, taken, taken back."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from clew.agents.replies import Move
from clew.flows.plan.decisions.revising import edited, revised, taken_back
from clew.flows.plan.events import (
    AskPlanner,
    AskSupervisor,
    PlanAnswered,
    PlanChanged,
    PlanProposed,
    Supervised,
)
from clew.flows.plan.viewing import session_record
from clew.words.errors import UsageError
from clew.words.facts import Usage
from clew.words.models import AgentRole
from clew.words.phases import PhaseStatus
from clew.words.plans import Criterion, Plan, PlanAgent, PlanPhase
from clew.words.records import AgentFailure, RunSession
from clew.words.settings import Settings
from planflow import PlanPlay, phase, plan_of

FIRST = phase(1, creates=("src/a.py", "src/b.py"))
HALVES = (
    phase("a", creates=("src/a.py",)),
    phase("b", "a", creates=("src/b.py",)),
    phase(3, "b"),
)


def failed(first: PlanPhase = FIRST, **settings: Any) -> PlanPlay:  # noqa: ANN401 -- as they are
    """A plan of three, of which the first phase failed; the third waits for it, the second runs."""
    play = PlanPlay(
        plan_of(first, phase(2), phase(3, 1)),
        settings=Settings(agent=("builder",), **settings),
    )
    play.routine()
    play.end_child(play.children()[1], "failed", retries=2, usage_by_agent=[["x", {"input": 7}]])
    play.routine()
    return play


def answer(play: PlanPlay, word: str, text: str = "") -> None:
    assert play.state.question
    assert word in [option.word for option in play.state.question.options]
    play.record(PlanAnswered(id=play.state.question.id, option=word, text=text))
    play.routine()


def propose(play: PlanPlay, *phases: PlanPhase) -> None:
    ((number, intent),) = play.begun(AskPlanner).items()
    plan = Plan(phases=phases, notes="two things in one")
    usage = Usage(input=5)
    play.record(
        PlanProposed(of=number, agent=intent.agent, plan=plan, phase=intent.phase, usage=usage)
    )
    play.routine()


def test_a_person_has_an_agent_revise_the_plan_and_takes_what_it_proposes() -> None:
    """The question shows what is done to which phase, and the difference line by line."""
    play = failed()
    answer(play, "replan", "it is two things")
    ((_, intent),) = play.begun(AskPlanner).items()
    assert ("builder", "it is two things", 1) == (intent.agent, intent.wanted, intent.phase)
    propose(play, *HALVES)
    assert play.state.question
    asked = play.state.question.text
    assert "builder proposes to revise the plan: two things in one" in asked
    assert "- split_phase 1 → a, b" in asked
    assert "-## Phase 1: phase 1" in asked
    assert "+## Phase: phase a" in asked or "+## Phase a: phase a" in asked
    assert play.plan == play.state.plan
    answer(play, "revise")
    assert ["a", "b", 2, 3] == [each.id for each in play.state.plan.phases]
    assert {2, "a"} == set(play.children())
    assert 12 == play.state.usage.input


def test_what_went_wrong_with_a_phase_that_is_split_stays_on_record() -> None:
    """Where its work is done now, also once that is another phase again."""
    play = failed()
    answer(play, "replan", "it is two things")
    propose(play, *HALVES)
    answer(play, "revise")
    (error,) = session_record(play.state).phases[0].errors
    assert ("as phase 1: it did not work", True) == (error.message, error.resolved)
    assert "split_phase 1 → a, b" == error.resolution
    play.end_child(play.children()["a"], "failed")
    play.routine()
    answer(play, "replan")
    propose(play, *(replace(each, id=f"{each.id}{each.id}", depends_on=()) for each in HALVES))
    answer(play, "revise")
    record = session_record(play.state)
    told = [each.message for phase in record.phases if phase.id == "aa" for each in phase.errors]
    assert ["as phase 1: it did not work", "as phase a: it did not work"] == told


@pytest.mark.parametrize("advised", [True, False])
def test_the_setting_takes_a_revision_unasked(*, advised: bool) -> None:
    """A supervisor wants it, or the tests of a phase failed twice in a row."""
    agents: dict[str, PlanAgent] = {AgentRole.SUPERVISE: PlanAgent(agent="wise")} if advised else {}
    play = PlanPlay(
        plan_of(FIRST, phase(2), phase(3, 1)),
        settings=Settings(
            agent=("builder",),
            plan_revisions="apply",
            plan_agents=agents,
        ),
    )
    play.routine()
    red = {"agent": "gates", "timestamp": "2026-03-01T00:00:00Z", "type": "validation"}
    errors = [] if advised else [red | {"message": "red"}] * 2
    play.end_child(play.children()[1], "failed", errors=errors)
    play.step()
    if advised:
        ((number, intent),) = play.begun(AskSupervisor).items()
        play.record(
            Supervised(
                of=number,
                agent=intent.agent,
                phase=1,
                diagnosis="Too much.",
                move=Move.REPLAN,
                reason="two things",
                guidance="cut it",
            )
        )
        play.step()
    propose(play, *HALVES)
    assert play.state.question is None
    assert "a" in play.children()


@pytest.mark.parametrize(
    ("had", "gone"),
    [
        ({"creates": ("src/a.py", "src/more.py")}, "`src/more.py`"),
        ({"test_files": ("tests/test_z.py",)}, "`tests/test_z.py`"),
        ({"validation": (("python", "-c", "assert 1"),)}, "the check `python -c 'assert 1'`"),
        ({"criteria": (Criterion(criterion="a looks good"),)}, "the criterion `a looks good`"),
    ],
)
def test_what_leaves_out_what_a_phase_had_is_asked_about_whatever_the_setting(
    had: dict[str, Any], gone: str
) -> None:
    """And said; the person may take it all the same."""
    play = failed(replace(FIRST, **had), plan_revisions="apply")
    answer(play, "replan", "it is two things")
    propose(play, *HALVES)
    assert play.state.question
    assert f"It leaves out: {gone}" in " ".join(play.state.question.text.split())
    answer(play, "revise")
    assert "a" in play.children()


def test_an_advice_to_replan_is_asked_about_where_revisions_are_off() -> None:
    """And the question offers none."""
    play = failed(plan_revisions="off")
    assert play.state.question
    assert "replan" not in [option.word for option in play.state.question.options]


def test_the_third_revision_for_a_phase_is_a_person_s() -> None:
    """Those that a revision made count with it."""
    play = failed()
    current: PlanPhase = FIRST
    for number in (1, 2):
        answer(play, "replan")
        current = replace(current, description=f"version {number}")
        propose(play, current, phase(3, 1))
        answer(play, "revise")
        play.end_child(play.children()[1], "failed", retries=2)
        play.routine()
    assert play.state.question
    assert "replan" not in [option.word for option in play.state.question.options]


def test_a_revised_phase_has_as_many_tries_as_any() -> None:
    """Its earlier failures stay on record."""
    play = failed()
    answer(play, "replan")
    propose(play, replace(FIRST, description="in cents"), phase(3, 1))
    answer(play, "revise")
    again = play.begun(RunSession)[play.children()[1]]
    assert (2, "s-p1-2") == (again.request["max_retries"], again.child)
    assert 2 == play.state.phase(1).retries


@pytest.mark.parametrize(
    ("phases", "why"),
    [
        ((phase(3, 1),), "nobody does the work of phase 1"),
        ((FIRST, phase(3, 1)), "nothing of the plan is changed"),
        ((FIRST, replace(phase(2), description="else"), phase(3, 1)), "2 is in progress and stays"),
        ((*HALVES[:2], phase(3, 1)), "depends on 1, which does not exist"),
        ((*HALVES[:1], phase("b", 3, creates=("src/b.py",)), HALVES[2]), "wait for each other"),
        ((*HALVES, phase(9, creates=("src/p2.py",))), "both own src/p2.py"),
    ],
)
def test_what_breaks_a_rule_is_refused(phases: tuple[PlanPhase, ...], why: str) -> None:
    """With the words that the agent is sent."""
    play = failed()
    _, wrong = revised(play.state, play.state.phase(1), Plan(phases=phases))
    assert why in "; ".join(wrong)


def test_a_proposal_that_what_began_meanwhile_excludes_is_not_offered() -> None:
    """A person decides about the phase as it is."""
    play = failed()
    answer(play, "replan")
    play.end_child(play.children()[2])
    propose(play, *HALVES, replace(phase(2), description="else"))
    assert play.state.question
    assert "revise" not in [option.word for option in play.state.question.options]


def test_a_planner_that_fails_is_asked_again_and_then_a_person() -> None:
    """As any agent."""
    play = failed(agent_retries=1)
    answer(play, "replan")
    for _ in range(2):
        ((number, intent),) = play.begun(AskPlanner).items()
        said = AgentFailure(
            of=number, role=intent.role, agent="builder", kind="invalid_output", message="no JSON"
        )
        play.record(said)
        play.routine()
    assert {} == play.begun(AskPlanner)
    assert play.state.question
    assert "No plan of builder: no JSON" in play.state.question.text


def test_a_revision_is_taken_back_as_long_as_nothing_of_it_has_begun() -> None:
    """The phase stands where it stood, and a person is asked."""
    play = failed()
    before = play.state.plan
    answer(play, "replan")
    play.end_child(play.children()[2])
    play.routine()
    propose(play, replace(FIRST, description="in cents"), phase(3, 1), phase(4, 3))
    play.record(PlanAnswered(id=play.state.question.id, option="revise"))  # type: ignore[union-attr]
    play.step()
    assert (1,) == tuple(each.retry for each in play.state.changes)
    (change,) = play.state.changes
    play.record(back := taken_back(play.state))
    assert (change.revisions, f"taken back: {change.reason}") == (back.revisions, back.reason)
    assert before == play.state.plan
    assert PhaseStatus.FAILED is play.state.phase(1).status
    play.routine()
    assert play.state.question
    with pytest.raises(UsageError, match="not changed since"):
        taken_back(play.state)


@pytest.mark.parametrize("setting", ["ask", "apply"])
def test_a_revision_that_was_taken_back_is_not_counted_and_not_made_again(setting: str) -> None:
    """Unless a person wants another one, whose it is from then on; whatever the setting."""
    play = failed(plan_revisions=setting)
    red = {"agent": "gates", "timestamp": "2026-03-01T00:00:00Z", "type": "validation"}
    for _ in range(3):
        answer(play, "replan")
        ((number, intent),) = play.begun(AskPlanner).items()
        plan = Plan(phases=HALVES, notes="two things in one")
        play.record(PlanProposed(of=number, agent="builder", plan=plan, phase=intent.phase))
        play.step()
        if play.state.question:
            play.record(PlanAnswered(id=play.state.question.id, option="revise"))
            play.step()
        play.record(taken_back(play.state))
        play.routine()
        answer(play, "retry", "as it was")
        errors = [red | {"message": "red"}] * 2
        play.end_child(play.children()[1], "failed", errors=errors)
        play.routine()
        assert {} == play.begun(AskPlanner)


def test_what_has_begun_is_not_taken_back() -> None:
    """Its work would be lost."""
    play = failed()
    answer(play, "replan")
    propose(play, *HALVES)
    answer(play, "revise")
    with pytest.raises(UsageError, match="phase a is in progress and stays"):
        taken_back(play.state)


def test_a_person_s_own_plan_is_taken_where_it_leaves_what_stands() -> None:
    """A question about a phase that is another one now is settled by it."""
    play = failed()
    plan = plan_of(replace(FIRST, description="in cents"), phase(2))
    change = edited(play.state, plan, "digest")
    assert isinstance(change, PlanChanged)
    play.record(change)
    play.routine()
    assert play.state.question is None
    assert ({1, 2}, "digest") == (set(play.children()), play.state.plan_hash)
    with pytest.raises(UsageError, match="phase 2 is in progress"):
        edited(play.state, plan_of(plan.phases[0]), "digest")
