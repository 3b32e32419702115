"""What happens in a phase of a plan, as frozen records."""

from __future__ import annotations

from typing import Any

import msgspec

from clew.flows.plan.events import GatesRan, RunGates
from clew.words.codec import Codec
from clew.words.facts import Usage
from clew.words.plans import PhaseId, PlanPhase
from clew.words.records import (
    Abandoned,
    Answered,
    Asked,
    ChildAnswered,
    ChildAsked,
    ChildEnded,
    ChildStalled,
    Concluded,
    Event,
    Intent,
    Interrupted,
    Opened,
    Outcome,
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
    "AskImplementer",
    "Implemented",
    "ImplementerErred",
    "ImplementerTold",
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
    introduced: tuple[Introduced, ...] = ()
    promised: tuple[tuple[str, str], ...] = ()  # files that other phases create: path, phase


class PhaseOpened(Opened, frozen=True, kw_only=True, tag="SessionOpened"):
    """A phase begins, as its plan asked."""

    clew_version: str
    root: str
    path: str
    request: PhaseRequest


class AskImplementer(Intent, frozen=True, kw_only=True):
    """Have an agent do the phase's work on top of `base`; `call` counts from 1."""

    agent: str
    attempt: int
    call: int
    base: str
    model: str = ""
    conversation: str = ""


class ImplementerTold(Event, frozen=True, kw_only=True):
    """The agent told the name by which its conversation is gone on with."""

    call: int
    conversation: str


class Implemented(Outcome, frozen=True, kw_only=True):
    """What an agent says it did, and the commit of what truly changed."""

    agent: str
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
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    reply: str = ""  # blob
    model: str = ""


class ImplementerErred(Outcome, frozen=True, kw_only=True):
    """An agent failed; nothing of what it did is kept."""

    agent: str
    kind: str
    message: str
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    after: float = 0.0  # seconds that it asked to be left alone


AnyPhaseIntent = AskImplementer | RunGates | RunSession
AnyPhaseEvent = (
    PhaseOpened
    | Started[AnyPhaseIntent]
    | Abandoned[AnyPhaseIntent]
    | ImplementerTold
    | Implemented
    | ImplementerErred
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

CODEC: Codec[Any] = Codec(AnyPhaseEvent, 1, {})
