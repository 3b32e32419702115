"""Answers about a plan: written, one phase of it carried out, a failure of it judged."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from clew.agents.form import Words
from clew.agents.replies.base import Changing, Reply
from clew.words.phases import DownstreamContext, downstream_context
from clew.words.plans import CODER, Criterion, Design, PhaseId, Plan, PlanPhase, shown

__all__ = ["ImplementReply", "Move", "PlanReply", "SuperviseReply", "SupervisorAction"]

Lines = str | tuple[str | float | bool | None, ...] | None  # what is no text is left out


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class HandedOn(msgspec.Struct, frozen=True, kw_only=True):
    """What those who come after have to know, as an agent writes it; see `DownstreamContext`."""

    key_interfaces_introduced: Lines = None
    patterns_established: Lines = None
    integration_points: Lines = None
    assumptions: Lines = None
    warnings: Lines = None


class ImplementReply(Changing, frozen=True, kw_only=True):
    """The JSON that an implementer prints."""

    status: Literal["done", "blocked"]
    summary: Words
    files_modified: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    downstream_context: HandedOn | str | None = None

    def __post_init__(self) -> None:
        """Hold the implementer to it: who is blocked says by what, and leaves nothing behind."""
        blocked, named = self.status == "blocked", any(map(str.strip, self.blockers))
        if not self.summary.strip():
            raise ValueError("a `summary` that says nothing")
        if blocked and not named:
            raise ValueError("blocked without a blocker: name what is missing under `blockers`")
        if blocked and self.changes:
            raise ValueError("blocked, and with `changes`: who is blocked changes nothing")
        if named and not blocked:
            raise ValueError("done, and with `blockers`: what is no blocker is a concern")

    @property
    def context(self) -> DownstreamContext:
        """What it hands on, in the form in which it is kept."""
        told = self.downstream_context
        return downstream_context(msgspec.to_builtins(told))


class PhaseForm(_Strict, frozen=True, kw_only=True):
    """A phase, as a planner writes it; see `PlanPhase`."""

    id: int | Words
    name: Words
    agent: str = ""
    objective: Words
    description: str = ""
    depends_on: tuple[int | Words, ...] = ()
    parallel: bool = True
    creates: tuple[Words, ...] = ()
    modifies: tuple[Words, ...] = ()
    deletes: tuple[Words, ...] = ()
    test_files: tuple[Words, ...] = ()
    criteria: Annotated[tuple[Criterion, ...], msgspec.Meta(min_length=1)]
    validation: tuple[tuple[Words, ...], ...] = ()


class PlanReply(Reply, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that a planner prints; whether the plan holds together is checked by the engine."""

    title: Words
    goal: Words
    complexity: Literal["simple", "medium", "complex"]
    phases: Annotated[tuple[PhaseForm, ...], msgspec.Meta(min_length=1)]
    test_command: str = ""
    notes: str = ""
    design: Design | None = None

    @property
    def plan(self) -> Plan:
        """The plan as it is checked, shown and carried out."""
        fields = map(msgspec.structs.asdict, self.phases)
        phases = (PlanPhase(**{**each, "agent": each["agent"] or CODER}) for each in fields)
        return Plan(
            title=self.title,
            goal=self.goal,
            complexity=self.complexity,
            test_command=self.test_command,
            phases=tuple(phases),
            notes=self.notes,
        )


class Move(StrEnum):
    """What may be done about a task that failed."""

    RETRY = "retry"  # once more, told what is to be otherwise
    RETRY_ESCALATED = "retry_escalated"  # once more, with a stronger model
    RETRY_DEPENDENCY = "retry_dependency"  # after another task, on which it depends in truth
    REPLAN = "replan"
    REORDER = "reorder"
    FIX_ROOT_CAUSE = "fix_root_cause"
    SKIP = "skip"
    ESCALATE = "escalate"  # a person is asked


class SupervisorAction(_Strict, frozen=True, kw_only=True):
    """What is to be done about one task, and why."""

    task_id: PhaseId
    action: Move
    reason: Words
    new_model: str | None = None
    additional_context: str | None = None
    human_question: str | None = None
    depends_on: tuple[PhaseId, ...] = ()  # what it is to wait for

    def __post_init__(self) -> None:
        """Hold the supervisor to what its action needs."""
        needed = _NEEDED.get(self.action)
        if not self.reason.strip():
            raise ValueError(f"{self._named} without a `reason`")
        if needed and not _says(getattr(self, needed[0])):
            raise ValueError(f"{self._named} without `{needed[0]}`: {needed[1]}")

    @property
    def _named(self) -> str:
        return f"{self.action} of task {shown(self.task_id)}"


_NEEDED = {
    Move.RETRY: ("additional_context", "the same again ends the same; say what is to be otherwise"),
    Move.REPLAN: ("additional_context", "say what is wrong with the plan"),
    Move.FIX_ROOT_CAUSE: ("additional_context", "say what is to be mended, and where"),
    Move.REORDER: ("depends_on", "name the tasks that it is to wait for"),
    Move.ESCALATE: ("human_question", "say what a person is to decide"),
}


def _says(value: object) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


class SuperviseReply(Reply, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that a supervisor prints."""

    diagnosis: Words
    pattern_detected: str | None = None
    actions: tuple[SupervisorAction, ...] = ()
    recommendations: tuple[str, ...] = ()
    should_halt: bool = False
    halt_reason: str | None = None

    def __post_init__(self) -> None:
        """Hold the supervisor to deciding something."""
        if not self.diagnosis.strip():
            raise ValueError("a `diagnosis` that says nothing")
        if self.should_halt and not _says(self.halt_reason or ""):
            raise ValueError("`should_halt` without a `halt_reason`")
        if not self.should_halt and not self.actions:
            raise ValueError("neither `actions` nor a halt: nothing is decided")
        tasks = [action.task_id for action in self.actions]
        if twice := next((task for task in tasks if tasks.count(task) > 1), None):
            raise ValueError(f"two `actions` for task {shown(twice)}")
