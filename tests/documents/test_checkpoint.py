"""Checkpoints."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from clew.documents.checkpoint import Checkpoint, Outputs, from_json, safe_to_resume, to_json
from clew.documents.front_matter import DocumentUnreadable
from storykit import NOW

SAFE = Checkpoint(
    checkpoint_id="tests_passing",
    project_name="shop",
    workflow_description="make the tests pass",
    created_at=NOW,
    updated_at=NOW,
    status="in_progress",
    tests_passing=True,
    workflow_state={"debug_iteration": 1, "debug_history": [{"iteration": 1}]},
    outputs=Outputs(tests_passing=True, debug_iterations=1),
)


def test_a_checkpoint_reads_back_equal() -> None:
    """With every field of the format in the file."""
    text = to_json(SAFE)

    assert from_json(text) == SAFE
    assert all(f'"{name}"' in text for name in Checkpoint.__struct_fields__)


def test_unknown_keys_are_let_be() -> None:
    """A file of the same version may say more."""
    assert from_json(to_json(SAFE).replace("{", '{"foreign": 1,', 1)) == SAFE


@pytest.mark.parametrize("text", ["", "{", "[]", '{"checkpoint_id": 3}', "\ud800"])
def test_a_damaged_checkpoint_says_so(text: str) -> None:
    """Never a traceback."""
    with pytest.raises(DocumentUnreadable):
        from_json(text)


def test_a_newer_checkpoint_is_refused() -> None:
    """Rather than half understood."""
    with pytest.raises(DocumentUnreadable, match="schema version 2"):
        from_json(to_json(replace(SAFE, schema_version=2)))


@pytest.mark.parametrize(
    ("age", "reason"),
    [
        (timedelta(days=7), None),
        (timedelta(days=7, seconds=1), "it is older than 7 days"),
        (timedelta(0), None),
    ],
)
def test_seven_days_to_the_second_are_safe(age: timedelta, reason: str | None) -> None:
    """One second more is not."""
    assert safe_to_resume(SAFE, NOW + age) == reason


def test_the_first_reason_counts() -> None:
    """Tests, error, status, age, plan: in this order."""
    worst = replace(
        SAFE, tests_passing=False, last_error="x", status="failed", plan_modification_time=1.0
    )
    later = NOW + timedelta(days=8)
    order = []
    for mend in (
        {"tests_passing": True},
        {"last_error": None},
        {"status": "in_progress"},
        {"updated_at": later},
        {"plan_modification_time": 2.0},
    ):
        order.append(safe_to_resume(worst, later, plan_modification_time=2.0))
        worst = replace(worst, **mend)

    assert order == [
        "the tests were failing",
        "the last error was: x",
        "its status is failed",
        "it is older than 7 days",
        "the plan has changed since",
    ]
    assert safe_to_resume(worst, later, plan_modification_time=2.0) is None
    assert safe_to_resume(worst, later) == "the plan is gone"
