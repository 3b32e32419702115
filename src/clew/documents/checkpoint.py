"""Checkpoints: a state to come back to, as JSON, and whether that is safe without asking."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from clew.documents.front_matter import DocumentUnreadable
from clew.words.facts import Fact

__all__ = ["SCHEMA_VERSION", "Checkpoint", "Outputs", "from_json", "safe_to_resume", "to_json"]

SCHEMA_VERSION = 1
OLDEST = timedelta(days=7)


class Outputs(Fact, frozen=True, kw_only=True):
    """What the phase had come to when the checkpoint was made."""

    tests_passing: bool
    debug_iterations: int = 0
    debug_reports: tuple[str, ...] = ()
    issues_resolved: tuple[str, ...] = ()
    unresolved_issues: tuple[str, ...] = ()
    status: str = ""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint; `workflow_state` is the caller's own, kept as it is."""

    schema_version: int = SCHEMA_VERSION
    checkpoint_id: str
    workflow_type: str = "debugging"
    project_name: str
    workflow_description: str
    created_at: datetime
    updated_at: datetime
    status: str  # in_progress, completed, failed …
    current_phase: int = 1
    total_phases: int = 1
    completed_phases: tuple[int, ...] = ()
    workflow_state: dict[str, Any] = msgspec.field(default_factory=dict)
    last_error: str | None = None
    tests_passing: bool = False
    plan_modification_time: float | None = None
    replanning_count: int = 0
    last_replan_reason: str | None = None
    replan_phase_counts: dict[str, int] = msgspec.field(default_factory=dict)
    replan_history: tuple[dict[str, Any], ...] = ()
    debug_report_path: str | None = None
    user_last_choice: str | None = None
    debug_iteration_count: int = 0
    phase_name: str = "debugging"
    completion_time: datetime | None = None
    outputs: Outputs | None = None
    next_phase: str = ""  # documentation or manual_intervention
    performance: dict[str, Any] = msgspec.field(default_factory=dict)
    user_options: tuple[str, ...] = ()
    debug_summary: str = ""


def to_json(checkpoint: Checkpoint) -> str:
    """Return the checkpoint as indented JSON; `from_json` gives it back equal."""
    return msgspec.json.format(msgspec.json.encode(checkpoint), indent=2).decode() + "\n"


def from_json(text: str) -> Checkpoint:
    """Read a checkpoint; raises DocumentUnreadable for a damaged one, or one of a newer version."""
    try:
        checkpoint = msgspec.json.decode(text, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise DocumentUnreadable(
            f"the checkpoint cannot be read: {error}",
            hint="Use an earlier checkpoint; `clew checkpoints` lists them.",
        ) from error
    if checkpoint.schema_version > SCHEMA_VERSION:
        raise DocumentUnreadable(
            f"the checkpoint has schema version {checkpoint.schema_version}; this Clew reads up to"
            f" {SCHEMA_VERSION}",
            hint="Open it with the newer Clew that wrote it.",
        )
    return checkpoint


def safe_to_resume(
    checkpoint: Checkpoint, now: datetime, *, plan_modification_time: float | None = None
) -> str | None:
    """Return why a person should be asked before going on from here; None if it is safe.

    The first reason of: tests failing, an error on record, not in progress, older than 7 days
    (exactly 7 are safe), another plan than `plan_modification_time` tells of now.
    """
    age = now - checkpoint.updated_at
    reasons = (
        (not checkpoint.tests_passing, "the tests were failing"),
        (checkpoint.last_error is not None, f"the last error was: {checkpoint.last_error}"),
        (checkpoint.status != "in_progress", f"its status is {checkpoint.status}"),
        (age > OLDEST, "it is older than 7 days"),
        (
            checkpoint.plan_modification_time != plan_modification_time,
            "the plan has changed since"
            if plan_modification_time is not None
            else "the plan is gone",
        ),
    )
    return next((reason for unsafe, reason in reasons if unsafe), None)
