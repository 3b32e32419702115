"""Events in the journal: JSON of any version, read into records of this one."""

from __future__ import annotations

from datetime import datetime

import msgspec

from clew.words import records
from clew.words.codec import Codec, type_of
from clew.words.errors import JournalDamaged
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

SCHEMA_VERSION = 5

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

CODEC: Codec[AnyEvent] = Codec(AnyEvent, SCHEMA_VERSION, UPCASTERS)
encode, decode = CODEC.encode, CODEC.decode


class _Line(msgspec.Struct, kw_only=True):
    session: str
    seq: int
    at: datetime
    version: int = 3  # of lines that name none
    event: msgspec.Raw


def to_line(recorded: Recorded) -> bytes:
    """JSON of an event in its place, for a file beside the journal; `from_line` reads it."""
    session, seq, at = recorded.session, recorded.seq, recorded.at
    event = msgspec.Raw(encode(recorded.event))
    line = _Line(session=session, seq=seq, at=at, version=SCHEMA_VERSION, event=event)
    return msgspec.json.encode(line)


def from_line(line: bytes) -> Recorded:
    """Read a line of any version. Raises JournalDamaged, as `decode` does."""
    try:
        read = msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalDamaged(f"an event cannot be read: {error}") from error
    event = decode(bytes(read.event), read.version)
    return Recorded(session=read.session, seq=read.seq, at=read.at, event=event)
