"""What becomes of a phase that failed: rules, then a supervisor held by rules, then a person."""

from __future__ import annotations

from typing import Any

import pytest

from clew.agents.replies import Move
from clew.flows.plan.events import AskSupervisor, PlanChanged, Supervised
from clew.words.facts import Usage
from clew.words.models import AgentRole
from clew.words.phases import PhaseStatus
from clew.words.plans import PhaseId, PlanAgent
from clew.words.printable import printable
from clew.words.records import AgentFailure, RunSession
from clew.words.settings import Settings
from planflow import PlanPlay, phase, plan_of

KNOWN: dict[str, Any] = {"phase": 1, "diagnosis": "The unit was not told.", "reason": "It guessed."}


def failed(supervisor: str = "wise", **settings: Any) -> PlanPlay:  # noqa: ANN401 -- as they are
    """A plan of three, of which the first phase failed; the third waits for it."""
    agents: dict[str, PlanAgent] = {}
    if supervisor:
        agents[AgentRole.SUPERVISE] = PlanAgent(agent=supervisor)
    play = PlanPlay(
        plan_of(phase(1), phase(2), phase(3, 1)),
        settings=Settings(agent=("builder",), plan_agents=agents, **settings),
    )
    play.routine()
    play.end_child(play.children()[1], "failed", retries=2, work="c9")
    play.step()
    return play


def call(play: PlanPlay) -> tuple[int, AskSupervisor]:
    ((number, intent),) = play.begun(AskSupervisor).items()
    return number, intent


def advised(play: PlanPlay, move: Move, **told: Any) -> PlanPlay:  # noqa: ANN401 -- as the record has it
    """Take the advice in, and decide on it."""
    number, intent = call(play)
    play.record(Supervised(of=number, agent=intent.agent, move=move, **(KNOWN | told)))
    play.routine()
    return play


def test_an_agent_is_asked_where_rules_say_nothing_and_others_go_on() -> None:
    """Once: on the plan's head, with the phase's number."""
    play = failed()
    _, intent = call(play)
    assert (1, "wise", "base", 1) == (intent.phase, intent.agent, intent.base, intent.call)
    assert {2} == set(play.children())
    assert play.state.question is None
    assert not play.step()


@pytest.mark.parametrize("supervisor", ["", "none"])
def test_without_a_supervisor_rules_and_a_person_decide(supervisor: str) -> None:
    """As they always did."""
    play = failed(supervisor)
    assert {} == play.begun(AskSupervisor)
    assert play.state.question


def test_rules_that_know_what_to_do_ask_nobody() -> None:
    """A module that another phase creates is a matter of fact."""
    settings = Settings(plan_agents={AgentRole.SUPERVISE: PlanAgent(agent="wise")})
    play = PlanPlay(plan_of(phase(1), phase(2, creates=("src/model.py",))), settings=settings)
    play.routine()
    error = {"agent": "x", "timestamp": "2026-03-01T00:00:00Z", "type": "runtime"}
    told = error | {"message": "No module named 'model'"}
    play.end_child(play.children()[1], "failed", errors=[told])
    play.step()
    assert {} == play.begun(AskSupervisor)
    assert (2,) == play.state.phase(1).phase.depends_on


def test_rules_decide_while_a_person_is_asked_about_another_phase() -> None:
    """Nobody is needed for them; what is asked stays."""
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3, creates=("src/model.py",))))
    play.routine()
    children = play.children()
    error = {"agent": "x", "timestamp": "2026-03-01T00:00:00Z", "type": "runtime"}
    play.end_child(children[1], "failed", errors=[error | {"message": "blocked"}])
    play.routine()
    asked = play.state.question
    assert asked
    play.end_child(children[2], "failed", errors=[error | {"message": "No module named 'model'"}])
    play.routine()
    assert (3,) == play.state.phase(2).phase.depends_on
    assert asked == play.state.question


def test_a_phase_is_tried_again_with_what_it_is_to_know() -> None:
    """The change of the plan says by whom, and the next session is told."""
    play = advised(failed(), Move.RETRY, guidance="in cents")
    (changed,) = (event for event in play.events if isinstance(event, PlanChanged))
    assert ("wise", "in cents", 1) == (changed.by, changed.reason, changed.retry)
    (again,) = (i for i in play.begun(RunSession).values() if i.request["phase_id"] == 1)
    assert ["in cents"] == again.request["guidance"]
    assert play.state.phase(1).advice is None


def test_what_it_took_counts_to_the_phase() -> None:
    """By the name of the agent."""
    usage = Usage(input=7, output=2)
    play = advised(failed(), Move.RETRY, guidance="in cents", usage=usage)
    assert ("wise", usage) in play.state.phase(1).usage


@pytest.mark.parametrize(("wanted", "model"), [("", "strong"), ("opus", "opus")])
def test_a_stronger_model_has_another_try(wanted: str, model: str) -> None:
    """That which is named, or the strongest tier."""
    play = advised(failed(), Move.RETRY_ESCALATED, wanted=wanted)
    (again,) = (i for i in play.begun(RunSession).values() if i.request["phase_id"] == 1)
    assert model == again.request["model"]


