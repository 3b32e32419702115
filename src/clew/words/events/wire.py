"""Events in the journal: JSON of any version, read into records of this one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

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
    Event,
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
from clew.words.facts import Fact

__all__ = [
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
    | Started
    | ConversationBegan
    | EditsKept
    | Abandoned
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


class Recorded(Fact, frozen=True, kw_only=True):
    """An event in its place: `seq` counts from 1 without gaps, `at` is UTC."""

    session: str
    seq: int
    at: datetime
    event: AnyEvent


Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(type, version it was written with) → a function to the next version's fields."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def type_of(event: Event) -> str:
    """Name of the event's type, as it stands in the journal."""
    return type(event).__name__


def encode(event: Event) -> bytes:
    """JSON of an event; `decode` gives it back equal."""
    return _encoder.encode(event)


def decode(body: bytes, version: int, written_by: str = "") -> AnyEvent:
    """Read an event of any version up to this one.

    Raises JournalDamaged for an unknown type or a newer version (naming the Clew that wrote it)
    and for anything that is not an event.
    """
    try:
        if version == SCHEMA_VERSION:
            return _decoder.decode(body)
        fields = msgspec.json.decode(body, type=dict[str, Any])
        if version > SCHEMA_VERSION:
            raise JournalDamaged(
                f"event {fields.get('type', '?')!r} was written by a newer Clew"
                f" ({written_by or f'schema {version}'})",
                hint="Open this session with that version; nothing was changed.",
            )
        for step in range(version, SCHEMA_VERSION):
            upcast = UPCASTERS.get((str(fields.get("type")), step))
            fields = upcast(fields) if upcast else fields
        return msgspec.convert(fields, AnyEvent)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalDamaged(
            f"an event cannot be read: {error}",
            hint="`clew recover` builds the journal anew from its checkpoints.",
        ) from error
