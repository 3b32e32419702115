"""The records of a plan's session, as they stand in its document.

Times are aware datetimes; paths are POSIX and relative to the project's root.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from clew.words.facts import Fact
from clew.words.phases.downstream import NO_CONTEXT, DownstreamContext
from clew.words.plans import PhaseId

__all__ = [
    "AgentOutput",
    "ErrorKind",
    "OverallStatus",
    "PhaseError",
    "PhaseRecord",
    "PhaseStatus",
    "SessionRecord",
    "TokenCount",
    "TokenUsage",
]


class PhaseStatus(StrEnum):
    """How a phase stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"  # by a person

    @property
    def done(self) -> bool:
        """Whether what waits for the phase may begin."""
        return self in (PhaseStatus.COMPLETED, PhaseStatus.SKIPPED)


class OverallStatus(StrEnum):
    """How a session stands as a whole."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"  # every phase is completed or skipped
    FAILED = "failed"
    ABORTED = "aborted"  # by a person


class ErrorKind(StrEnum):
    """What went wrong in a phase."""

    VALIDATION = "validation"
    TIMEOUT = "timeout"
    FILE_CONFLICT = "file_conflict"
    RUNTIME = "runtime"
    DEPENDENCY = "dependency"


class PhaseError(Fact, frozen=True, kw_only=True):
    """One thing that went wrong in a phase; each retry is an entry of its own."""

    agent: str
    timestamp: datetime | None  # None where a document of another tool does not say it
    type: ErrorKind
    message: str
    resolution: str = "pending"
    resolved: bool = False


class AgentOutput(Fact, frozen=True, kw_only=True):
    """What one agent had to say in a phase."""

    agent: str
    text: str


class PhaseRecord(Fact, frozen=True, kw_only=True):
    """One phase of a session; `outputs` and `validation` stand in the log only."""

    id: PhaseId
    name: str
    status: PhaseStatus = PhaseStatus.PENDING
    agents: tuple[str, ...] = ()
    parallel: bool = False
    started: datetime | None = None
    completed: datetime | None = None
    blocked_by: tuple[PhaseId, ...] = ()
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    planned_files: tuple[str, ...] = ()
    downstream_context: DownstreamContext = NO_CONTEXT
    errors: tuple[PhaseError, ...] = ()
    retry_count: int = 0
    requires_reconciliation: bool = False  # its reports and git disagree; blocks the archive
    reconciliation_reason: str = ""
    outputs: tuple[AgentOutput, ...] = ()
    validation: str = ""

    @property
    def open_errors(self) -> tuple[PhaseError, ...]:
        """Those that nothing has resolved yet."""
        return tuple(error for error in self.errors if not error.resolved)


class TokenCount(Fact, frozen=True, kw_only=True):
    """What one agent used, or all of them; None is unknown, and so is a sum with it."""

    input: int | None = 0
    output: int | None = 0
    cached: int | None = 0

    def __add__(self, other: TokenCount) -> TokenCount:
        return TokenCount(
            input=_sum(self.input, other.input),
            output=_sum(self.output, other.output),
            cached=_sum(self.cached, other.cached),
        )

    @property
    def whole(self) -> int | None:
        """Input and output together."""
        return _sum(self.input, self.output)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class TokenUsage(Fact, frozen=True, kw_only=True):
    """What each agent used; there is no total that could differ from their sum."""

    by_agent: dict[str, TokenCount] = msgspec.field(default_factory=dict)

    @property
    def total(self) -> TokenCount:
        return sum(self.by_agent.values(), TokenCount())

    def plus(self, agent: str, count: TokenCount) -> TokenUsage:
        """Return the usage with a call of an agent counted in."""
        before = self.by_agent.get(agent, TokenCount())
        return TokenUsage(by_agent={**self.by_agent, agent: before + count})


class SessionRecord(Fact, frozen=True, kw_only=True):
    """A session of a plan."""

    session_id: str
    task: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    status: OverallStatus = OverallStatus.IN_PROGRESS
    workflow_mode: str | None = None  # standard or express
    execution_mode: str | None = None  # parallel or sequential
    execution_backend: str | None = None
    task_complexity: str | None = None  # simple, medium or complex
    design_document: str | None = None
    implementation_plan: str | None = None
    current_phase: PhaseId | None = None
    current_batch: str | None = None  # what else runs
    token_usage: TokenUsage = TokenUsage()
    phases: tuple[PhaseRecord, ...] = ()

    @property
    def total_phases(self) -> int:
        return len(self.phases)

    def find(self, phase: PhaseId) -> PhaseRecord | None:
        """Return a phase by its id; 1 and "1" are two."""
        return next((p for p in self.phases if _same(p.id, phase)), None)


def _same(one: PhaseId, other: PhaseId) -> bool:
    return type(one) is type(other) and one == other
