"""Plans: what scheduling costs, how the document grows, what working side by side saves."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import ROOT, Contender, clean, python_of, seconds, turns
from benchmarks.sessions import CLEW, environment

__all__ = ["run"]

TASKS, MANY = 200, 500
LANGGRAPH, PREFECT = "LangGraph, `SqliteSaver`", "Prefect"
AHEAD = Bound(at_least=True, number=1)
HOW = (
    f"Scheduling: the same graph of {TASKS} tasks that do nothing, ten in a layer, each of which"
    " waits for two below; performed in the scheduler's own process, which is started and warm."
    " Clew journals that a phase began, ended, was merged and passed its gates; its hands do"
    " nothing. LangGraph runs a node a task and has its SQLite checkpointer put each superstep on"
    " the disk before the next (`durability=sync`, WAL, `synchronous=FULL`, as Clew's journal)."
    " Prefect runs a task a task in threads and keeps each result; its server is a process of its"
    " own. The document: rendered and written at every outcome, in a plan of some hundred phases."
    " The demo's plan: `clew run` on examples/ledger with its scripted agents."
)
WAITS = (
    "Clew does not wait for the disk where what was lost would come about again: a merge, a run of"
    " the gates, and the outcome of a session, which the session's own events tell. It waits for"
    " all else, such as calls of agents and answers of people, and with it all before that is on"
    " the disk. The bare writes are the least that keeping two records a task can take when each"
    " waits."
)


def run(folder: Path, size: float) -> Part:
    """Measure all three."""
    return Part(
        title="Plans",
        how=HOW,
        figures=(
            *scheduling(folder / "scheduling", max(20, round(TASKS * min(1.0, size))), size),
            growth(folder / "growth", max(40, round(MANY * min(1.0, size)))),
            demo_plan(folder / "demo", max(1, round(3 * size))),
        ),
        notes=(WAITS,),
    )


def scheduling(folder: Path, count: int, size: float) -> list[Figure]:
    """Have each schedule the same tasks, in turns."""
    peers = python_of("plans")
    with ExitStack() as stack:

        def contender(name: str, python: Path, *words: str, **env: str) -> Callable[[], float]:
            own = folder / "-".join((name, *words))
            own.mkdir(parents=True)
            served = stack.enter_context(
                Contender.serving(
                    python, f"schedule_{name}.py", str(own), *words, cwd=own, env=clean(**env)
                )
            )
            served.ask(20)  # warm
            return lambda: float(served.ask(count))

        home = folder / "prefect-home"
        took = turns(
            max(1, round(9 * size)),
            clew=contender("clew", Path(sys.executable), CLEW_STATE_HOME=str(folder / "state")),
            langgraph=contender("langgraph", peers),
            prefect=contender(
                "prefect",
                peers,
                HOME=str(home),
                PREFECT_HOME=str(home),
                PREFECT_LOGGING_LEVEL="ERROR",
                PREFECT_SERVER_ANALYTICS_ENABLED="false",
                PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="180",
                DO_NOT_TRACK="1",
            ),
            bare=lambda: bare(folder / "bare.db", count),
        )
    clew = Spread.of(took["clew"]).times(1e3)
    rows = (
        ("langgraph", LANGGRAPH, AHEAD),
        ("prefect", PREFECT, AHEAD),
        ("bare", "two writes to SQLite that wait for the disk", None),
    )
    return [
        Figure(
            what=f"one of {count} tasks",
            unit="ms",
            clew=clew,
            peer=peer,
            theirs=Spread.of(took[name]).times(1e3),
            value=paired(took[name], took["clew"]),
            bound=bound,
        )
        for name, peer, bound in rows
    ]


def bare(path: Path, count: int) -> float:
    """Return the seconds that two rows a task take, each in a transaction that waits."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, body BLOB)")
    began = time.perf_counter()
    for _ in range(2 * count):
        connection.execute("INSERT INTO events (body) VALUES (?)", (bytes(300),))
    took = (time.perf_counter() - began) / count
    connection.close()
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()
    return took


def growth(folder: Path, count: int) -> Figure:
    """Write the document at every outcome of a plan; compare the last ones with the first."""
    folder.mkdir(parents=True)
    env = clean(CLEW_STATE_HOME=str(folder / "state"))
    words = ("schedule_clew.py", str(folder), "document")
    with Contender.serving(Path(sys.executable), *words, cwd=folder, env=env) as served:
        took: Any = served.ask(count)
    part = max(2, len(took) // 10)
    first, last = Spread.of(took[1 : part + 1]), Spread.of(took[-part:])
    return Figure(
        what=f"the document after the last of {count} phases",
        unit="ms",
        clew=last.times(1e3),
        peer="after the first of them",
        theirs=first.times(1e3),
        value=last.median / first.median,
        bound=Bound(at_least=False, number=1.5),
    )


def demo_plan(folder: Path, rounds: int) -> Figure:
    """Carry out the demo's plan side by side, and one phase after another."""
    numbers = iter(range(10_000))

    def carried_out(parallel: int) -> float:
        own = folder / str(next(numbers))
        project = own / "ledger"
        shutil.copytree(ROOT / "examples" / "ledger", project)
        for words in (
            ("init", "-q"),
            ("add", "--all"),
            ("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "An empty ledger"),
        ):
            subprocess.run(["git", *words], cwd=project, check=True)
        command = (CLEW, "run", "plan.md", "--agent", "repair,builder", "--parallel", parallel)
        return seconds([str(word) for word in command], cwd=project, env=environment(own / "state"))

    took = turns(rounds, beside=lambda: carried_out(3), after=lambda: carried_out(1))
    return Figure(
        what="the demo's plan, three phases at a time",
        unit="s",
        clew=Spread.of(took["beside"]),
        peer="one after another",
        theirs=Spread.of(took["after"]),
        value=paired(took["after"], took["beside"]),
    )
