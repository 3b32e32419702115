"""Events to JSON and back: of one kind of session, of any version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from clew.words.errors import JournalDamaged
from clew.words.records import Event, Recorded

__all__ = ["Codec", "EventLine", "Upcaster", "type_of"]

E = TypeVar("E", bound=Event)
Upcaster = Callable[[dict[str, Any]], dict[str, Any]]


def type_of(event: Event) -> str:
    """Name of the event's type, as it stands in the journal."""
    return str(event.__struct_config__.tag)


class EventLine(msgspec.Struct, kw_only=True):
    """An event in its place, as a line of a file; of any kind of session."""

    session: str
    seq: int
    at: datetime
    version: int = 3  # of lines that name none
    event: msgspec.Raw

    @classmethod
    def read(cls, line: bytes) -> EventLine:
        """Read a line; its event is not looked into. Raises JournalDamaged."""
        try:
            return msgspec.json.decode(line, type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise JournalDamaged(f"an event cannot be read: {error}") from error


class Codec(Generic[E]):
    """The events of one kind of session, as they stand in the journal.

    `upcasters` lead from a type and the version that it was written with to the next version's
    fields.
    """

    def __init__(
        self,
        events: Any,  # noqa: ANN401 - a union of types has no type
        version: int,
        upcasters: Mapping[tuple[str, int], Upcaster],
    ) -> None:
        self.events = events
        self.version = version
        self._upcasters = upcasters
        self._encoder = msgspec.json.Encoder()
        self._decoder: msgspec.json.Decoder[E] = msgspec.json.Decoder(events)

    def encode(self, event: Event) -> bytes:
        """JSON of an event; `decode` gives it back equal."""
        return self._encoder.encode(event)

    def decode(self, body: bytes, version: int, written_by: str = "") -> E:
        """Read an event of any version up to this one.

        Raises JournalDamaged for an unknown type or a newer version (naming the Clew that wrote it)
        and for anything that is not an event.
        """
        try:
            if version == self.version:
                return self._decoder.decode(body)
            fields = msgspec.json.decode(body, type=dict[str, Any])
            if version > self.version:
                raise JournalDamaged(
                    f"event {fields.get('type', '?')!r} was written by a newer Clew"
                    f" ({written_by or f'schema {version}'})",
                    hint="Open this session with that version; nothing was changed.",
                )
            for step in range(version, self.version):
                upcast = self._upcasters.get((str(fields.get("type")), step))
                fields = upcast(fields) if upcast else fields
            return msgspec.convert(fields, self.events)  # type: ignore[no-any-return]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise JournalDamaged(
                f"an event cannot be read: {error}",
                hint="`clew recover` rebuilds the journal from its checkpoints.",
            ) from error

    def to_line(self, recorded: Recorded[E]) -> bytes:
        """JSON of an event in its place, for a file beside the journal; `from_line` reads it."""
        line = EventLine(
            session=recorded.session,
            seq=recorded.seq,
            at=recorded.at,
            version=self.version,
            event=msgspec.Raw(self.encode(recorded.event)),
        )
        return msgspec.json.encode(line)

    def from_line(self, line: bytes) -> Recorded[E]:
        """Read a line of any version. Raises JournalDamaged, as `decode` does."""
        read = EventLine.read(line)
        event = self.decode(bytes(read.event), read.version)
        return Recorded(session=read.session, seq=read.seq, at=read.at, event=event)
