"""Clew's journal: append the events of a recorded session, again and again."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from serving import serve

from clew.journal.streams import SQLiteJournal
from clew.words import events as ev


def records(path: Path) -> Iterator[tuple[str, int, ev.AnyEvent]]:
    """Yield what to append: session after session."""
    lines = path.read_bytes().splitlines()
    known = [msgspec.json.decode(line, type=ev.Recorded).event for line in lines]
    number = 0
    while True:
        for seq, event in enumerate(known, 1):
            yield f"session-{number}", seq, event
        number += 1


folder, synchronous, events = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
journal = SQLiteJournal(folder / "journal.db", ev.CODEC, durable=synchronous == "FULL")
coming = records(events)


def append(count: int) -> list[float]:
    took = []
    for _ in range(count):
        session, seq, event = next(coming)
        began = time.perf_counter()
        journal.append(ev.Recorded(session=session, seq=seq, at=datetime.now(UTC), event=event))
        took.append(time.perf_counter() - began)
    return took


serve(append)
