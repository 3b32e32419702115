"""Suites of tasks, each in the layout that it is published in, read from a folder the person has.

JSON lines            one task a line, as `clew bench seed` writes them
folders               TASK/buggy, TASK/fixed and, if the tests lie apart, TASK/tests
HumanEvalPack         JSON lines with `declaration`, `buggy_solution`, `canonical_solution`, `test`
QuixBugs              python_programs, correct_python_programs, python_testcases, json_testcases
BugsInPy              projects/NAME/bugs/N, with a clone of each project beside it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from clew.evaluation.suites.bugsinpy import BugsInPy
from clew.evaluation.suites.humanevalpack import HumanEvalPack
from clew.evaluation.suites.plain import Folders, JSONLines
from clew.evaluation.suites.quixbugs import QuixBugs
from clew.evaluation.tasks import TaskSuite
from clew.words.errors import UsageError

__all__ = ["open_suite"]

LAYOUTS: tuple[tuple[Callable[[Path], bool], Callable[[Path], TaskSuite]], ...] = (
    (HumanEvalPack.recognises, HumanEvalPack),
    (JSONLines.recognises, JSONLines),
    (QuixBugs.recognises, QuixBugs),
    (BugsInPy.recognises, BugsInPy),
    (Folders.recognises, Folders),
)


def open_suite(path: Path) -> TaskSuite:
    """Open a suite by the layout that is found at `path`. Raises UsageError."""
    path = path.expanduser().resolve()
    if not path.exists():
        raise UsageError(f"there is no suite at {path}", hint="Name its file or folder.")
    for place in _places(path):
        for recognises, layout in LAYOUTS:
            if recognises(place):
                return layout(place)
    raise UsageError(
        f"{path} holds no suite of a known layout",
        hint="docs/guides/benchmarking-agents.md shows the layouts that can be read.",
    )


def _places(path: Path) -> Iterator[Path]:
    """Yield the path, and below a data set's folder the one file that holds its tasks."""
    yield path
    if path.is_dir():
        for inner in ("suite.jsonl", "data/python/data/humanevalpack.jsonl"):
            if (path / inner).is_file():
                yield path / inner
