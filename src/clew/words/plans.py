"""A plan: the phases that agents carry out, who does each, and what has to come before it.

Every form of plan is read into these records (`clew.documents.plans`); they are what is checked,
ordered and shown (`clew.analysis.plans`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from clew.words.facts import Fact

__all__ = [
    "CODER",
    "DOCUMENTATION",
    "DRAFT",
    "KINDS",
    "LARGEST_PLANS",
    "Criterion",
    "Design",
    "PhaseId",
    "Plan",
    "PlanAgent",
    "PlanFinding",
    "PlanPhase",
    "PlanPlace",
    "PlanRevision",
    "PlanRule",
    "RevisionType",
    "Severity",
    "SpecReference",
    "VerifyBy",
    "shown",
    "writes",
]

PhaseId = int | str  # 1 and "1" are two phases

DOCUMENTATION = "documentation"  # a phase that says what all others delivered, after them
KINDS = ("", DOCUMENTATION)
DRAFT = "draft"  # the `status` of a plan, or of a design, that a person has to approve
CODER = "coder"  # carries out a phase of a form that names no agents
LARGEST_PLANS: dict[str, int | None] = {"simple": 3, "medium": 5, "complex": None}  # phases

# Agents of the tools whose plans Clew reads, that look and advise and write no files there.
_READERS = frozenset(
    {"accessibility_specialist", "api_designer", "architect", "code_reviewer", "debugger"}
    | {"compliance_reviewer", "content_strategist", "performance_engineer", "reviewer"}
    | {"security_engineer", "seo_specialist"}
)


class VerifyBy(StrEnum):
    """How it is found out whether a criterion is met."""

    TEST = "test"
    SCHEMA_CHECK = "schema_check"
    FILE_EXISTS = "file_exists"
    LINT = "lint"
    MANUAL = "manual"  # a person looks


class Severity(StrEnum):
    """What a finding means for a plan: an error keeps it from being carried out."""

    ERROR = "error"
    WARNING = "warning"


class PlanRule(StrEnum):
    """What a plan keeps to, by the name that findings have."""

    INVALID_PLAN = "invalid_plan"
    EMPTY = "empty"
    MISSING_REQUIRED_FIELD = "missing_required_field"
    INVALID_FIELD_TYPE = "invalid_field_type"
    INVALID_FIELD_VALUE = "invalid_field_value"
    UNKNOWN_FIELD = "unknown_field"
    PHASE_COUNT = "phase_count"
    DUPLICATE_ID = "duplicate_id"
    DANGLING_DEPENDENCY = "dangling_dependency"
    CYCLIC_DEPENDENCY = "cyclic_dependency"
    REDUNDANT_DEPENDENCY = "redundant_dependency"
    FILE_OVERLAP = "file_overlap"
    AGENT_CAPABILITY_MISMATCH = "agent_capability_mismatch"


class Criterion(Fact, frozen=True, kw_only=True):
    """What has to be true for a phase to be accepted, in one line."""

    criterion: str
    verify_by: VerifyBy = VerifyBy.MANUAL
    target: str = ""  # what to look at: a test, a file, `file:name`


class SpecReference(Fact, frozen=True, kw_only=True):
    """Where a specification asks for what a phase does."""

    spec: str
    section: str = ""
    requirement: str = ""


class PlanPhase(Fact, frozen=True, kw_only=True):
    """One piece of work for one agent; its files are those that the plan declares."""

    id: PhaseId
    name: str = ""
    agent: str = ""  # as the plan calls it: see PlanAgent
    kind: str = ""  # one of KINDS
    objective: str = ""
    description: str = ""
    depends_on: tuple[PhaseId, ...] = ()
    parallel: bool = True  # may run beside others
    batch: int | None = None  # runs after every phase of a lower batch
    creates: tuple[str, ...] = ()
    modifies: tuple[str, ...] = ()  # also what a form does not tell from creating
    deletes: tuple[str, ...] = ()
    test_files: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    validation: tuple[tuple[str, ...], ...] = ()  # commands, as argument lists
    model: str = ""  # a tier or a model; empty for the agent's own
    references: tuple[SpecReference, ...] = ()
    extra: dict[str, Any] = msgspec.field(default_factory=dict)  # other keys, as plain values

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the phase declares, as it is written there."""
        return (*self.creates, *self.modifies, *self.deletes, *self.test_files)


