"""What happens in a phase of a plan, as frozen records."""

from __future__ import annotations

from typing import Any

import msgspec

from clew.flows.plan.events import GatesRan, RunGates
from clew.words.codec import Codec
from clew.words.models import AgentRole
from clew.words.plans import PhaseId, PlanPhase
from clew.words.records import (
    Abandoned,
    AgentCall,
    AgentFailure,
    AgentOutcome,
    Answered,
    Asked,
    ChildAnswered,
    ChildAsked,
    ChildEnded,
    ChildStalled,
    Concluded,
    ConversationBegan,
    Interrupted,
    Opened,
    RunSession,
    Started,
    WentBack,
)
from clew.words.settings import Settings

__all__ = [
    "BLOCKED",
    "CODEC",
    "COMPLETED",
    "FAILED",
    "KIND",
    "AnyPhaseEvent",
    "AnyPhaseIntent",
    "Implemented",
    "Introduced",
    "PhaseOpened",
    "PhaseRequest",
]

KIND = "phase"
COMPLETED, FAILED, BLOCKED = "completed", "failed", "blocked"


class Introduced(msgspec.Struct, frozen=True, kw_only=True):
    """What a phase that this one waited for says of its work."""

    phase: str
    name: str = ""
    files: tuple[str, ...] = ()
    summary: str | None = None
    downstream_context: dict[str, Any] | None = None


class PhaseRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan asks of a phase's session."""

    phase_id: PhaseId
    phase: PlanPhase
    base: str  # the plan's branch as it was
    work: str = ""  # what an earlier session of the phase made of it, and a person accepted
    agent: str  # that does the work
    model: str = ""
    settings: Settings
    plan: str  # where it was read
    title: str = ""
    plan_goal: str = ""
    test_command: str = ""
    max_retries: int = 2
    guidance: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()  # what went wrong more than once
    introduced: tuple[Introduced, ...] = ()
    promised: tuple[tuple[str, str], ...] = ()  # files that other phases create: path, phase
    delivered: str = ""  # what all other phases came to, for documentation
    known: tuple[str, ...] = ()  # tests that fail, and that a person lets fail


class PhaseOpened(Opened, frozen=True, kw_only=True, tag="SessionOpened"):
    """A phase begins, as its plan asked."""

    clew_version: str
    root: str
    path: str
    request: PhaseRequest


class Implemented(AgentOutcome, frozen=True, kw_only=True):
    """What an agent says it did, and the commit of what truly changed."""

    status: str  # done, or blocked
    summary: str
    commit: str = ""  # empty where nothing was changed
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()  # the files that it says it changed
    decisions: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    downstream_context: dict[str, Any] = msgspec.field(default_factory=dict)


AnyPhaseIntent = AgentCall | RunGates | RunSession
AnyPhaseEvent = (
    PhaseOpened
    | Started[AnyPhaseIntent]
    | Abandoned[AnyPhaseIntent]
    | ConversationBegan
    | Implemented
    | AgentFailure
    | GatesRan
    | ChildEnded
    | ChildAsked
    | ChildAnswered
    | ChildStalled
    | Asked
    | Answered
    | WentBack
    | Interrupted
    | Concluded
)

Fields = dict[str, Any]


def _begun(fields: Fields) -> Fields:
    """In version 1 a call of the implementer was an intent of its own."""
    intent = msgspec.convert(fields.get("intent"), Fields)
    if intent.get("do") != "AskImplementer":
        return fields
    return fields | {"intent": intent | {"do": "CallAgent", "role": AgentRole.IMPLEMENT}}


def _erred(fields: Fields) -> Fields:
    return fields | {"type": "AgentErred", "role": AgentRole.IMPLEMENT}


def _told(fields: Fields) -> Fields:
    return fields | {"type": "ConversationBegan"}


CODEC: Codec[Any] = Codec(
    AnyPhaseEvent,
    2,
    {
        ("Started", 1): _begun,
        ("Abandoned", 1): _begun,
        ("ImplementerErred", 1): _erred,
        ("ImplementerTold", 1): _told,
    },
)
