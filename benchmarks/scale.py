"""What grows: events, sessions, tests."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import seconds, turns
from benchmarks.sessions import CLEW, demo, environment
from benchmarks.share import TIMED
from benchmarks.subjects import under_git
from clew.flows.debugging.states import State, fold
from clew.journal.streams import SQLiteJournal
from clew.words import events as ev
from clew.words.settings import Settings

__all__ = ["run"]

HOW = (
    "Events: 100,000 of one session, each appended (`NORMAL`) and folded into the state; the"
    " first thousand and the last thousand are compared by their medians. Sessions: the demo's"
    " project with 10,000 further sessions in its journal, against the same project without them."
    " Tests: `clew fix` on a suite of 10,000 tests, one of them red; the memory is the most that"
    " Clew's own process held, against what a suite of 10 tests takes."
)
FLAT = Bound(at_least=False, number=1.5)


def run(folder: Path, size: float) -> Part:
    """Measure all three."""
    return Part(
        title="Size",
        how=HOW,
        figures=(
            events(folder, max(200, round(100_000 * size))),
            *sessions(folder, max(10, round(10_000 * size)), max(1, round(9 * size))),
            memory(folder, max(10, round(10_000 * size))),
        ),
    )


def events(folder: Path, count: int) -> Figure:
    """Append and fold event after event of one session."""
    journal = SQLiteJournal(folder / "journal.db", ev.CODEC, durable=False)
    opening = ev.SessionOpened(
        session_id="long", clew_version="0", root="/", path="/", goal="", settings=Settings(),
    )  # fmt: skip
    intent: ev.AnyIntent = ev.TakeSnapshot(generation=1)
    again = (ev.Started(intent=intent), ev.Abandoned(intent=intent, reason="it was cut off"))
    at, state, took = datetime.now(UTC), State(), list[float]()
    for seq in range(1, count + 1):
        event = opening if seq == 1 else again[seq % 2]
        recorded = ev.Recorded(session="long", seq=seq, at=at + timedelta(seconds=seq), event=event)
        began = time.perf_counter()
        state = fold(state, recorded)
        journal.append(recorded)
        took.append(time.perf_counter() - began)
    journal.close()
    part = min(1000, count // 2)
    first, last = Spread.of(took[1 : part + 1]), Spread.of(took[-part:])
    return Figure(
        what=f"event {count:,} of a session",
        unit="µs",
        clew=last.times(1e6),
        peer="the first events",
        theirs=first.times(1e6),
        value=last.median / first.median,
        bound=FLAT,
    )


def sessions(folder: Path, count: int, rounds: int) -> list[Figure]:
    """Look at a project of many sessions, and at one of a single one."""
    few, many = demo(folder / "few"), demo(folder / "many")
    many.multiply(count)

    def look(name: str, where: str) -> float:
        at = {"few": few, "many": many}[where]
        return seconds([CLEW, name], cwd=at.project, env=at.env)

    took = turns(
        rounds,
        status_few=lambda: look("status", "few"),
        status_many=lambda: look("status", "many"),
        list_few=lambda: look("list", "few"),
        list_many=lambda: look("list", "many"),
    )
    return [
        Figure(
            what=f"`clew {name}` with {count:,} sessions",
            unit="ms",
            clew=Spread.of(took[f"{name}_many"]).times(1e3),
            peer="with one session",
            theirs=Spread.of(took[f"{name}_few"]).times(1e3),
            value=paired(took[f"{name}_many"], took[f"{name}_few"]),
        )
        for name in ("status", "list")
    ]


def memory(folder: Path, count: int) -> Figure:
    """Mend a project of many tests; return what Clew's own process held."""
    large, little = peak(folder / "large", count), peak(folder / "little", 10)
    return Figure(
        what=f"memory of `clew fix`, {count:,} tests",
        unit="MiB",
        clew=Spread.of([large]),
        peer="10 tests",
        theirs=Spread.of([little]),
        value=large / little,
    )


def peak(folder: Path, count: int) -> float:
    """Return the most memory that `clew fix` held, in MiB."""
    project = folder / "project"
    project.mkdir(parents=True)
    (project / "code.py").write_text("def double(n):\n    return n + n if n != 7 else n + 1\n")
    (project / "test_code.py").write_text(
        "import pytest\nfrom code import double\n\n"
        f"@pytest.mark.parametrize('n', range({count}))\n"
        "def test_double(n):\n    assert double(n) == 2 * n\n"
    )
    (project / "pytest.ini").write_text("[pytest]\n")
    under_git(project)
    report, env = folder / "report.json", environment(folder / "state")
    argv = [sys.executable, str(TIMED), str(report), "fix", "--search-seconds", "20"]
    seconds(argv, cwd=project, env=env, accept=(0, 1))
    return float(json.loads(report.read_text())["peak"]) / (1 << 20)
