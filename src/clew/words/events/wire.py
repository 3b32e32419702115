"""Events in the journal: JSON of any version, read into records of this one."""

from __future__ import annotations

from clew.words import records
from clew.words.codec import Codec, Upcaster, type_of
from clew.words.events.agents import (
    AgentErred,
    ConversationBegan,
    Diagnosed,
    FixApplied,
    Narrated,
    ReportWritten,
    Reviewed,
    RungPassed,
)
from clew.words.events.intents import AnyIntent
from clew.words.events.persons import QuestionAnswered, QuestionAsked, WentBack
from clew.words.events.rounds import (
    CheckpointSaved,
    Halted,
    IterationBegan,
    IterationEnded,
    RoundBegan,
)
from clew.words.events.session import (
    Abandoned,
    DocumentWritten,
    Interrupted,
    SessionEnded,
    SessionOpened,
    SetUpRead,
    Started,
)
from clew.words.events.trees import (
    Bisected,
    EditsKept,
    Proved,
    RolledBack,
    SnapshotOutdated,
    SnapshotTaken,
    TestsRan,
)

__all__ = [
    "CODEC",
    "SCHEMA_VERSION",
    "UPCASTERS",
    "AnyEvent",
    "Recorded",
    "Upcaster",
    "decode",
    "encode",
    "type_of",
]

SCHEMA_VERSION = 3

AnyEvent = (
    SessionOpened
    | SetUpRead
    | Started[AnyIntent]
    | ConversationBegan
    | EditsKept
    | Abandoned[AnyIntent]
    | SnapshotTaken
    | SnapshotOutdated
    | TestsRan
    | Bisected
    | RoundBegan
    | IterationBegan
    | Diagnosed
    | AgentErred
    | RungPassed
    | ReportWritten
    | Reviewed
    | FixApplied
    | RolledBack
    | IterationEnded
    | Proved
    | CheckpointSaved
    | Halted
    | WentBack
    | QuestionAsked
    | QuestionAnswered
    | DocumentWritten
    | Narrated
    | Interrupted
    | SessionEnded
)


Recorded = records.Recorded[AnyEvent]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(type, version it was written with) → a function to the next version's fields."""

CODEC: Codec[AnyEvent] = Codec(AnyEvent, SCHEMA_VERSION, UPCASTERS)
encode, decode = CODEC.encode, CODEC.decode
