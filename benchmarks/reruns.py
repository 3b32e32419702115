"""How long it takes to decide an iteration, against the whole suite after every fix."""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import CONTENDERS, ROOT, NotInstalled, turns

sys.path.insert(0, str(ROOT / "tests"))

from packagekit import FAULTS, Package, changed, checkout, seed
from projects import diagnosis, fix, git, recording

__all__ = ["run"]

PACKAGE, FAULT = Package("click"), FAULTS / "click" / "open-bound.diff"
HOW = (
    "click with its whole suite and one seeded fault, mended by recorded fixes: one that leaves the"
    " failing tests as they are, one that mends them and breaks others, and the right one. Nothing"
    " has traced the tests, so that the second is known by the tests that import what it changes."
    " Measured is the run after the fix, as the"
    " journal has its seconds: it decides the iteration. The other one is Clew as well, but runs"
    " the whole suite after every fix. The proof is the same either way, and not in these figures."
)
SLOWER = Bound(at_least=True, number=0.9)


def run(folder: Path, size: float) -> Part:
    """Measure a fix that fails, and one that helps. Raises NotInstalled."""
    subject = Subject(folder)
    figures = []
    for what, written, bound in (
        ("a fix that fails", subject.useless, Bound(at_least=True, number=1.5)),
        ("a fix that breaks other tests", subject.breaking, SLOWER),
        ("a fix that helps", subject.right, SLOWER),
    ):
        took = turns(
            max(1, round(5 * size)),
            first=functools.partial(subject.decided, "-m clew", written),
            whole=functools.partial(subject.decided, str(CONTENDERS / "fix_whole.py"), written),
        )
        figures.append(
            Figure(
                what=f"{what}, failing tests first",
                unit="s",
                clew=Spread.of(took["first"]),
                peer="the whole suite",
                theirs=Spread.of(took["whole"]),
                value=paired(took["whole"], took["first"]),
                bound=bound,
            )
        )
    return Part(title="Deciding an iteration", how=HOW, figures=tuple(figures))


class Subject:
    """click with its fault, in a repository and an environment of its own."""

    def __init__(self, folder: Path) -> None:
        """Unpack and install it, and make the fault. Raises NotInstalled."""
        self.folder = folder
        self.numbers = itertools.count(1)
        try:
            self.project = checkout(PACKAGE, folder / PACKAGE.name)
        except FileNotFoundError as error:
            raise NotInstalled(str(error)) from error
        self.path = changed(FAULT)
        right = (self.project / self.path).read_text(encoding="utf-8").splitlines()
        seed(self.project, FAULT)
        git(self.project, "commit", "-aqm", "go on")
        wrong = (self.project / self.path).read_text(encoding="utf-8").splitlines()
        self.line = next(n for n, (a, b) in enumerate(zip(right, wrong, strict=True)) if a != b)
        self.right, self.wrong = right[self.line], wrong[self.line]
        self.useless = f"{self.wrong}  # so be it"
        self.breaking = self.wrong.replace("operator.ge", "(lambda *_: False)")

    def decided(self, program: str, written: str) -> float:
        """Return the seconds of the run after a recorded fix: how the line is written then."""
        own = self.folder / f"{next(self.numbers)}"
        own.mkdir()
        change = {
            "file": self.path,
            "line": self.line + 1,
            "current": f"{self.wrong}\n",
            "should_be": f"{written}\n",
        }
        told = diagnosis("a bound is on the wrong side", change), fix(change)
        agent = recording(own / "recording.jsonl", *told)
        environment = {
            **os.environ,
            "CLEW_STATE_HOME": str(own / "state"),
            "CLEW_MAX_ITERATIONS": "1",
        }
        done = subprocess.run(
            [sys.executable, *program.split(), "fix", "--json", "--agent", agent],
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        for left in ("debug", ".clew"):
            shutil.rmtree(self.project / left, ignore_errors=True)
        if done.returncode != (0 if written == self.right else 1):
            raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr[-2000:]!r}")
        return seconds_of(done.stdout)


def seconds_of(lines: bytes) -> float:
    """Return what the run after the fix took, from the events of a session."""
    events: list[dict[str, Any]] = [
        record["event"] for line in lines.splitlines() if "event" in (record := json.loads(line))
    ]
    return next(
        float(e["seconds"]) for e in events if e["type"] == "TestsRan" and e["purpose"] == "verify"
    )
