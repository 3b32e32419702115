"""How many right fixes the proof refuses: the development sets, each with its right answer.

    .venv/bin/python benchmarks/honest.py [--bench FOLDER] [--tasks N] [--output FILE]
    .venv/bin/python benchmarks/honest.py --cases FOLDER

The second one takes commits of your own, each a folder with `base/` (a project with red tests),
`fix.diff`, and `about.json`, whose `tests` are the words for pytest.

Every task becomes a project with the faulty program; the right one is put before the whole proof,
as the fix of an agent would be. A line each says what refused it, and the last one the share of
those that were refused by how they answer: by a value that is built in, or by what they do with
other numbers. Tasks are taken in an order that is shuffled, and the same each time. One without a
failing test, or whose right answer is red here, is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from clew.evaluation.suites.humanevalpack import HumanEvalPack  # noqa: E402 - as below
from clew.flows.debugging.states import Stage  # noqa: E402 - as below
from clew.words.errors import ClewError  # noqa: E402 - as below
from proofkit import proof, session  # noqa: E402 - lies in tests/

BENCH = ROOT.parent / "shared" / "bench"
ANSWERS = (
    "no value of the failing tests is built into the fix",
    "it changes more than what the failing tests give and expect",
)
SETTLED = "the tests settle which change is right"
Task = tuple[str, dict[str, str], dict[str, str]]
Commit = tuple[str, Path, dict[str, str], tuple[str, ...]]


def tasks(bench: Path) -> Iterator[Task]:
    """Yield the tasks: a name, the project, and the files that mend it."""
    if (path := bench / "humanevalfix-python-dev.jsonl").is_file():
        suite = HumanEvalPack(path)
        for name in suite.ids:
            task = suite.task(name)
            yield name, task.buggy | task.tests, task.fixed
    if (path := bench / "debugbench-python-dev.jsonl").is_file():
        for line in path.read_text("utf-8").splitlines():
            told = json.loads(line)
            project = {"solution.py": told["buggy"], "test_solution.py": told["tests"]}
            yield told["task_id"], project, {"solution.py": told["right"]}


def commits(cases: Path) -> Iterator[Commit]:
    """Yield commits that lie in folders."""
    for folder in sorted(path.parent for path in cases.glob("*/about.json")):
        told = json.loads((folder / "about.json").read_text("utf-8"))
        with tempfile.TemporaryDirectory(prefix="clew-honest-") as name:
            place = Path(name) / "base"
            shutil.copytree(folder / "base", place, symlinks=True)
            diff = str((folder / "fix.diff").resolve())
            subprocess.run(["git", "apply", "-p1", diff], cwd=place, check=True)
            right = {path: (place / path).read_text("utf-8") for path in told["files"]}
        yield folder.name, folder / "base", right, tuple(told["tests"])


def judged(task: Task | Commit) -> dict[str, Any]:
    """Put the right answer of a task before the proof."""
    name, project, right = task[:3]
    tests = next(iter(task[3:]), ())
    command = "python -m pytest" if tests else None
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="clew-honest-"))
        try:
            debug_run = stack.enter_context(session(Path(folder), project, command, words=tests))
            if debug_run.state.stage is not Stage.RECHECKED or not debug_run.state.red:
                return {"task": name, "left_out": "no test of it is red"}
            proved = proof(debug_run, dict(right), by_text=True)
        except ClewError as error:
            return {"task": name, "left_out": error.message}
    against = {row.claim: row.measured for row in proved.rows if not row.holds and row.decides}
    if not proved.accepted and not tests and not set(against) & set(ANSWERS):
        return {"task": name, "left_out": proved.did_not_run or "red here", "rows": against}
    weak = {row.claim: row.measured for row in proved.rows if not row.holds and not row.decides}
    asked = [row.claim for row in proved.rows if row.against and row.doubt]
    return {
        "task": name, "accepted": proved.accepted, "rows": against, "asked": asked, "weak": weak,
        "seconds": round(proved.seconds, 1),
    }  # fmt: skip


def main() -> int:
    """Judge the tasks and print the share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--cases", type=Path, metavar="FOLDER", help="commits instead of these")
    parser.add_argument("--tasks", type=int, default=0, metavar="N", help="the first N of them")
    parser.add_argument("--output", type=Path, metavar="FILE", help="a line of JSON each")
    words = parser.parse_args()
    found: list[Task | Commit] = [*(commits(words.cases) if words.cases else tasks(words.bench))]
    random.Random(0).shuffle(found)  # noqa: S311 -- an order, no secret
    found = found[: words.tasks or None]
    if not found:
        print(f"skipped: no development set in {words.bench}; name its folder with --bench")
        return 0
    refused = told = beside = 0
    with get_context("spawn").Pool(2) as pool:
        for result in pool.imap_unordered(judged, found):
            line = json.dumps(result)
            print(line, flush=True)
            if words.output:
                with words.output.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
            told += "accepted" in result
            refused += result.get("accepted") is False
            beside += SETTLED in result.get("weak", ())
    share = 100 * refused / told if told else 0.0
    print(f"{refused} of {told} right fixes are refused ({share:.1f} %); {len(found)} tasks")
    print(f"{beside} of {told} have a likelier change beside them that passes as well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
