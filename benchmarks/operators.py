"""What each family of operators of the repairer costs, and what it finds.

    .venv/bin/python benchmarks/operators.py [--bench FOLDER] [--tasks N] [--workers N]

Every task of the development sets, and every labelled failure of a small project, is searched
once. A row a family: the candidates of it that were tried, the tasks whose best complete fix it
made, and the tasks for which it made any complete one.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from benchmarks.honest import BENCH, Task, tasks  # noqa: E402 - as below
from clew.agents.repair import search  # noqa: E402 - as below
from clew.words.errors import ClewError  # noqa: E402 - as below
from clew.words.facts import Category  # noqa: E402 - as below
from labelkit import labelled  # noqa: E402 - lies in tests/
from projectplay import Play  # noqa: E402 - lies in tests/

SECONDS = 20.0
MENDED = (Category.TEST_FAILURE, Category.TYPE_ERROR, Category.IMPORT_ERROR, Category.SYNTAX_ERROR)


class Searched(NamedTuple):
    """What one search tried, and found."""

    tried: dict[str, int]
    best: str
    complete: frozenset[str]


def failures() -> Iterator[Task]:
    """Yield the labelled failures of small projects whose fault is in their code."""
    for each in labelled():
        if not each.package and not each.command and each.category in MENDED:
            yield each.name, each.project | each.changed(), {}


def searched(task: Task) -> Searched | None:
    """Search one task; None where no test of it is red, or the search could not be run."""
    _, project, _ = task
    with tempfile.TemporaryDirectory(prefix="clew-operators-") as folder:
        play = Play(Path(folder) / "project", Path(folder) / "scratch")
        play.write(project)
        flag = f"{sys.executable} -m pytest"
        try:
            red = tuple(result.id for result in play.run(flag=flag).red)
            command = play.detect(flag)
            found = search(
                play.site(command),
                command,
                red,
                seconds=SECONDS,
                scratch=play.scratch,
                workers=1,
            )
        except ClewError:
            return None
    complete = [candidate.family for candidate in found.candidates if candidate.complete]
    return Searched(found.families, complete[0] if complete else "", frozenset(complete))


def main() -> int:
    """Search the tasks and print a row a family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--tasks", type=int, default=0, metavar="N", help="the first N of them")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    words = parser.parse_args()
    found = [*tasks(words.bench), *failures()]
    random.Random(0).shuffle(found)  # noqa: S311 -- an order, no secret
    found = found[: words.tasks or None]
    tried: Counter[str] = Counter()
    best: Counter[str] = Counter()
    able: Counter[str] = Counter()
    done = 0
    with get_context("spawn").Pool(words.workers) as pool:
        for result in pool.imap_unordered(searched, found):
            if result is None:
                continue
            done += 1
            tried.update(result.tried)
            best.update([result.best] if result.best else [])
            able.update(result.complete)
    whole = sum(tried.values()) or 1
    print("| family | candidates | share | best fix of | a fix of |\n|---|---|---|---|---|")
    for family, count in tried.most_common():
        share = f"{100 * count / whole:.1f} %"
        print(f"| {family} | {count} | {share} | {best[family]} | {able[family]} |")
    print(f"\n{sum(best.values())} of {done} tasks have a complete fix; {whole} candidates")
    return 0


if __name__ == "__main__":
    sys.exit(main())
