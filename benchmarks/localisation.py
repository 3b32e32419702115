"""The suspects: `clew localize` against FauxPy on the same projects, and the rank of the fault."""

from __future__ import annotations

import csv
import json
import math
import shutil
import subprocess
import time
from pathlib import Path

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import clean, python_of, seconds, turns
from benchmarks.sessions import CLEW, environment
from benchmarks.subjects import Subject, click, small, under_git

__all__ = ["run"]

PATIENCE = 120.0  # seconds for every mutant of the small program

HOW = (
    "Whole commands, as a person would type them: `clew localize`, with its snapshot, its private"
    " worktree and its sandbox, against FauxPy's spectrum-based family at the granularity of"
    " statements, each with the pytest of one version. The targets are 3 times on small programs,"
    " where starting takes most of the time, and 8 times on click. The rank is that of the faulty"
    " line among all lines with a score, the worse one where lines share a score; FauxPy's is by"
    " Ochiai. Its mutation-based family, which runs every mutant of every statement, is measured"
    " on the small program alone: on click it takes hours."
)


def run(folder: Path, size: float) -> Part:
    """Measure both projects."""
    python_of("localisation")
    python_of("subject")
    figures: list[Figure] = []
    notes: list[str] = []
    for subject, bound, rounds in (
        (small(folder / "small"), 3, max(1, round(7 * size))),
        (click(folder / "click"), 8, max(1, round(3 * size))),
    ):
        found, note = measure(subject, Bound(at_least=True, number=bound), folder, rounds)
        figures += found
        notes.append(note)
    return Part(title="Localisation", how=HOW, figures=tuple(figures), notes=tuple(notes))


def measure(subject: Subject, bound: Bound, folder: Path, rounds: int) -> tuple[list[Figure], str]:
    """Measure one project; return its figures, and the ranks."""
    ranks: dict[str, str] = {}
    copy = subject.copied(folder / f"{subject.folder.name}-fauxpy")
    under_git(subject.folder)
    plain = [str(python_of("subject")), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    env = clean(**subject.environment)

    def clew() -> float:
        took, ranks["Clew"] = localize(subject, folder)
        return took

    def fauxpy() -> float:
        took, ranks["FauxPy"] = fault_localised(copy, "sbfl")
        return took

    took = turns(
        rounds,
        clew=clew,
        fauxpy=fauxpy,
        plain=lambda: seconds(plain, cwd=subject.folder, env=env, accept=(1,)),
    )
    own = Spread.of(took["clew"])
    figures = [
        Figure(
            what=f"{subject.name}, spectrum",
            unit="s",
            clew=own,
            peer="FauxPy, SBFL",
            theirs=Spread.of(took["fauxpy"]),
            value=paired(took["fauxpy"], took["clew"]),
            bound=bound,
        )
    ]
    if subject.source == ".":
        name, mutated = "FauxPy, MBFL", PATIENCE
        try:
            mutated, ranks["FauxPy's mutation-based family"] = fault_localised(
                copy, "mbfl", PATIENCE
            )
        except subprocess.TimeoutExpired:
            name += ", stopped before its end"
        figures.append(
            Figure(
                what=f"{subject.name}, mutation",
                unit="s",
                clew=own,
                peer=name,
                theirs=Spread.of([mutated]),
                value=mutated / own.median,
            )
        )
    figures.append(
        Figure(
            what=f"{subject.name}, beside the tests alone",
            unit="s",
            clew=own,
            peer="plain pytest",
            theirs=Spread.of(took["plain"]),
            value=paired(took["clew"], took["plain"]),
        )
    )
    words = "; ".join(f"{name} {rank}" for name, rank in ranks.items())
    return figures, f"Rank of the faulty line of {subject.name}: {words}."


def localize(subject: Subject, folder: Path) -> tuple[float, str]:
    """Run `clew localize`; return its time, and where it ranks the fault."""
    variables = [f"{name}={value}" for name, value in subject.environment.items()]
    command = " ".join([*variables, str(python_of("subject")), "-m", "pytest"])
    argv = [str(CLEW), "localize", "--json", "--top", "100000", "--test-command", command, "."]
    env = environment(folder / "state")
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=subject.folder, env=env, capture_output=True, check=True)
    took = time.perf_counter() - began
    suspects = [json.loads(line) for line in done.stdout.splitlines()]
    return took, rank({(s["path"], s.get("line")): s["score"] for s in suspects}, subject.fault)


def fault_localised(subject: Subject, family: str, most: float = 900.0) -> tuple[float, str]:
    """Run FauxPy; return its time, and where it ranks the fault. Raises TimeoutExpired."""
    reports = f"FauxPyReport_{subject.folder.name}_{family}_*"
    for old in subject.folder.parent.glob(reports):
        shutil.rmtree(old)
    argv = [
        *(str(python_of("localisation")), "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("--src", subject.source, "--family", family, "--granularity", "statement"),
        *("--exclude", f"[{subject.tests}]", *subject.options),
    ]
    env = clean(**subject.environment)
    took = seconds(argv, cwd=subject.folder, env=env, accept=(0, 1), timeout=most)
    name = "Scores_Ochiai.csv" if family == "sbfl" else "Scores_Metallaxis.csv"
    table = next(subject.folder.parent.glob(f"{reports}/{name}"))
    scores: dict[tuple[str, int], float] = {}
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            path, _, line = row["Entity"].partition("::")
            place = Path(path).resolve().relative_to(subject.folder.resolve()).as_posix()
            scores[place, int(line)] = float(row["Score"])
    return took, rank(scores, subject.fault)


def rank(scores: dict[tuple[str, int], float], fault: tuple[str, int]) -> str:
    """Return "3 of 41": how many lines stand at or above the fault."""
    mine = scores.get(fault)
    if mine is None:
        return "none"
    above = sum(score > mine or math.isclose(score, mine) for score in scores.values())
    return f"{above} of {len(scores)}"
