"""What every session is made of: events, and the intents and outcomes that carry its work.

A kind of session has events of its own. Here are those that any has, and that the engine knows:
what is about to be done (`Started`) and what came of it (an `Outcome` that names it by `of`), who
was asked, and how it ended.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from clew.words.errors import TransitionRefused
from clew.words.facts import Fact, GitSideEffect, Usage
from clew.words.models import AgentRole
from clew.words.settings import Settings

__all__ = [
    "DEBUGGING",
    "INVESTIGATION",
    "Abandoned",
    "AgentCall",
    "AgentFailure",
    "AgentOutcome",
    "Answered",
    "Asked",
    "BaseTaken",
    "ChildAnswered",
    "ChildAsked",
    "ChildEnded",
    "ChildStalled",
    "Children",
    "Concluded",
    "ConversationBegan",
    "Ended",
    "Event",
    "Intent",
    "Interrupted",
    "Opened",
    "Outcome",
    "ProjectOpened",
    "Recorded",
    "RunSession",
    "Started",
    "TakeBase",
    "WentBack",
    "bookkeeping",
]


DEBUGGING = "debugging"  # the kind of every session whose opening event names none
INVESTIGATION = "investigation"  # the kind of a debug session


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """Base of all events."""


class Intent(Fact, frozen=True, kw_only=True, tag_field="do", tag=True):
    """A side effect, by what identifies it. Its id is the number of the event that started it."""

    @property
    def label(self) -> str:
        """What it does, in a word."""
        return str(self.__struct_config__.tag)


E = TypeVar("E", bound=Event)
Do = TypeVar("Do", bound=Intent)


class Recorded(Fact, Generic[E], frozen=True, kw_only=True):
    """An event in its place: `seq` counts from 1 without gaps, `at` is UTC."""

    session: str
    seq: int
    at: datetime
    event: E


class Started(Event, Generic[Do], frozen=True, kw_only=True):
    """A side effect is about to happen."""

    intent: Do


class Outcome(Event, frozen=True, kw_only=True):
    """What came of a side effect: of the one that event `of` started."""

    of: int = 0


class Abandoned(Outcome, Generic[Do], frozen=True, kw_only=True):
    """A side effect that was cut off did not happen, or was undone."""

    intent: Do
    reason: str
    seconds: float = 0.0  # from its start to the last sign of life


class AgentCall(Intent, frozen=True, kw_only=True, tag="CallAgent"):
    """Have an agent do what a role asks for; `call` numbers the calls of the session from 1."""

    role: AgentRole
    agent: str
    attempt: int
    call: int
    base: str = ""  # the commit that it reads, or works on top of
    model: str = ""  # cheap, middle, strong, or a name; none is the agent's own
    conversation: str = ""  # the name of it, for an agent that lets us choose one

    @property
    def label(self) -> str:
        """What it does, and in which role."""
        return f"{super().label}.{self.role}"


class ConversationBegan(Event, frozen=True, kw_only=True):
    """An agent told the name by which it goes on with a call that is cut off."""

    call: int
    agent: str = ""
    conversation: str


class AgentOutcome(Outcome, frozen=True, kw_only=True):
    """What came of a call of an agent: what every answer has, and every failure."""

    agent: str
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    reply: str = ""  # blob
    context: str = ""  # blob: the account of what of the project the prompt shows
    model: str = ""  # that was asked for
    wording: str = ""  # the version of the prompt's template
    strays: tuple[GitSideEffect, ...] = ()  # what it did with git by itself


class AgentFailure(AgentOutcome, frozen=True, kw_only=True, tag="AgentErred"):
    """An agent failed; nothing of what it did is kept."""

    role: str
    kind: str
    message: str
    after: float = 0.0  # seconds that it asked to be left alone


class Interrupted(Event, frozen=True, kw_only=True):
    """The process was told to stop; nothing is lost."""

    reason: str


class Opened(Event, frozen=True, kw_only=True, tag="SessionOpened"):
    """A session starts; of a child, `parent` and the `number` of its intent there."""

    session_id: str
    goal: str
    kind: str = DEBUGGING
    parent: str = ""
    number: int = 0


class ProjectOpened(Opened, frozen=True, kw_only=True):
    """A session of a project starts; what is settled here holds for its whole life."""

    clew_version: str
    root: str
    path: str
    settings: Settings  # where each came from is among them


class Asked(Event, frozen=True, kw_only=True, tag="QuestionAsked"):
    """A person is needed; any face can answer, now or after a restart."""

    id: str
    text: str


class Answered(Event, frozen=True, kw_only=True, tag="QuestionAnswered"):
    """A person's answer; `text` is their words, and data."""

    id: str
    option: str
    text: str = ""


