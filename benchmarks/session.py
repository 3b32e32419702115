"""How long `clew fix` takes to a proven fix, against one plain run of the project's tests."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

from benchmarks.figures import Bound, Figure, Part, Spread, paired
from benchmarks.measuring import ROOT, seconds, turns
from benchmarks.sessions import CLEW, environment
from benchmarks.subjects import Subject, small, under_git

__all__ = ["run"]

HOW = (
    "`clew fix` on a project with one simple fault, from the command to the proven fix, with the"
    " built-in repairer and the sandbox; the peer is `python -m pytest` in the same project, in"
    " turns. The search looks at no history: there is one commit. The second project has besides"
    " fifteen tests of another module, each of which waits for a tenth of a second. Of the small"
    " one, the same is held against `python -m pytest` on one empty test as well: what a run costs"
    " before it has run anything, and every run of a session costs that."
)
PYTEST = ROOT / ".venv" / "bin" / "pytest"
SESSION = "session"
RED = 1  # what pytest ends with where a test is red
WAITING = """import time

import pytest


@pytest.mark.parametrize("number", range(15))
def test_waits(number):
    time.sleep(0.1)
"""


def run(folder: Path, size: float) -> Part:
    """Measure both projects."""
    figures = []
    empty = folder / "empty"
    empty.mkdir()
    (empty / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    for what, name, waiting, most in (
        ("a small program", "small", "", 12),
        ("a suite of two seconds", "slower", WAITING, 8),
    ):
        project = small(folder / name)
        if waiting:
            (project.folder / "test_waiting.py").write_text(waiting)
        under_git(project.folder)
        numbers = itertools.count()
        bounds = {"its tests, once": Bound(at_least=False, number=most)}
        peers = {"its tests, once": functools.partial(_suite, project.folder, RED)}
        if not waiting:
            peers["one empty test, once"] = functools.partial(_suite, empty)
        session = functools.partial(_session, project, folder, numbers)
        took = turns(max(1, round(5 * size)), **{SESSION: session}, **peers)
        figures += [
            Figure(
                what=what,
                unit="s",
                clew=Spread.of(took[SESSION]),
                peer=peer,
                theirs=Spread.of(took[peer]),
                value=paired(took[SESSION], took[peer]),
                bound=bounds.get(peer),
            )
            for peer in peers
        ]
    return Part(title="From `clew fix` to a proven fix", how=HOW, figures=tuple(figures))


def _session(project: Subject, folder: Path, numbers: itertools.count[int]) -> float:
    """Mend a copy of the project, which stays red, with a state of its own."""
    number = next(numbers)
    copy = project.copied(folder / f"{project.folder.name}-{number}")
    env = environment(folder / f"state-{project.folder.name}-{number}")
    return seconds([CLEW, "fix"], cwd=copy.folder, env=env)


def _suite(folder: Path, ends: int = 0) -> float:
    env = environment(folder.parent / "none")
    return seconds([PYTEST, "-q"], cwd=folder, env=env, accept=(ends,))
