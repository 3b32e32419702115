"""All tasks of a run: side by side, each in a process of its own, recorded as they end."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import msgspec

from clew.evaluation.records import (
    RESULTS,
    BenchRequest,
    BenchRun,
    TaskOutcome,
    append,
    check_run,
    open_run,
)
from clew.evaluation.suites import open_suite
from clew.evaluation.tasks import TaskSuite, digest
from clew.evaluation.working import TaskJob
from clew.journal.store import Store
from clew.sandbox.temporary import passing
from clew.words.errors import UsageError

__all__ = ["Chosen", "choose", "run"]

JUDGING = 600.0  # seconds for all that is beyond the session, before a process is given up
GRACE = 10.0  # for a process that was asked to stop
DIED = "died"
LINES = 5


@dataclass(frozen=True)
class Chosen:
    """One task of a run."""

    suite: Path
    label: str
    task: str

    @property
    def name(self) -> str:
        """What the results call it."""
        return f"{self.label}/{self.task}"


def choose(
    paths: Sequence[Path], only: Sequence[str] = (), limit: int | None = None
) -> tuple[Chosen, ...]:
    """Open suites and return their tasks; `only` are patterns of ids, `limit` counts per suite.

    Raises UsageError where a suite is empty, nothing is left, or two suites have one name.
    """
    suites = [(path, open_suite(path)) for path in paths]
    for path, suite in suites:
        if not suite.ids:
            raise UsageError(f"{path} holds no task", hint="A suite has one task at least.")
    labels = [suite.name for _, suite in suites]
    for label in labels:
        if labels.count(label) > 1:
            raise UsageError(f"two suites are called {label!r}", hint="Run them one by one.")
    found = [
        Chosen(path.resolve(), suite.name, task)
        for path, suite in suites
        for task in _wanted(suite, only)[:limit]
    ]
    if not found:
        known = ", ".join(suite.ids[0] for _, suite in suites)
        raise UsageError("no task is chosen", hint=f"Ids are like these: {known}")
    return tuple(found)


def _wanted(suite: TaskSuite, only: Sequence[str]) -> list[str]:
    return [
        task
        for task in suite.ids
        if not only
        or any(
            fnmatch.fnmatchcase(task, pattern)
            or fnmatch.fnmatchcase(f"{suite.name}/{task}", pattern)
            for pattern in only
        )
    ]


def run(
    folder: Path,
    asked: BenchRequest,
    tasks: Iterable[Chosen],
    *,
    jobs: int,
    report: Callable[[TaskOutcome], None],
) -> BenchRun:
    """Work on all tasks that the results folder has no outcome of, `jobs` at a time.

    `report` is told of each as it ends. Interrupted or killed, and called again, it goes on where
    it was; the tasks that were in work begin anew. Raises SessionHeld while another process works
    on the folder.
    """
    check_run(folder, asked)
    with Store(folder).hold("run"):
        begun = open_run(folder, asked)
        done = {outcome.name: outcome.digest for outcome in begun.outcomes}
        chosen = tuple(tasks)
        _check_unchanged(folder, [t for t in chosen if done.get(t.name)], done)
        waiting = deque(task for task in chosen if task.name not in done)
        with Crew(begun, report) as crew:
            while waiting or crew.busy:
                while waiting and crew.busy < jobs:
                    crew.start(waiting.popleft())
                crew.wait()
        return open_run(folder, asked)


def _check_unchanged(folder: Path, done: Sequence[Chosen], digests: Mapping[str, str]) -> None:
    suites = {path: open_suite(path) for path in {task.suite for task in done}}
    for task in done:
        if digest(suites[task.suite].task(task.task)) != digests[task.name]:
            raise UsageError(
                f"{folder} has a result of {task.name} as it was: the task has changed since",
                hint=f"Remove its line from {folder / RESULTS} to run it again, or name another"
                " folder with --out.",
            )


@dataclass
class Worker:
    """A process and the task it works on."""

    task: Chosen
    process: subprocess.Popen[bytes]
    scratch: Path
    ended: contextlib.ExitStack  # gives back what it was lent
    deadline: float
    asked_to_stop: bool = False
    said: bytearray = field(default_factory=bytearray)


class Crew:
    """The processes at work. Leaving ends them, with all that they started."""

    def __init__(self, run: BenchRun, report: Callable[[TaskOutcome], None]) -> None:
        self.run = run
        self.report = report
        self.selector = selectors.DefaultSelector()
        self.workers: list[Worker] = []

    def __enter__(self) -> Self:
        """Begin with nobody at work."""
        return self

    @property
    def busy(self) -> int:
        return len(self.workers)

    def start(self, task: Chosen) -> None:
        """Put somebody to work on a task, in a folder of its own outside any repository."""
        asked = self.run.asked
        ended = contextlib.ExitStack()
        scratch = ended.enter_context(passing("clew-bench-"))
        job = TaskJob(
            suite=str(task.suite),
            task=task.task,
            label=task.label,
            settings=asked.settings | {"agent": list(asked.agents)},
            timeout=asked.timeout,
            seed=asked.seed,
            scratch=str(scratch),
            result=str(scratch / "outcome.json"),
        )
        (scratch / "job.json").write_bytes(msgspec.json.encode(job))
        process = subprocess.Popen(
            [sys.executable, "-m", "clew.evaluation", str(scratch / "job.json")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=scratch,
        )
        deadline = time.monotonic() + 2 * asked.timeout + JUDGING
        worker = Worker(task, process, scratch, ended, deadline)
        self.workers.append(worker)
        self.selector.register(_words(process), selectors.EVENT_READ, worker)

    def wait(self) -> None:
        """Wait until somebody says something, or is done; record what is done."""
        for key, _ in self.selector.select(timeout=1.0):
            worker: Worker = key.data
            words = os.read(key.fd, 1 << 16)
            worker.said += words
            if not words:
                self.selector.unregister(key.fileobj)
                self.settle(worker)
        for worker in self.workers:
            if time.monotonic() > worker.deadline:
                (worker.process.kill if worker.asked_to_stop else worker.process.terminate)()
                worker.asked_to_stop = True
                worker.deadline += GRACE

    def settle(self, worker: Worker) -> None:
        """Record what a process left, and clear up after it."""
        worker.process.wait()
        self.workers.remove(worker)
        try:
            content = (worker.scratch / "outcome.json").read_bytes()
            outcome = msgspec.json.decode(content, type=TaskOutcome)
        except (OSError, msgspec.DecodeError):
            words = worker.said.decode("utf-8", "replace").strip().splitlines()[-LINES:]
            ended = f"its process ended with {worker.process.returncode}"
            outcome = TaskOutcome(
                suite=worker.task.label,
                task=worker.task.task,
                end=DIED,
                note="\n".join([ended, *words]),
            )
        _discard(worker)
        append(self.run, outcome)
        self.report(outcome)

    def __exit__(self, *_: object) -> None:
        """Ask all that are left to stop, and wait for them."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            try:
                worker.process.wait(timeout=GRACE)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            _discard(worker)
        self.selector.close()


def _words(process: subprocess.Popen[bytes]) -> int:
    if process.stderr is None:
        raise UsageError("a process has no standard error")
    return process.stderr.fileno()


def _discard(worker: Worker) -> None:
    for pipe in (worker.process.stdin, worker.process.stderr):
        if pipe is not None:
            pipe.close()
    worker.ended.close()
