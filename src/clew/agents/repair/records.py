"""What the search wrote, read back.

It comes from a process that ran anybody's code: nothing in it is believed beyond its types, and a
line that does not fit is left out and counted.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Annotated

import msgspec

from clew.words.facts import Tick

__all__ = [
    "Account",
    "Found",
    "FoundChange",
    "FoundPart",
    "FoundReach",
    "SearchDone",
    "Suspicion",
    "read",
    "tick_of",
]

Text = Annotated[str, msgspec.Meta(max_length=200_000)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 40)]
Line = Annotated[int, msgspec.Meta(ge=1, lt=1 << 31)]
BYTES = 100_000_000


class SearchLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """One line."""


class FoundChange(msgspec.Struct, frozen=True, kw_only=True):
    """Whole lines, as they are and as they should be."""

    path: Text
    line: Line
    current: Text
    should_be: Text


class FoundPart(msgspec.Struct, frozen=True, kw_only=True):
    """One of several changes that are joined."""

    description: Text
    path: Text
    line: Line
    function: Text = ""
    edits: list[FoundChange] = []
    turns_green: list[Text]
    family: Text = ""
    score: float = 0.0


class Found(SearchLine, frozen=True, kw_only=True, tag="candidate"):
    description: Text
    family: Text
    path: Text
    line: Line
    function: Text = ""
    edits: list[FoundChange]
    turns_green: list[Text]
    still_red: list[Text] = []
    complete: bool = False
    score: float = 0.0
    inputs: Count = 0
    # A call, what the best does there, what this one does, the module of the function, and what
    # the code gave before.
    parting: tuple[Text, Text, Text, Text, Text] | None = None
    witness: Text = ""
    against: Text = ""
    parts: list[FoundPart] = []


class Suspicion(SearchLine, frozen=True, kw_only=True, tag="suspect"):
    path: Text
    line: Line
    function: Text = ""
    score: float
    flips: Count = 0
    ochiai: float = 0.0
    brought: bool = False  # by the first bad commit


class FoundReach(SearchLine, frozen=True, kw_only=True, tag="reach"):
    path: Text
    tests: list[Text]
    groups: list[tuple[list[Line], list[Count]]]


class Progress(SearchLine, frozen=True, kw_only=True, tag="progress"):
    phase: Text
    made: Count
    tried: Count
    best: Text = ""
    per_second: float = 0.0


class SearchDone(SearchLine, frozen=True, kw_only=True, tag="done"):
    made: Count
    tried: Count
    families: dict[Text, Count] = {}
    exhausted: bool = False
    denied: bool = False  # tests were kept from writing
    notes: list[Text] = []


class Account(msgspec.Struct, kw_only=True):
    """All that one search said."""

    found: list[Found] = msgspec.field(default_factory=list)
    suspicions: list[Suspicion] = msgspec.field(default_factory=list)
    reached: list[FoundReach] = msgspec.field(default_factory=list)
    done: SearchDone | None = None
    unread: int = 0


LINE = msgspec.json.Decoder(Found | Suspicion | FoundReach | Progress | SearchDone)
PROGRESS = msgspec.json.Decoder(Progress)


def read(path: Path) -> Account:
    """Read what a search wrote; a missing file is an empty account."""
    account = Account()
    for line in _lines(path):
        try:
            record = LINE.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            account.unread += 1
            continue
        match record:
            case Found():
                account.found.append(record)
            case Suspicion():
                account.suspicions.append(record)
            case FoundReach():
                account.reached.append(record)
            case SearchDone():
                account.done = record
            case Progress():
                pass
    return account


def tick_of(line: bytes) -> Tick | None:
    """Return the sign of life that a line of the search's output is, if it is one."""
    try:
        progress = PROGRESS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return Tick(
        phase=progress.phase,
        made=progress.made,
        tried=progress.tried,
        per_second=progress.per_second,
        best=progress.best,
    )


def _lines(path: Path) -> list[bytes]:
    try:
        # Neither a link nor a pipe that the project put in its place is followed.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return []
        return [line for line in file.read(BYTES).split(b"\n") if line]
