"""What happens in a plan, as frozen records; its phases' own events are in their streams."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from clew.agents.replies import Move
from clew.words.codec import Codec
from clew.words.gates import GateKind, GateStatus
from clew.words.lessons import Lesson
from clew.words.phases import PhaseStatus, SessionRecord
from clew.words.plans import Design, PhaseId, Plan, PlanRevision
from clew.words.records import (
    Abandoned,
    AgentCall,
    AgentFailure,
    AgentOutcome,
    Answered,
    Asked,
    BaseTaken,
    ChildAnswered,
    ChildAsked,
    ChildEnded,
    ChildStalled,
    Concluded,
    Event,
    Intent,
    Interrupted,
    Outcome,
    ProjectOpened,
    RunSession,
    Started,
    TakeBase,
    WentBack,
)

__all__ = [
    "ABORTED",
    "CODEC",
    "COMPLETED",
    "KIND",
    "TERMINATED",
    "AnyPlanEvent",
    "AnyPlanIntent",
    "ArchiveBegun",
    "ArchiveMove",
    "Archived",
    "AskPlanner",
    "AskSupervisor",
    "DocumentImported",
    "DocumentRendered",
    "ForkedPhase",
    "GatesRan",
    "MergePhase",
    "MergeTried",
    "PairFound",
    "PhaseMerged",
    "PlanAnswered",
    "PlanAsked",
    "PlanBounded",
    "PlanChanged",
    "PlanForked",
    "PlanOpened",
    "PlanOption",
    "PlanProposed",
    "PlanWentBack",
    "RenderDocument",
    "RunGates",
    "Supervised",
    "TryMerge",
]

KIND = "plan"
COMPLETED, ABORTED, TERMINATED = "completed", "aborted", "terminated"


class PlanOpened(ProjectOpened, frozen=True, kw_only=True):
    """A plan begins; what is settled here holds for its whole life."""

    plan: Plan
    plan_hash: str  # SHA-256 of the file as a person approved it
    plan_path: str
    parallel: int  # phases at work side by side, at most
    max_retries: int = 2  # of a phase, before a person is asked
    review: bool = False  # a person looks at each phase before it is merged
    learned: tuple[Lesson, ...] = ()  # in earlier plans
    continues: bool = False  # the next event says where it stands: imported, or a fork
    document: str = ""  # of another layout than ours, relative to the project's root


class MergePhase(Intent, frozen=True, kw_only=True):
    """Put what a phase came to on top of the plan's branch, as one commit."""

    phase: PhaseId
    base: str  # the phase began with it
    commit: str  # and ended with this
    onto: str


class PhaseMerged(Outcome, frozen=True, kw_only=True):
    """A phase's change lies on top of the plan's branch; with `conflicts` nothing is done."""

    phase: PhaseId
    commit: str = ""
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()  # files that both sides changed
    undone: tuple[str, ...] = ()  # what steers Clew: an agent's edits of it are left out


class RunGates(Intent, frozen=True, kw_only=True):
    """Hold the plan's branch, with a phase merged, against the gates."""

    phase: PhaseId
    base: str
    commit: str


class GatesRan(Outcome, frozen=True, kw_only=True):
    """What the gates say of a commit."""

    phase: PhaseId
    commit: str
    status: GateStatus
    summary: str
    output: str = ""  # blob: all results, with their output
    tests_failed: bool = False  # of the gates that failed, the tests are one
    failed: tuple[GateKind, ...] = ()  # the gates that failed
    failing: tuple[str, ...] = ()  # tests, by their ids
    undeclared: tuple[str, ...] = ()  # files whose change has to be declared, and is not
    awaits: tuple[str, ...] = ()  # criteria that a person decides, each in a line
    missing: tuple[str, ...] = ()  # modules that are not there, and that another phase creates


class TryMerge(Intent, frozen=True, kw_only=True):
    """See whether a phase is red already on top of an earlier state of the plan's branch."""

    phase: PhaseId
    base: str
    commit: str
    onto: str


class MergeTried(Outcome, frozen=True, kw_only=True):
    """What the gates say of a phase on top of an earlier state; no status: it does not fit."""

    phase: PhaseId
    onto: str
    status: GateStatus | None = None
    summary: str = ""


class PairFound(Event, frozen=True, kw_only=True):
    """Two phases that are green alone are red together."""

    phase: PhaseId  # that was merged later
    other: PhaseId
    tried: int = 0  # merges of the phase with less below it


class AskSupervisor(AgentCall, frozen=True, kw_only=True, tag="CallAgent"):
    """Have an agent say what becomes of a phase that failed."""

    phase: PhaseId


class Supervised(AgentOutcome, frozen=True, kw_only=True):
    """What an agent says of a phase that failed; it is carried out as far as the rules let it."""

    phase: PhaseId
    diagnosis: str
    move: Move
    reason: str
    guidance: str = ""  # what the next attempt is to know
    wanted: str = ""  # the model for the next attempt
    depends_on: tuple[PhaseId, ...] = ()  # what it is to wait for
    asks: str = ""  # what a person is to decide
    pattern: str = ""  # what several failures have in common
    halt: str = ""  # why nothing is to go on


