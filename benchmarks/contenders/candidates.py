"""Clew's repair search, stopped where it would begin to try: candidates are tried on demand.

Runs in the project's interpreter, as the search does; the request's path is the only word.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Read before the project's import path is laid.
from serving import serve

from clew.probe.search.engine import Search
from clew.probe.search.files import ProjectSources
from clew.probe.search.pytest_suite import PytestSuite
from clew.probe.search.request import Answers, SearchRequest
from clew.probe.search.source import Patch, apply_changes
from clew.probe.search.suites import Collected
from clew.probe.search.workers import RED, Bounds, Pool

MOST = 6000
Work = Callable[[int, Callable[[Any], None]], int]


class Trying(Search):
    """A search that tries what it is told to."""

    def search(self) -> None:
        self.pool = Pool(1, Bounds(self.request.memory, 10.0))
        self.deadline = float("inf")
        began = time.perf_counter()
        assert self.frontier is not None  # noqa: S101 - narrows the type
        self.all = self.frontier.take(MOST)
        self.making = (time.perf_counter() - began) / len(self.all)
        self.coming = itertools.cycle(self.all)
        serve(self.answer)

    def answer(self, question: dict[str, Any]) -> object:
        chunk = list(itertools.islice(self.coming, question["count"]))
        if question["what"] == "samples":
            step = max(1, len(self.all) // question["count"])
            chunk = self.all[::step][: question["count"]]
            return {
                "failing": self.targets,
                "made": len(self.all),
                "samples": [self.sample(patch) for patch in chunk],
            }
        if question["what"] == "empty":
            return self.timed(chunk, lambda _index, _tell: RED, batch=1)
        if question["what"] == "tests":
            return self.timed(chunk, self.run_tests, batch=300)
        took, _ = self.run_all(chunk, 300 if question["what"] == "batch" else 1)
        return took + len(chunk) * self.making

    def run_tests(self, _index: int, _tell: Callable[[Any], None]) -> int:
        """Run the failing tests as they are, with nothing changed."""
        for name in self.targets:
            self.trial.failure(self.trial.checks[name])
        return RED

    def timed(self, chunk: list[Patch], work: Work, batch: int) -> float:
        began = time.perf_counter()
        self.pool.run(list(range(len(chunk))), work, self.deadline, batch=batch)
        return time.perf_counter() - began

    def run_all(self, chunk: list[Patch], batch: int) -> tuple[float, list[Any]]:
        self.trial.batch = chunk
        began = time.perf_counter()
        _, messages = self.pool.run(
            list(range(len(chunk))), self.trial.attempt, self.deadline, batch=batch
        )
        return time.perf_counter() - began, messages

    def sample(self, patch: Patch) -> dict[str, Any]:
        _, messages = self.run_all([patch], 1)
        greens = set(messages[0][1]) if messages else set()
        text = self.project.text(patch.path) or ""
        return {
            "path": patch.path,
            "text": apply_changes(text, patch.changes),
            "mends": greens == set(self.targets),
        }


request = SearchRequest(json.loads(Path(sys.argv[1]).read_text()))
flags = mmap.mmap(-1, 16)
flags[1] = request.workers
os.chdir(request.cwd)
sys.path.insert(0, request.cwd)
search = Trying(ProjectSources(request), Answers(request.results, request.started), flags)


def use(collected: Collected) -> None:
    search.run(collected, lambda: None)


PytestSuite(request.args, request.scratch).collect(use)
