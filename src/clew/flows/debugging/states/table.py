"""The table of the machine: its stages, the events that each admits, and what settles an intent."""

from __future__ import annotations

from enum import StrEnum

from clew.words import events as ev
from clew.words.models import AgentRole
from clew.words.records import AgentOutcome

__all__ = ["OUTCOMES", "TRANSITIONS", "UNMOVING", "WORKING", "Stage", "settles"]


class Stage(StrEnum):
    """Where a session stands: each names what comes next."""

    NEW = "new"
    OPENED = "opened"  # next: snapshot
    SNAPPED = "snapped"  # next: baseline run
    BASELINED = "baselined"  # next: recheck of the red tests
    TAKEN_UP = "taken_up"  # next: what follows a person's work that was tested
    RECHECKED = "rechecked"  # next: the first bad commit, if asked for, and a round
    STANDING = "standing"  # next: checkpoint of what stands now
    ROUND = "round"  # next: an iteration, or the escalation
    DIAGNOSING = "diagnosing"
    REPORTING = "reporting"
    REVIEWING = "reviewing"
    FIXING = "fixing"
    CONSULTING = "consulting"  # next: ask whether the fix may change tests
    VERIFYING = "verifying"
    CHALLENGING = "challenging"
    PROVING = "proving"
    UNDOING = "undoing"  # next: roll back what did not help
    RETURNING = "returning"  # next: put the worktree back to where a person wants it
    JUDGED = "judged"  # next: the entry in the history
    PASSED = "passed"  # next: checkpoint
    CLOSING = "closing"  # next: what the fix taught, what happened, then the summary
    CLOSED = "closed"  # next: end
    ESCALATING = "escalating"  # next: escalation message
    ESCALATED = "escalated"  # next: question
    WAITING = "waiting"  # a person's turn
    ENDED = "ended"


WORKING = (
    Stage.OPENED,
    Stage.SNAPPED,
    Stage.BASELINED,
    Stage.TAKEN_UP,
    Stage.RECHECKED,
    Stage.STANDING,
    Stage.ROUND,
    Stage.DIAGNOSING,
    Stage.REPORTING,
    Stage.REVIEWING,
    Stage.FIXING,
    Stage.VERIFYING,
    Stage.CHALLENGING,
    Stage.PROVING,
    Stage.UNDOING,
    Stage.RETURNING,
    Stage.PASSED,
    Stage.CLOSING,
    Stage.ESCALATING,
)

_LEAVING: dict[type[ev.Event], tuple[Stage, ...]] = {
    ev.WentBack: (Stage.RETURNING,),
    ev.SessionEnded: (Stage.ENDED,),
    ev.SnapshotOutdated: (Stage.OPENED,),
}

