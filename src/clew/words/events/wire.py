"""Events in the journal: JSON of any version, read into records of this one."""

from __future__ import annotations

from clew.words import records
from clew.words.codec import Codec, type_of
from clew.words.events.agents import (
    AgentErred,
    Challenged,
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
from clew.words.events.upcasters import UPCASTERS

__all__ = [
    "CODEC",
    "SCHEMA_VERSION",
    "AnyEvent",
    "Recorded",
    "decode",
    "encode",
    "from_line",
    "to_line",
    "type_of",
]

SCHEMA_VERSION = 10

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
    | Challenged
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

CODEC: Codec[AnyEvent] = Codec(AnyEvent, SCHEMA_VERSION, UPCASTERS)
encode, decode = CODEC.encode, CODEC.decode
to_line, from_line = CODEC.to_line, CODEC.from_line
