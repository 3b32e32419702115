"""One event appended: Clew's journal, LangGraph's checkpoints, DBOS's steps."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import Contender, clean, python_of, turns
from benchmarks.sessions import demo
from clew.words import events as ev

__all__ = ["run"]

LANGGRAPH, DBOS = "LangGraph `SqliteSaver.put`", "DBOS step"
HOW = (
    "Each is a process of its own with a database of its own on the same disk, all in WAL mode"
    " with the same `synchronous`; a round appends some hundred records, and counts their mean."
    " The session is the demo's: Clew appends an event, DBOS records it as what a step returns,"
    " and LangGraph puts a checkpoint, which by its nature holds the state after the event. The"
    " small record has 300 letters, for each of the three."
)
WAIT = (
    "With `FULL`, every record waits for the disk. The lines of the disk alone are a page written"
    " over and nothing else: not even that is five times faster than LangGraph, so that no journal"
    " which keeps this promise can be. A small record takes one write to the log of SQLite in both,"
    " which sets the same bound with `NORMAL`."
)
MANY = 10_000  # small records of one session: more than are appended
FIVE = Bound(at_least=True, number=5)


def run(folder: Path, size: float) -> Part:
    """Measure both kinds of record at both levels of durability."""
    python_of("journals")
    session = demo(folder / "demo")
    small = ev.AgentErred(
        iteration=1, role="diagnose", agent="repair", kind="error", message="x" * 300
    )
    records = [msgspec.json.encode(record) for record in session.records]
    events = [msgspec.json.encode(record.event) for record in session.records]
    states = [msgspec.json.encode(state) for state in session.states()]
    one = msgspec.json.encode(msgspec.structs.replace(session.records[0], event=small))
    word = msgspec.json.encode({"message": "x" * 300})
    figures: list[Figure] = []
    for name, lines in (
        ("an event of the demo's session", (records, events, states)),
        ("a small record", ([one] * MANY, [word] * MANY, [word] * MANY)),
    ):
        for synchronous in ("NORMAL", "FULL"):
            below = folder / f"{len(figures)}-{synchronous}"
            figures += compare(below, f"{name}, {synchronous}", synchronous, lines, size)
    typical = statistics.median([len(state) for state in states])
    return Part(
        title="Journal",
        how=HOW,
        figures=tuple(figures),
        notes=(
            (
                f"The session has {len(events)} events, {sum(map(len, events)) // len(events)}"
                f" bytes each on average; its state has {typical:,.0f} bytes in the middle of it."
            ),
            WAIT,
        ),
    )


def compare(
    folder: Path,
    what: str,
    synchronous: str,
    lines: tuple[list[bytes], list[bytes], list[bytes]],
    size: float,
) -> list[Figure]:
    """Measure one kind of record; the bound stands with the better of the peers."""
    peers = python_of("journals")
    env = clean(PYTHONPATH="")
    with ExitStack() as stack:

        def contender(
            name: str, python: Path, rows: list[bytes], count: int
        ) -> Callable[[], float]:
            own = folder / name
            own.mkdir(parents=True)
            (own / "rows.jsonl").write_bytes(b"\n".join(rows) + b"\n")
            served = stack.enter_context(
                Contender.serving(
                    python,
                    f"append_{name}.py",
                    str(own),
                    synchronous,
                    str(own / "rows.jsonl"),
                    cwd=own,
                    env=env,
                )
            )
            served.ask(max(2, count // 10))  # warm
            return lambda: statistics.fmean(served.ask(count))

        records, events, states = lines
        own = folder / "disk"
        own.mkdir(parents=True)
        took = turns(
            max(1, round(9 * size)),
            clew=contender("clew", Path(sys.executable), records, max(2, round(400 * size))),
            langgraph=contender("langgraph", peers, states, max(2, round(400 * size))),
            dbos=contender("dbos", peers, events, max(2, round(80 * size))),
            disk=lambda: waits(own / "file", max(2, round(100 * size))),
        )
    ratios = {name: paired(took[name], took["clew"]) for name in ("langgraph", "dbos")}
    better = min(ratios, key=ratios.__getitem__)
    clew = Spread.of(took["clew"]).times(1e6)
    figures = [
        Figure(
            what=what,
            unit="µs",
            clew=clew,
            peer=peer,
            theirs=Spread.of(took[name]).times(1e6),
            value=ratios[name],
            bound=FIVE if name == better else None,
        )
        for name, peer in (("langgraph", LANGGRAPH), ("dbos", DBOS))
    ]
    if synchronous == "FULL":
        disk = Spread.of(took["disk"]).times(1e6)
        ratio = paired(took["disk"], took["clew"])
        figures.append(
            Figure(what=what, unit="µs", clew=clew, peer="the disk alone", theirs=disk, value=ratio)
        )
    return figures


def waits(path: Path, count: int) -> float:
    """Return how long it takes to write over a page and to have it on the disk: the least wait."""
    path.write_bytes(bytes(4096 * count))
    took = 0.0
    with path.open("r+b", buffering=0) as file:
        os.fsync(file.fileno())
        for _ in range(count):
            file.write(bytes(4096))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took += time.perf_counter() - began
    return took / count
