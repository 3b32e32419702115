"""Clew's own share of the demo: what is no run of the tests, the search or the proof's calls."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median

from benchmarks.figures import Bound, Figure, Part, Spread
from benchmarks.measuring import ROOT, seconds
from benchmarks.sessions import environment
from benchmarks.subjects import harbour

__all__ = ["TIMED", "run"]

TIMED = ROOT / "benchmarks" / "contenders" / "fix_timed.py"
HOW = (
    "`clew fix` on the demo's project, the whole process on the clock. Every program that Clew"
    " starts goes through one function, git aside; a watch around it books runs of the tests"
    " (interpreter, sandbox and pytest included), the search, and the programs in which the proof"
    " makes the tests' calls of the project once more. What is left is Clew's own: its start, git,"
    " the journal, documents, deciding, and the programs it asks about the project."
)


def run(folder: Path, size: float) -> Part:
    """Measure the share, as a median of whole runs."""
    rounds = [once(folder / f"{number}") for number in range(max(1, round(5 * size)))]
    figures = [
        Figure(what=what, unit="s", clew=Spread.of(r[key] for r in rounds))
        for what, key in (
            ("whole", "wall"),
            ("tests", "tests"),
            ("search", "search"),
            ("calls made again", "calls"),
        )
    ]
    own = [r["wall"] - r["tests"] - r["search"] - r["calls"] for r in rounds]
    share = median(100 * mine / r["wall"] for mine, r in zip(own, rounds, strict=True))
    figures.append(
        Figure(
            what="Clew's own",
            unit="s",
            clew=Spread.of(own),
            peer="the whole",
            theirs=Spread.of(r["wall"] for r in rounds),
            value=share,
            bound=Bound(at_least=False, number=10, unit="%"),
        )
    )
    return Part(title="Clew's own share of the demo", how=HOW, figures=tuple(figures))


def once(folder: Path) -> dict[str, float]:
    """Mend the demo once; return seconds by what they were spent on."""
    folder.mkdir()
    project = harbour(folder / "harbour")
    report = folder / "report.json"
    env = environment(folder / "state")
    wall = seconds([sys.executable, TIMED, report, "fix"], cwd=project, env=env)
    return {**json.loads(report.read_text()), "wall": wall}
