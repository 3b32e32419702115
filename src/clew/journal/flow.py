"""A kind of session, as the engine sees it: one record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from clew.words.codec import Codec
from clew.words.records import Event, Intent, Outcome, Recorded

__all__ = ["Action", "Flow", "Folded", "Pause", "Pending", "Record", "Run"]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Write down an event that needs no side effect."""

    event: Event


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """Wait, visibly, until then."""

    until: datetime
    why: str


Action = Intent | Record | Pause


class Folded(Protocol):
    """What a flow's events come to, as far as the engine looks at it."""

    @property
    def seq(self) -> int:
        """The number of the newest event."""
        ...

    @property
    def in_flight(self) -> Mapping[int, Intent]:
        """What was started and has no outcome, by the number of the event that started it."""
        ...


class Pending(Protocol):
    """A side effect that goes on by itself."""

    waiting: bool  # for a person: it will not go on before

    def poll(self) -> Event | None:
        """Return what is new, if anything is; an Outcome is the last of it."""
        ...

    def stop(self) -> None:
        """Bring it to a stand, so that it can be gone on with."""
        ...


S = TypeVar("S", bound=Folded)


class Run(Protocol[S]):
    """A session that this process holds and works on."""

    state: S
    pending: dict[int, Pending]

    @property
    def clock(self) -> Callable[[], datetime]:
        """Tells the time."""
        ...

    def record(self, event: Any) -> int:  # noqa: ANN401 - of the flow that runs
        """Journal an event, fold it, and return its number.

        Raises TransitionRefused, and then nothing was written.
        """
        ...

    def catch_up(self) -> None:
        """Read what the journal has beyond the state: an event that was just being appended."""
        ...

    def pause(self, until: datetime, why: str) -> None:
        """Wait, visibly."""
        ...


R = TypeVar("R", bound=Run[Any])


@dataclass(frozen=True, kw_only=True)
class Flow(Generic[S, R]):
    """A kind of session: what may happen in it, what comes next, and how that is done.

    `perform` carries an intent out and returns the outcome, or what is pending. `reconcile` finds
    out what became of one that was cut off: it returns the outcome, None if nothing was done or
    all was undone, or what is pending still. Both are given the intent's id.

    A `repeatable` intent does no harm when it is done again, and leaves nothing outside of the
    journal that has to be known: neither it nor its outcome waits for the disk.
    """

    kind: str
    codec: Codec[Any]
    empty: S
    fold: Callable[[S, Recorded[Any]], S]
    decide: Callable[[S, datetime], Collection[Action]]
    perform: Mapping[type[Intent], Callable[[R, int, Any], Outcome | Pending]]
    reconcile: Mapping[type[Intent], Callable[[R, int, Any], Outcome | Pending | None]]
    repeatable: frozenset[type[Intent]] = frozenset()
