"""Candidates a second: tried in batches, tried in a fork each, tried by a pytest process each."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import ROOT, Contender, clean, python_of, turns
from benchmarks.subjects import Subject, click, small

__all__ = ["run"]

HOW = (
    "One worker on either side. Clew's rate counts what it takes to make a candidate, to put it"
    " into the running program and to run the failing tests, and the passing ones where a failing"
    " one turned green. The peer writes the same candidate into the file and runs `python -m"
    " pytest -x` on the failing tests alone, which is the least it could do. What both say of a"
    " sample of candidates is compared. Below them stands what bounds either way: the failing tests"
    " on their own, run again and again in one worker, and a fork of the same process that does"
    " nothing and ends."
)
BOUNDS = {
    ("small", "batch"): Bound(at_least=True, number=1000),
    ("small", "fork"): Bound(at_least=True, number=80),
    ("click", "batch"): Bound(at_least=True, number=500),
}
HANG = 20.0


def run(folder: Path, size: float) -> Part:
    """Measure both projects."""
    python_of("subject")
    figures: list[Figure] = []
    notes: list[str] = []
    for key, subject in (("small", small(folder / "small")), ("click", click(folder / "click"))):
        found, note = measure(key, subject, folder, size)
        figures += found
        notes.append(note)
    return Part(title="Candidates", how=HOW, figures=tuple(figures), notes=tuple(notes))


def measure(key: str, subject: Subject, folder: Path, size: float) -> tuple[list[Figure], str]:
    """Measure one project; return its figures, and whether the verdicts agree."""
    python = python_of("subject")
    scratch = folder / f"{key}-scratch"
    scratch.mkdir()
    env = clean(**subject.environment)
    failing = failures(python, subject, env)
    (scratch / "request.json").write_text(
        json.dumps(
            {
                "root": str(subject.folder),
                "cwd": str(subject.folder),
                "failing": failing,
                "forbidden_files": ["test_*.py", "conftest.py"],
                "seconds": 600,
                "workers": 1,
                "results": str(scratch / "results.jsonl"),
                "scratch": str(scratch),
            }
        )
    )
    paths = [str(ROOT / "src"), *(str(subject.folder / p) for p in subject.environment.values())]
    own = {**env, "PYTHONPATH": ":".join(paths[::-1])}
    rounds = max(1, round(7 * size))
    words = str(scratch / "request.json")
    with Contender.serving(python, "candidates.py", words, cwd=scratch, env=own) as clew:
        told = clew.ask({"what": "samples", "count": max(2, 3 * rounds)})
        samples = iter(told["samples"])
        copy = subject.copied(folder / f"{key}-copy")
        agreed: list[bool] = []

        def rate(what: str, count: int) -> float:
            return count / float(clew.ask({"what": what, "count": count}))

        def by_pytest() -> float:
            began = time.perf_counter()
            count = 0
            for sample in islice(samples, 3):
                green = passes(python, copy, sample, failing, env)
                agreed.append(green == sample["mends"])
                count += 1
            return count / (time.perf_counter() - began)

        took = turns(
            rounds,
            batch=lambda: rate("batch", max(20, round((2000 if key == "small" else 1000) * size))),
            pytest=by_pytest,
            fork=lambda: rate("fork", max(5, round((150 if key == "small" else 50) * size))),
            tests=lambda: rate("tests", max(20, round(500 * size))),
            empty=lambda: rate("empty", max(5, round(50 * size))),
        )
    figures = [
        Figure(
            what=f"{subject.name}, {words}",
            unit="/s",
            clew=Spread.of(took[what]),
            peer="a pytest process each",
            theirs=Spread.of(took["pytest"]),
            value=paired(took[what], took["pytest"]),
            bound=BOUNDS.get((key, what)),
        )
        for what, words in (("batch", "in batches"), ("fork", "a fork each"))
    ]
    figures += [
        Figure(
            what=f"{subject.name}, {words}",
            unit="/s",
            clew=Spread.of(took[what]),
            peer=least,
            theirs=Spread.of(took[floor]),
            value=paired(took[what], took[floor]),
        )
        for what, words, floor, least in (
            ("batch", "in batches", "tests", "the failing tests alone, in a worker"),
            ("fork", "a fork each", "empty", "a fork that does nothing"),
        )
    ]
    note = (
        f"{subject.name}: {len(failing)} failing tests, {told['made']} candidates;"
        f" {sum(agreed)} of {len(agreed)} verdicts agree with pytest's."
    )
    return figures, note[0].upper() + note[1:]


def failures(python: Path, subject: Subject, env: Mapping[str, str]) -> list[str]:
    """Return the ids of the failing tests."""
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-rf", "--tb=no", "-p", "no:cacheprovider"],
        cwd=subject.folder, env=dict(env), capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    return [line.removeprefix("FAILED ").split(" - ")[0] for line in lines]


def passes(
    python: Path,
    subject: Subject,
    sample: Mapping[str, str],
    ids: list[str],
    env: Mapping[str, str],
) -> bool:
    """Write a candidate, run the failing tests in a process of its own, put the file back."""
    file = subject.folder / sample["path"]
    before = file.read_text()
    file.write_text(sample["text"])
    try:
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *ids],
            cwd=subject.folder, env=dict(env), capture_output=True, timeout=HANG, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    finally:
        file.write_text(before)
    return done.returncode == 0
