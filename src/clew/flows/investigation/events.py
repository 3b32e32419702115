"""What happens in a debug session, as frozen records; the fix's own events are in its stream."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from clew.analysis.failures.pasted import MappedFrame
from clew.analysis.failures.requests import MappedRequest
from clew.documents.knowledge import Match
from clew.words.codec import Codec
from clew.words.debug_sessions import (
    Aim,
    DebugDocument,
    Eliminated,
    EvidenceEntry,
    Symptoms,
)
from clew.words.events import Opinion, OptionOffered
from clew.words.investigations import Investigation
from clew.words.records import (
    INVESTIGATION,
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
    ConversationBegan,
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
    "CODEC",
    "KIND",
    "AgentsChosen",
    "AnyDebugEvent",
    "AnyDebugIntent",
    "DebugAsked",
    "DebugOpened",
    "DocumentEdited",
    "DocumentTakenOver",
    "FileAway",
    "FiledAway",
    "Investigated",
    "KnowledgeConsulted",
    "LookUp",
    "MapTraceback",
    "PlanWritten",
    "Reproduce",
    "Reproduced",
    "SeeRed",
    "SpecialistReviewed",
    "TestSeen",
    "TestWritten",
    "Topic",
    "TracebackMapped",
    "WritePlan",
]

KIND = INVESTIGATION


class DebugOpened(ProjectOpened, frozen=True, kw_only=True):
    """A debug session begins; what is settled here holds for its whole life."""

    slug: str
    trigger: str  # a person's words, verbatim but for secrets
    aim: Aim
    tdd: bool = False
    symptoms: Symptoms = Symptoms()
    is_told: bool = False  # the symptoms are all that the person has to say
    document: str  # its path, relative to the project's root
    runner_args: tuple[str, ...] = ()  # that choose among the tests
    continues: bool = False  # the next event says where it stands: a document of before
    after: str = ""  # the session that could not fix it
    evidence: tuple[EvidenceEntry, ...] = ()  # of it
    eliminated: tuple[Eliminated, ...] = ()


class DocumentTakenOver(Event, frozen=True, kw_only=True):
    """The session stands where a document says, which a person wrote, or nobody's journal has."""

    document: DebugDocument
    text: str = ""  # a person's words, and data


class DocumentEdited(Event, frozen=True, kw_only=True):
    """A person edited the document between two cycles; nothing of it holds before they say so."""

    document: DebugDocument
    broken: tuple[str, ...] = ()  # rules that the edit breaks, in words


class AgentsChosen(Event, frozen=True, kw_only=True):
    """A person goes on with other agents, tried in this order."""

    agents: tuple[str, ...]


class LookUp(Intent, frozen=True, kw_only=True):
    """Ask the knowledge base before anybody else."""


class KnowledgeConsulted(Outcome, frozen=True, kw_only=True):
    """What was fixed before and shares words with the symptoms: candidates, no diagnosis."""

    known: tuple[Match, ...] = ()


class MapTraceback(Intent, frozen=True, kw_only=True):
    """Find what was pasted in this version of the code: a traceback, requests of a log."""


class TracebackMapped(Outcome, frozen=True, kw_only=True):
    """Where they are today, outermost first; frames of other programs are left out."""

    error: str = ""  # that ended it, as it stands there
    frames: tuple[MappedFrame, ...] = ()
    requests: tuple[MappedRequest, ...] = ()


class Reproduce(Intent, frozen=True, kw_only=True):
    """Run the command that shows the symptom, on a commit, in the sandbox."""

    command: str
    commit: str


class Reproduced(Outcome, frozen=True, kw_only=True):
    """How that command ended; without an exit code it says nothing, and `why_not` says why."""

    command: str
    commit: str
    exit_code: int | None = None
    seconds: float = 0.0
    output: str = ""  # blob
    tail: str = ""  # its last lines
    why_not: str = ""
    runs: int = 1
    failed: int = 0  # of those, that show the symptom: between none and all it is flaky
    alike: bool = False  # whether all of them printed the same, and ended so

    def ended_as(self, other: Reproduced) -> bool:
        """Whether both ended alike, and printed the same where each prints the same each time."""
        known = self.alike and other.alike
        return self.exit_code == other.exit_code and (not known or self.output == other.output)