class Design(Fact, frozen=True, kw_only=True):
    """Why a plan is as it is: what has to be solved, how, and what else was thought of."""

    problem: str
    requirements: tuple[str, ...] = ()
    approach: str
    alternatives: tuple[str, ...] = ()  # and why they were not taken
    architecture: str = ""
    risks: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()


class PlanPlace(Fact, frozen=True, kw_only=True):
    """Where something of a plan stands: a file, and a line that counts from 1."""

    path: str
    line: int


class Plan(Fact, frozen=True, kw_only=True):
    """A plan as it was read; `places` says where each field stands, as in `phases[0].agent`."""

    title: str = ""
    goal: str = ""
    design: str = ""  # path of the design document
    complexity: str = ""  # one of LARGEST_PLANS, or empty
    test_command: str = ""
    merge_batch: int | None = None  # phases that are merged before the gates run
    phases: tuple[PlanPhase, ...] = ()
    notes: str = ""
    extra: dict[str, Any] = msgspec.field(default_factory=dict)  # other keys, as plain values
    places: dict[str, PlanPlace] = msgspec.field(default_factory=dict)

    @property
    def bare(self) -> Plan:
        """The plan alone, wherever it was written."""
        return msgspec.structs.replace(self, places={})

    @property
    def is_draft(self) -> bool:
        """Whether it says of itself that nobody has approved it yet."""
        return self.extra.get("status") == DRAFT

    def place(self, where: str) -> PlanPlace | None:
        """Return where a field stands, or what is around it; None for a plan of no file."""
        return next((self.places[each] for each in _around(where) if each in self.places), None)


class RevisionType(StrEnum):
    """What a revision does to a phase of a plan."""

    EXPAND_PHASE = "expand_phase"  # it owns more
    ADD_PHASE = "add_phase"
    SPLIT_PHASE = "split_phase"
    UPDATE_TASKS = "update_tasks"  # it says otherwise what is to be done
    COLLAPSE_PHASE = "collapse_phase"  # it is part of another one


class PlanRevision(Fact, frozen=True, kw_only=True):
    """What became of a phase; `into` are those that do its work, or parts of it, from then on."""

    type: RevisionType
    phase: PhaseId
    into: tuple[PhaseId, ...] = ()

    def __str__(self) -> str:
        into = f" → {', '.join(map(shown, self.into))}" if self.into else ""
        return f"{self.type} {shown(self.phase)}{into}"


class PlanFinding(Fact, frozen=True, kw_only=True):
    """What is wrong with a plan, or worth a look: `where` is the field."""

    code: PlanRule
    severity: Severity = Severity.ERROR
    message: str
    where: str = ""
    path: str = ""
    line: int = 0  # 0 where the plan is of no file

    @property
    def is_error(self) -> bool:
        """Whether it keeps the plan from being carried out."""
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        place = ":".join(filter(None, (self.path, str(self.line or ""))))
        return f"{place + ': ' if place else ''}{self.severity}: {self.message} [{self.code}]"


class PlanAgent(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's name in plans stands for."""

    agent: str = ""  # of those that `clew agents` lists; empty for the ladder of the settings
    model: str = ""
    writes: bool = True  # files of the project


def shown(phase: PhaseId) -> str:
    """Return a phase's id as people read it; an id of text that looks like a number is quoted."""
    return f'"{phase}"' if isinstance(phase, str) and not phase.strip("0123456789") else str(phase)


def writes(agent: str, agents: Mapping[str, PlanAgent]) -> bool:
    """Whether an agent that a plan names may write files: as set, else as such agents do."""
    if agent in agents:
        return agents[agent].writes
    return agent.strip().lower().replace("-", "_").replace(" ", "_") not in _READERS


def _around(where: str) -> Iterator[str]:
    """Yield a field's name and those of what is around it, the plan's own (empty) last."""
    yield where
    while where:
        where = where[: max(where.rfind("."), where.rfind("["), 0)]
        yield where