class AskPlanner(AgentCall, frozen=True, kw_only=True, tag="AskPlanner"):
    """Have an agent cut anew what is left of the plan, since a phase failed."""

    phase: PhaseId
    wanted: str = ""  # what is wrong with the plan, in the words of who wants it


class PlanProposed(AgentOutcome, frozen=True, kw_only=True):
    """A plan that an agent wrote, and that keeps to the rules."""

    plan: Plan  # of a revision the phases that are left alone
    design: Design | None = None
    phase: PhaseId | None = None  # that failed, where it is a revision


class RenderDocument(Intent, frozen=True, kw_only=True):
    """Write the final summary for people."""


class DocumentRendered(Outcome, frozen=True, kw_only=True):
    """A document for people is at `path`."""

    path: str


class PlanOption(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to a plan's question: the word to answer with, what it does, its command."""

    word: str
    text: str
    command: str


class PlanAsked(Asked, frozen=True, kw_only=True, tag="QuestionAsked"):
    """A person has to say what becomes of a phase; others go on meanwhile."""

    phase: PhaseId
    options: tuple[PlanOption, ...]


class PlanAnswered(Answered, frozen=True, kw_only=True, tag="QuestionAnswered"):
    """A person's answer; `text` is their words, and data."""


class PlanChanged(Event, frozen=True, kw_only=True):
    """The plan is another one from here on; `before` is kept to undo it."""

    plan: Plan
    before: Plan
    reason: str
    by: str  # rules, a person, or an agent by its name
    retry: PhaseId | None = None  # the phase that is tried again for it
    revisions: tuple[PlanRevision, ...] = ()  # what is done to which phase
    revised: tuple[PhaseId, ...] = ()  # phases that are new or others by a revision
    replans: int = 0  # revisions for the phase that failed, with this one
    undoes: bool = False  # it takes the change before it back
    plan_hash: str = ""  # SHA-256 of the file that a person wrote it in


class DocumentImported(Event, frozen=True, kw_only=True):
    """The session goes on from where a document of another writer says that it stands."""

    record: SessionRecord
    document: str  # blob: as it was
    path: str  # relative to the project's root
    missing: tuple[str, ...] = ()  # files of phases that it calls completed, which are not there


class PlanWentBack(WentBack, frozen=True, kw_only=True, tag="WentBack"):
    """A person goes back to where a phase was merged, or to the start."""

    kept: tuple[PhaseId, ...] = ()  # that were done before the plan began: no checkpoint has them
    wanted: tuple[PhaseId, ...] = ()  # that a person left out since: they are to be done again


class ArchiveMove(msgspec.Struct, frozen=True, kw_only=True):
    """What is put away, and where; paths are relative to the project's root."""

    source: str
    target: str


class ArchiveBegun(Event, frozen=True, kw_only=True):
    """A plan that ended is about to be put away, by these moves."""

    moves: tuple[ArchiveMove, ...]


class Archived(Event, frozen=True, kw_only=True):
    """Everything of it is in its archive, and can be read there."""


class ForkedPhase(msgspec.Struct, frozen=True, kw_only=True):
    """A phase that was done before a plan was forked; `commit` is the branch after it."""

    phase: PhaseId
    status: PhaseStatus
    commit: str = ""
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    started: datetime | None = None
    completed: datetime | None = None
    result: dict[str, Any] = msgspec.field(default_factory=dict)
    gates: str = ""
    skipped_after: int = -1  # merges before a person left it out; -1: before the plan began


class PlanForked(Event, frozen=True, kw_only=True):
    """The plan goes on from a checkpoint of another session, which stays as it is.

    `phases` are in the order in which they were merged; `text` is a person's, for those to come.
    """

    source: str
    checkpoint: str
    base: BaseTaken
    phases: tuple[ForkedPhase, ...]
    text: str = ""


class PlanBounded(Event, frozen=True, kw_only=True):
    """A person set other bounds for all of the plan, or other gates; None leaves one as it was."""

    max_tokens: int | None = None
    max_usd: float | None = None
    gates: dict[str, str] | None = None
    gate_timeout: float | None = None
    judged_anew: tuple[PhaseId, ...] = ()  # whose work other gates refused

    @property
    def chosen(self) -> dict[str, Any]:
        """What is not left as it was, by the names of the settings."""
        named = {name: getattr(self, name) for name in self.__struct_fields__}
        del named["judged_anew"]
        return {name: value for name, value in named.items() if value is not None}


AnyPlanIntent = (
    TakeBase
    | RunSession
    | MergePhase
    | RunGates
    | TryMerge
    | AskSupervisor
    | AskPlanner
    | RenderDocument
)
AnyPlanEvent = (
    PlanOpened
    | Started[AnyPlanIntent]
    | Abandoned[AnyPlanIntent]
    | BaseTaken
    | ChildEnded
    | ChildAsked
    | ChildAnswered
    | ChildStalled
    | PhaseMerged
    | GatesRan
    | MergeTried
    | PairFound
    | Supervised
    | PlanProposed
    | AgentFailure
    | DocumentRendered
    | PlanAsked
    | PlanAnswered
    | PlanChanged
    | PlanBounded
    | PlanForked
    | ArchiveBegun
    | Archived
    | DocumentImported
    | PlanWentBack
    | Interrupted
    | Concluded
)

CODEC: Codec[Any] = Codec(AnyPlanEvent, 1, {})