TRANSITIONS: dict[Stage, dict[type[ev.Event], tuple[Stage, ...]]] = {
    Stage.NEW: {ev.SessionOpened: (Stage.OPENED,)},
    Stage.OPENED: {
        ev.SetUpRead: (Stage.OPENED,),
        ev.SnapshotTaken: (Stage.SNAPPED, Stage.CONSULTING),
        **_LEAVING,
    },
    Stage.SNAPPED: {
        ev.SetUpRead: (Stage.SNAPPED,),
        ev.TestsRan: (
            Stage.SNAPPED,
            Stage.BASELINED,
            Stage.TAKEN_UP,
            Stage.STANDING,
            Stage.PROVING,
        ),
        **_LEAVING,
    },
    Stage.BASELINED: {
        ev.SetUpRead: (Stage.SNAPPED,),
        ev.TestsRan: (Stage.RECHECKED,),
        ev.QuestionAsked: (Stage.WAITING,),
        **_LEAVING,
    },
    Stage.TAKEN_UP: {
        ev.TestsRan: (Stage.RECHECKED,),
        ev.RoundBegan: (Stage.STANDING,),
        ev.QuestionAsked: (Stage.WAITING,),
        **_LEAVING,
    },
    Stage.RECHECKED: {
        ev.TestsRan: (Stage.RECHECKED, Stage.PROVING),
        ev.Bisected: (Stage.RECHECKED,),
        ev.RoundBegan: (Stage.STANDING,),
        ev.QuestionAsked: (Stage.WAITING,),
        **_LEAVING,
    },
    Stage.STANDING: {
        ev.CheckpointSaved: (Stage.ROUND, Stage.ESCALATING),
        ev.IterationBegan: (Stage.DIAGNOSING,),
        ev.Halted: (Stage.STANDING,),
        ev.WentBack: (Stage.RETURNING,),
        ev.SnapshotOutdated: (Stage.OPENED,),
    },
    Stage.ROUND: {
        ev.IterationBegan: (Stage.DIAGNOSING,),
        ev.Halted: (Stage.ROUND,),
        ev.WentBack: (Stage.RETURNING,),
        ev.SnapshotOutdated: (Stage.OPENED,),
        ev.CheckpointSaved: (Stage.ESCALATING,),
    },
    Stage.DIAGNOSING: {
        ev.Diagnosed: (Stage.DIAGNOSING, Stage.REPORTING),
        ev.AgentErred: (Stage.DIAGNOSING, Stage.REPORTING, Stage.JUDGED),
        ev.RungPassed: (Stage.DIAGNOSING, Stage.REPORTING, Stage.JUDGED),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.REPORTING: {
        ev.ReportWritten: (Stage.REVIEWING, Stage.FIXING, Stage.JUDGED),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.REVIEWING: {
        ev.Reviewed: (Stage.FIXING,),
        ev.AgentErred: (Stage.REVIEWING, Stage.FIXING),
        ev.RungPassed: (Stage.FIXING,),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.FIXING: {
        ev.RungPassed: (Stage.FIXING, Stage.UNDOING),
        ev.Halted: (Stage.UNDOING,),
        ev.FixApplied: (Stage.VERIFYING, Stage.CONSULTING, Stage.UNDOING, Stage.JUDGED),
        ev.AgentErred: (Stage.FIXING, Stage.UNDOING),
    },
    Stage.CONSULTING: {
        ev.QuestionAsked: (Stage.WAITING,),
        ev.Halted: (Stage.UNDOING, Stage.CONSULTING),
    },
    Stage.VERIFYING: {
        ev.TestsRan: (
            Stage.CHALLENGING,
            Stage.PROVING,
            Stage.UNDOING,
            Stage.JUDGED,
            Stage.FIXING,
        ),
        ev.Halted: (Stage.UNDOING,),
    },
    Stage.CHALLENGING: {
        ev.Challenged: (Stage.PROVING,),
        ev.AgentErred: (Stage.CHALLENGING, Stage.PROVING),
        ev.RungPassed: (Stage.PROVING,),
        ev.Halted: (Stage.UNDOING,),
    },
    Stage.PROVING: {
        ev.Proved: (
            Stage.JUDGED,
            Stage.UNDOING,
            Stage.PASSED,
            Stage.RETURNING,
            Stage.TAKEN_UP,
        ),
        ev.Halted: (Stage.UNDOING, Stage.SNAPPED, Stage.RETURNING),
    },
    Stage.UNDOING: {ev.RolledBack: (Stage.JUDGED, Stage.FIXING), ev.Halted: (Stage.UNDOING,)},
    Stage.RETURNING: {ev.RolledBack: (Stage.RECHECKED,)},
    Stage.JUDGED: {
        ev.IterationEnded: (Stage.PASSED, Stage.STANDING),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.PASSED: {ev.CheckpointSaved: (Stage.CLOSING,)},
    Stage.CLOSING: {
        ev.DocumentWritten: (Stage.CLOSING, Stage.CLOSED),
        ev.Narrated: (Stage.CLOSING,),
        ev.AgentErred: (Stage.CLOSING,),
        ev.QuestionAsked: (Stage.WAITING,),
    },
    Stage.CLOSED: {ev.SessionEnded: (Stage.ENDED,)},
    Stage.ESCALATING: {ev.DocumentWritten: (Stage.ESCALATED,)},
    Stage.ESCALATED: {ev.QuestionAsked: (Stage.WAITING,)},
    Stage.WAITING: {
        ev.QuestionAnswered: (
            Stage.OPENED,
            Stage.SNAPPED,
            Stage.RECHECKED,
            Stage.VERIFYING,
            Stage.UNDOING,
            Stage.CLOSING,
        ),
        ev.SetUpRead: (Stage.WAITING,),
        ev.WentBack: (Stage.RETURNING,),
    },
    Stage.ENDED: {ev.WentBack: (Stage.RETURNING,)},
}
"""stage → event → the stages it may lead to. Those of `UNMOVING` move nothing: they are admitted
around the work that they tell of; `Interrupted` and `EditsKept` everywhere but before the start."""
UNMOVING = (ev.Started, ev.Abandoned, ev.ConversationBegan, ev.Interrupted, ev.EditsKept)

ANSWERS: dict[AgentRole, type[AgentOutcome]] = {
    AgentRole.DIAGNOSE: ev.Diagnosed,
    AgentRole.REVIEW: ev.Reviewed,
    AgentRole.FIX: ev.FixApplied,
    AgentRole.CHALLENGE: ev.Challenged,
    AgentRole.DOCUMENT: ev.Narrated,
}
"""role → the answer to it."""
OUTCOMES: dict[type[ev.Intent], tuple[type[ev.Event], ...]] = {
    ev.TakeSnapshot: (ev.SnapshotTaken,),
    ev.RunTests: (ev.TestsRan,),
    ev.Bisect: (ev.Bisected,),
    ev.CallAgent: (*ANSWERS.values(), ev.AgentErred),
    ev.WriteReport: (ev.ReportWritten,),
    ev.RollBack: (ev.RolledBack,),
    ev.Prove: (ev.Proved,),
    ev.SaveCheckpoint: (ev.CheckpointSaved,),
    ev.WriteDocument: (ev.DocumentWritten,),
}
"""intent → the events that settle it (beside `Abandoned`)."""


def settles(intent: ev.Intent | None, event: ev.Event) -> bool:
    """Whether an event is what comes of an intent."""
    if isinstance(intent, ev.CallAgent):
        return isinstance(event, ev.AgentErred) or type(event) is ANSWERS.get(intent.role)
    return intent is not None and type(event) in OUTCOMES[type(intent)]