class WentBack(Event, frozen=True, kw_only=True):
    """A person chose another approach, from a checkpoint on; `text` is their words, and data."""

    checkpoint: str
    text: str = ""


class Ended(Event, frozen=True, kw_only=True, tag="SessionEnded"):
    """Nothing more is to be done, unless a person reopens the session."""

    status: str
    reason: str = ""
    commit: str = ""  # with what it came to
    usage: Usage = Usage()  # what it took, its children's included


class Concluded(Ended, frozen=True, kw_only=True, tag="SessionEnded"):
    """A session ended, and says what its parent needs to know of its work."""

    result: dict[str, Any] = msgspec.field(default_factory=dict)
    known_issues: tuple[str, ...] = ()  # that a person lets be, in words
    known_failing: tuple[str, ...] = ()  # tests among them, by their ids


class TakeBase(Intent, frozen=True, kw_only=True):
    """Record the person's tree as it is now: what a session begins with."""


class BaseTaken(Outcome, frozen=True, kw_only=True):
    """The person's tree is recorded."""

    commit: str
    tree: str
    head: str = ""  # their HEAD; empty in a folder, or before the first commit
    changed: tuple[str, ...] = ()  # files, of a fix that they made since a session began
    holds: str = ""  # the session that fixed it, or helped, whose files are as it left them


class RunSession(Intent, frozen=True, kw_only=True):
    """Have a session of its own do a part of the work, in a process of its own."""

    child: str  # its id
    kind: str  # of session
    request: dict[str, Any] = msgspec.field(
        default_factory=dict
    )  # by which its opening event is made
    budget: dict[str, float] = msgspec.field(
        default_factory=dict
    )  # that it may take; enforced by the child itself


class ChildEnded(Outcome, frozen=True, kw_only=True):
    """What a child came to, in its own words."""

    child: str
    status: str
    reason: str = ""
    commit: str = ""
    usage: Usage = Usage()
    result: dict[str, Any] = msgspec.field(default_factory=dict)
    known_issues: tuple[str, ...] = ()  # that a person lets be, in words
    known_failing: tuple[str, ...] = ()  # tests among them, by their ids


class ChildAsked(Event, frozen=True, kw_only=True):
    """A child needs a person; it is answered there."""

    of: int
    id: str
    text: str


class ChildAnswered(Event, frozen=True, kw_only=True):
    """A child's question was answered."""

    of: int
    id: str


class ChildStalled(Event, frozen=True, kw_only=True):
    """A child's process was stopped, or died; or, without a reason, goes on again."""

    of: int
    reason: str = ""


class Children(msgspec.Struct, frozen=True, kw_only=True):
    """What a parent's stream says of its children at work, by the ids of their intents."""

    questions: dict[int, ChildAsked] = {}
    stalled: dict[int, str] = {}  # why

    def after(self, event: Event) -> Children:
        """Return what it says after an event, of whatever kind."""
        match event:
            case ChildAsked():
                return replace(self, questions={**self.questions, event.of: event})
            case ChildStalled(reason="") | ChildAnswered():
                return self._without(event.of)
            case ChildStalled():
                return replace(self, stalled={**self.stalled, event.of: event.reason})
            case Outcome():
                return self._without(event.of)
            case _:
                return self

    def _without(self, number: int) -> Children:
        return Children(
            questions={of: asked for of, asked in self.questions.items() if of != number},
            stalled={of: why for of, why in self.stalled.items() if of != number},
        )


class Standing(Protocol):
    """What the state of every kind of session holds, whatever its events are."""

    @property
    def seq(self) -> int:
        """The number of the last event."""

    @property
    def in_flight(self) -> dict[int, Any]:
        """The intents that have no outcome, by their ids."""

    @property
    def at_work(self) -> Children:
        """What is told of the children that run."""


def bookkeeping(state: Standing, recorded: Recorded[Any]) -> dict[str, Any]:
    """Return a state's fields of `Standing` after an event.

    Raises TransitionRefused for an event out of its order, and an outcome of nothing in flight.
    """
    event, in_flight = recorded.event, dict(state.in_flight)
    if recorded.seq != state.seq + 1:
        raise TransitionRefused(f"event {recorded.seq} does not follow event {state.seq}")
    if isinstance(event, Outcome) and in_flight.pop(event.of, None) is None:
        raise TransitionRefused(f"{type(event).__name__} is of nothing in flight: {event.of}")
    if isinstance(event, Started):
        in_flight[recorded.seq] = event.intent
    return {"seq": recorded.seq, "in_flight": in_flight, "at_work": state.at_work.after(event)}
