"""What agents of plans answer, read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.agents.replies import (
    ImplementReply,
    Move,
    PlanReply,
    SuperviseReply,
    parse,
)
from clew.agents.roles import ROLES
from clew.analysis.plans import check
from clew.words.errors import AgentFailed
from clew.words.phases import NO_CONTEXT
from clew.words.plans import VerifyBy

DONE = {"status": "done", "summary": "The cart adds up."}
BLOCKED = {"status": "blocked", "summary": "No model.", "blockers": ["shop/model.py lacks"]}
PHASE = {
    "id": 1,
    "name": "Add the cart",
    "objective": "A cart adds up.",
    "creates": ["shop/cart.py"],
    "test_files": ["tests/test_cart.py"],
    "criteria": [{"criterion": "It adds up", "verify_by": "test"}],
    "validation": [["pytest", "-q"]],
}
LATER = {**PHASE, "id": "two", "depends_on": [1], "creates": ["shop/till.py"], "test_files": []}
PLAN = {"title": "Shop", "goal": "Books are sold.", "complexity": "simple", "phases": [PHASE]}
ACTION = {"task_id": 2, "action": "skip", "reason": "Nothing needs it."}
VERDICT = {"diagnosis": "Task 2 needs what task 4 makes.", "actions": [ACTION]}


def test_an_implementer_hands_on_what_it_says_and_nothing_that_says_nothing() -> None:
    """As a text or as a list; `none` and what is no text are left out."""
    told = {
        "key_interfaces_introduced": "total(items) -> int ",
        "warnings": ["none", "real warning", "n/a", 3, None],
        "mood": "good",
    }
    reply = parse(json.dumps(DONE | {"downstream_context": told}), ImplementReply)

    assert ("total(items) -> int",) == reply.context.key_interfaces_introduced
    assert ("real warning",) == reply.context.warnings
    silent = parse(json.dumps(DONE | {"downstream_context": "n/a"}), ImplementReply)
    assert NO_CONTEXT == silent.context


def test_an_implementer_that_is_blocked_says_by_what() -> None:
    """It changes nothing: who builds on it would build on half a thing."""
    reply = parse(json.dumps(BLOCKED), ImplementReply)

    assert ("blocked", ("shop/model.py lacks",)) == (reply.status, reply.blockers)
    assert "" == reply.unready


def test_a_plan_comes_as_data() -> None:
    """With ids as they are written, to be checked, shown and carried out as any other."""
    plan = parse(json.dumps(PLAN | {"phases": [PHASE, LATER]}), PlanReply).plan

    assert [1, "two"] == [phase.id for phase in plan.phases]
    assert (1,) == plan.phases[1].depends_on
    assert VerifyBy.TEST is plan.phases[0].criteria[0].verify_by
    assert (("pytest", "-q"),) == plan.phases[0].validation
    assert () == check(plan)


@pytest.mark.parametrize(
    "more",
    [
        {"action": "retry", "additional_context": "Import from shop.model."},
        {"action": "retry_escalated", "new_model": "strong"},
        {"action": "retry_dependency", "depends_on": [4]},
        {"action": "replan", "additional_context": "Tasks 2 and 4 are one."},
        {"action": "reorder", "depends_on": ["4"]},
        {"action": "fix_root_cause", "additional_context": "shop/model.py, since before."},
        {"action": "skip"},
        {"action": "escalate", "human_question": "Which currency?"},
    ],
)
def test_a_supervisor_may_do_eight_things(more: dict[str, Any]) -> None:
    """Each with what it needs to be carried out."""
    reply = parse(json.dumps(VERDICT | {"actions": [ACTION | more]}), SuperviseReply)

    assert Move(more["action"]) is reply.actions[0].action


def test_every_move_was_tried() -> None:
    """The eight of them."""
    assert 8 == len(Move)


def without(told: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in names}


@pytest.mark.parametrize(
    ("role", "said", "why"),
    [
        ("implement", without(DONE, "status"), "status"),
        ("implement", without(DONE, "summary"), "summary"),
        ("implement", DONE | {"status": "partial"}, "partial"),
        ("implement", DONE | {"summary": " "}, "`summary` that says nothing"),
        ("implement", DONE | {"blockers": ["x"]}, "done, and with `blockers`"),
        ("implement", BLOCKED | {"blockers": [" "]}, "blocked without a blocker"),
        (
            "implement",
            BLOCKED | {"changes": [{"file": "a", "current": "", "should_be": "b"}]},
            "who is blocked changes nothing",
        ),
        ("plan", without(PLAN, "goal"), "goal"),
        ("plan", PLAN | {"phases": []}, "length >= 1.*phases"),
        ("plan", PLAN | {"phases": [without(PHASE, "criteria")]}, r"criteria.*phases"),
        ("plan", PLAN | {"phases": [PHASE | {"objective": ""}]}, "objective"),
        ("plan", PLAN | {"phases": [PHASE | {"validation": ["pytest -q"]}]}, "validation"),
        ("plan", PLAN | {"phases": [PHASE | {"owner": "me"}]}, "owner"),
        ("supervise", without(VERDICT, "diagnosis"), "diagnosis"),
        ("supervise", VERDICT | {"diagnosis": " "}, "`diagnosis` that says nothing"),
        ("supervise", VERDICT | {"actions": []}, "nothing is decided"),
        ("supervise", VERDICT | {"should_halt": True}, "without a `halt_reason`"),
        ("supervise", VERDICT | {"actions": [ACTION, ACTION]}, "two `actions` for task 2"),
        ("supervise", VERDICT | {"actions": [ACTION | {"action": "pray"}]}, "pray"),
        (
            "supervise",
            VERDICT | {"actions": [ACTION | {"action": "retry"}]},
            "retry of task 2 without `additional_context`",
        ),
        (
            "supervise",
            VERDICT | {"actions": [ACTION | {"action": "reorder"}]},
            "reorder of task 2 without `depends_on`",
        ),
        (
            "supervise",
            VERDICT | {"actions": [ACTION | {"action": "escalate", "human_question": " "}]},
            "escalate of task 2 without `human_question`",
        ),
    ],
)
def test_an_answer_that_lacks_something_says_what(
    role: str, said: dict[str, Any], why: str
) -> None:
    """So that whoever asks again can tell the agent."""
    with pytest.raises(AgentFailed, match=why) as failed:
        parse(json.dumps(said), ROLES[role].reply)

    assert "invalid_output" == failed.value.kind