@pytest.mark.parametrize(
    ("named", "models", "model"),
    [("", {}, "strong"), ("opus", {}, "opus"), ("", {"supervise": "cheap"}, "cheap")],
)
def test_a_supervisor_is_asked_with_the_model_of_who_helps(
    named: str, models: dict[str, str], model: str
) -> None:
    """Unless its line in the table, or the setting of its role, names another."""
    agents = {AgentRole.SUPERVISE.value: PlanAgent(agent="wise", model=named)}
    settings = Settings(agent=("b",), plan_agents=agents, models=models, support_model="strong")
    play = PlanPlay(plan_of(phase(1)), settings=settings)
    play.routine()
    play.end_child(play.children()[1], "failed")
    play.step()
    assert model == call(play)[1].model


def test_debuggers_of_a_plan_use_the_model_of_who_helps() -> None:
    """What is set for their roles comes first."""
    helped = Settings(support_model="strong", models={"fix": "cheap"}).of_support.models
    assert {"diagnose": "strong", "fix": "cheap", "review": "strong"} == helped
    assert {} == Settings().of_support.models


@pytest.mark.parametrize("move", [Move.RETRY_DEPENDENCY, Move.REORDER])
def test_a_phase_that_needs_another_waits_for_it(move: Move) -> None:
    """The edge is in the plan, and the plan as it was before is kept."""
    play = advised(failed(), move, depends_on=(2,))
    assert (2,) == play.state.phase(1).phase.depends_on
    assert {2} == set(play.children())
    play.end_child(play.children()[2])
    play.routine()
    assert {1} == set(play.children())
    (changed,) = (event for event in play.events if isinstance(event, PlanChanged))
    assert () == changed.before.phases[0].depends_on


@pytest.mark.parametrize(
    ("move", "told"),
    [
        (Move.RETRY, {}),  # the same again
        (Move.RETRY, {"guidance": " "}),
        (Move.FIX_ROOT_CAUSE, {}),
        (Move.RETRY_DEPENDENCY, {}),
        (Move.RETRY_DEPENDENCY, {"depends_on": (9,)}),  # which is not in the plan
        (Move.RETRY_DEPENDENCY, {"depends_on": (3,)}),  # which waits for it: a circle
        (Move.RETRY_DEPENDENCY, {"depends_on": (1,)}),
        (Move.SKIP, {}),
        (Move.ESCALATE, {"asks": "Which currency?"}),
        (Move.RETRY, {"guidance": "in cents", "halt": "the goal contradicts itself"}),
    ],
)
def test_what_the_rules_do_not_let_through_is_asked_of_a_person(
    move: Move, told: dict[str, Any]
) -> None:
    """With the advice, in the question; the plan is as it was."""
    play = advised(failed(), move, **told)
    assert PhaseStatus.FAILED is play.state.phase(1).status
    assert play.plan == play.state.plan
    assert play.state.question
    said = play.state.question.text
    assert "wise says: The unit was not told." in said
    assert all(str(told[key]) in said for key in ("asks", "halt") if key in told)
    assert {} == play.begun(AskSupervisor)


def test_no_line_of_an_advice_stands_where_clew_s_own_do() -> None:
    """However many lines it has, and whatever ends them."""
    said = "which?\nforged\u2028forged"
    play = advised(failed(), Move.ESCALATE, asks=said, halt=said, reason=said)
    assert play.state.question
    lines = printable(play.state.question.text).split("\n")
    assert ["  forged"] * 6 == [line for line in lines if "forged" in line]


def erred(play: PlanPlay, kind: str) -> None:
    number, intent = call(play)
    said = AgentFailure(
        of=number, role=intent.role, agent=intent.agent, kind=kind, message="no JSON"
    )
    play.record(said)
    play.step()


def test_an_answer_that_cannot_be_used_is_asked_for_again() -> None:
    """As often as agents are; then a person decides, and is told why."""
    play = failed(agent_retries=1)
    erred(play, "invalid_output")
    assert (2, 2) == (call(play)[1].attempt, call(play)[1].call)
    erred(play, "invalid_output")
    assert {} == play.begun(AskSupervisor)
    assert play.state.question
    assert "No advice of wise: no JSON" in play.state.question.text


def test_a_supervisor_that_no_call_mends_is_not_called_again() -> None:
    """Nor one that has to be waited for: a person decides."""
    play = failed()
    erred(play, "not_logged_in")
    assert play.state.question


@pytest.mark.parametrize("bound", [{"max_tokens": 10}, {"max_usd": 0.0}])
def test_a_budget_that_is_spent_leaves_no_call(bound: dict[str, Any]) -> None:
    """A person is asked, as without a supervisor."""
    settings = Settings(plan_agents={AgentRole.SUPERVISE: PlanAgent(agent="wise")}, **bound)
    play = PlanPlay(plan_of(phase(1)), settings=settings)
    play.routine()
    usage = [["builder", {"input": 8, "output": 8}]]
    play.end_child(play.children()[1], "failed", usage_by_agent=usage)
    play.step()
    assert {} == play.begun(AskSupervisor)
    assert play.state.question


def test_a_phase_that_was_tried_often_enough_is_a_person_s() -> None:
    """Each try counts, whoever asked for it."""
    play = advised(failed(), Move.RETRY, guidance="in cents")
    children: dict[PhaseId, int] = play.children()
    play.end_child(children[1], "failed")
    play.step()
    assert {} == play.begun(AskSupervisor)
    assert play.state.question
