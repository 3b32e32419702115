"""A suite of faults from a green project: one fault a task, each shown to turn tests red.

The same project, seed and Clew give the same suite, as far as the tests themselves are steady.
"""

from __future__ import annotations

import random
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from clew import runners
from clew.analysis.mutations import Mutation, mutations
from clew.analysis.testfiles import is_test_path
from clew.evaluation.tasks import Task, Version, lay, surroundings
from clew.flows.debugging.snapshot_run import demand_run
from clew.git.project import Project, locate
from clew.runners import Site
from clew.runners.interpreters import environment
from clew.sandbox.temporary import passing
from clew.words.errors import UsageError
from clew.words.facts import Coverage, TestCommand, TestRun, Verdict
from clew.words.settings import Settings

__all__ = ["seed_faults"]

PROJECT, SUITE = "project", "suite.jsonl"
TRIES = 8  # faults tried for each that is wanted
TEST_TIMEOUT = 10.0

Report = Callable[[str, str], None]


def seed_faults(
    project: Project,
    out: Path,
    settings: Settings,
    *,
    count: int,
    seed: int,
    runner_args: tuple[str, ...],
    report: Report,
) -> int:
    """Write a suite to the new folder `out`; return how many faults it has, at most `count`.

    The suite holds a copy of the project's folder, green; each task is one file with its fault.
    Operators take turns by chance, so that the frequent ones do not drown the rest. A fault counts
    if a test that runs its line goes red, other than by taking too long. Raises UsageError if
    `out` exists, the project is not green or its runner does not take the words, TestsDidNotRun if
    its tests do not run.
    """
    if out.exists():
        raise UsageError(f"{out} already exists", hint="Name a new folder with --out.")
    own = environment(project.path, project.root)
    base = Task(
        id="",
        folder=PROJECT,
        test_command=settings.test_command or "",
        runner_args=runner_args,
        environment=str(own) if own else "",
    )
    with passing("clew-seed-") as scratch:
        source = msgspec.structs.replace(base, folder=str(project.path))
        root = lay(source, Version.BUGGY, scratch / PROJECT)
        with surroundings(source, root):
            field = Field(root, scratch, settings, runner_args)
            found = 0
            tasks: list[bytes] = []
            for path, mutation in field.tried(count * TRIES, random.Random(seed)):  # noqa: S311 -- no secret
                found += 1
                task = msgspec.structs.replace(
                    base,
                    id=f"{found:03}-{mutation.operator.replace(' ', '-')}",
                    kind=mutation.operator,
                    buggy={path: mutation.text},
                    fixed={path: field.texts[path]},
                )
                tasks.append(msgspec.json.encode(task) + b"\n")
                report(task.id, f"{path}:{mutation.line}: {mutation.words}")
                if found == count:
                    break
        if not tasks:
            raise UsageError(f"no fault turned the tests of {project.path} red")
        out.mkdir(parents=True)
        shutil.copytree(scratch / PROJECT, out / PROJECT, symlinks=True)
        (out / SUITE).write_bytes(b"".join(tasks))
    return found


class Field:
    """A green project on which faults are tried."""

    def __init__(
        self, root: Path, scratch: Path, settings: Settings, runner_args: tuple[str, ...]
    ) -> None:
        self.tree = scratch / "tree"
        shutil.copytree(root, self.tree, symlinks=True)
        self.scratch = scratch
        self.settings = settings
        self.runner_args = runner_args
        project = locate(root)
        self.command: TestCommand = runners.detect(
            project.path,
            self.tree,
            flag=settings.test_command,
            settings=None,
            root=project.root,
            scratch=scratch,
        )
        self.site: Site = runners.build(project, self.tree, self.command, scratch=scratch)
        coverage = self._baseline(root)
        self.covering: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for test, files in coverage.lines.items():
            for path, lines in files.items():
                for line in lines:
                    self.covering[path, line].append(test)
        self.texts = {
            path: (self.tree / path).read_bytes().decode("utf-8", "surrogateescape")
            for path in sorted({path for path, _ in self.covering})
            if path.endswith(".py") and not is_test_path(path) and (self.tree / path).is_file()
        }

    def tried(self, most: int, chance: random.Random) -> Iterator[tuple[str, Mutation]]:
        """Try faults in lines that tests run, `most` at most; yield those that turn some red."""
        by_operator: defaultdict[str, list[tuple[str, Mutation]]] = defaultdict(list)
        for path, text in self.texts.items():
            for mutation in mutations(text):
                if (path, mutation.line) in self.covering:
                    by_operator[mutation.operator].append((path, mutation))
        for operator in sorted(by_operator):
            chance.shuffle(by_operator[operator])
        for _ in range(most):
            left = sorted(name for name, faults in by_operator.items() if faults)
            if not left:
                return
            path, mutation = by_operator[chance.choice(left)].pop()
            if self._turns_red(path, mutation):
                yield path, mutation

    def _turns_red(self, path: str, mutation: Mutation) -> bool:
        file = self.tree / path
        try:
            file.write_bytes(mutation.text.encode("utf-8", "surrogateescape"))
            run = self._run(tuple(self.covering[path, mutation.line]))
        finally:
            file.write_bytes(self.texts[path].encode("utf-8", "surrogateescape"))
        hung = run.timed_out or any(r.crash and r.crash.type == "Timeout" for r in run.red)
        return run.verdict is Verdict.FAILED and not hung

    def _baseline(self, root: Path) -> Coverage:
        request = runners.Request(extra=self.runner_args, timeout=self.settings.timeout, trace=True)
        report = runners.run(self.site, self.command, request, self.scratch)
        demand_run(report.run)
        if report.run.verdict is Verdict.FAILED:
            red = ", ".join(result.id for result in report.run.red[:3])
            raise UsageError(
                f"the project is not green: {red}", hint="Faults are seeded into a green one."
            )
        if report.coverage is None or not report.coverage.lines:
            raise UsageError(
                f"it is not known which lines the tests of {root.name} run",
                hint="Seeding needs pytest or unittest.",
            )
        return report.coverage

    def _run(self, only: tuple[str, ...]) -> TestRun:
        request = runners.Request(
            only=only,
            extra=self.runner_args,
            timeout=self.settings.timeout,
            test_timeout=TEST_TIMEOUT,
        )
        return runners.run(self.site, self.command, request, self.scratch).run