class Investigated(AgentOutcome, frozen=True, kw_only=True):
    """What an investigator came back with."""

    told: Investigation
    aside: tuple[str, ...] | None = None  # red tests of another matter, where that was looked at
    patch: str = ""  # hash of the edits that the root cause follows from, where it was found so


class SpecialistReviewed(AgentOutcome, frozen=True, kw_only=True):
    """What a specialist says of a root cause, and of the way its fix lies."""

    opinion: Opinion
    reason: str
    suggestion: str = ""


class TestWritten(AgentOutcome, frozen=True, kw_only=True):
    """An agent wrote a test that is to fail; it is committed, and nobody has seen it red yet."""

    __test__ = False

    file: str
    name: str
    expects: str
    commit: str
    prints: str = ""  # what the program is asked to print, where it crashed


class SeeRed(Intent, frozen=True, kw_only=True):
    """Run tests that are to be red before anything is fixed."""

    commit: str
    tests: tuple[str, ...]


class TestSeen(Outcome, frozen=True, kw_only=True):
    """How they ended: red for the right reason, or `why` not."""

    __test__ = False

    tests: tuple[str, ...]
    why: str = ""
    output: str = ""  # the first lines of what they say
    written: str = ""  # the test that was written for it, as a diff; its first lines
    place: str = ""  # the path of that test
    words: tuple[str, ...] | None = None  # that run them beside others; None where they ran alone


class WritePlan(Intent, frozen=True, kw_only=True):
    """Write the fix down as a plan that `clew run` carries out."""


class PlanWritten(Outcome, frozen=True, kw_only=True):
    """The plan lies at a path, relative to the project's root."""

    path: str


class FileAway(Intent, frozen=True, kw_only=True):
    """Move the document to those that are resolved, and learn from it."""


class FiledAway(Outcome, frozen=True, kw_only=True):
    """The document lies there, and the knowledge base has an entry."""

    path: str
    entry: str


class Topic(StrEnum):
    """What a person is asked about."""

    SYMPTOMS = "symptoms"
    CHECKPOINT = "checkpoint"
    FIX = "fix"  # the way to fix it: now, by a plan, by hand
    INCONCLUSIVE = "inconclusive"
    CIRCLES = "circles"  # it goes round in them
    AGENT = "agent"  # none can go on
    BUDGET = "budget"
    TEST = "test"  # none goes red
    RED = "red"  # whether the test is the right one
    REJECTED = "rejected"  # the fix was not proven
    EDIT = "edit"  # whether what they wrote into the document holds
    VERIFY = "verify"  # whether the symptom is gone


class DebugAsked(Asked, frozen=True, kw_only=True):
    """A person is needed; `text` holds words of agents, and is data."""

    about: Topic
    options: tuple[OptionOffered, ...]


AnyDebugIntent = (
    TakeBase
    | LookUp
    | MapTraceback
    | Reproduce
    | AgentCall
    | SeeRed
    | RunSession
    | WritePlan
    | FileAway
)
AnyDebugEvent = (
    DebugOpened
    | DocumentTakenOver
    | DocumentEdited
    | AgentsChosen
    | Started[AnyDebugIntent]
    | Abandoned[AnyDebugIntent]
    | BaseTaken
    | KnowledgeConsulted
    | TracebackMapped
    | Reproduced
    | ConversationBegan
    | Investigated
    | SpecialistReviewed
    | TestWritten
    | TestSeen
    | AgentFailure
    | ChildEnded
    | ChildAsked
    | ChildAnswered
    | ChildStalled
    | PlanWritten
    | FiledAway
    | DebugAsked
    | Answered
    | WentBack
    | Interrupted
    | Concluded
)

CODEC: Codec[Any] = Codec(AnyDebugEvent, 1, {})
