"""Runs of one suite through the probe, each without the tests that ended the ones before."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from clew.analysis.testfiles import is_test_path
from clew.runners.bounds import asked_for_more, noted
from clew.runners.commands import recognise
from clew.runners.endings import WORDS, last_words
from clew.runners.infrastructure import NotLoaded, RunJudgement, Seen, in_words, judge
from clew.runners.records import ProcessTotals, read, read_dump, stack_in
from clew.runners.request import CopyResult, Report, Request, places_of_hangs
from clew.runners.site import CACHES, Site
from clew.sandbox import processes
from clew.sandbox.confinement import Confined, Level, confine
from clew.sandbox.processes import Completed
from clew.words.facts import (
    CaseOutcome,
    Coverage,
    Crash,
    Phase,
    TestCommand,
    TestResult,
    TestRun,
    Verdict,
)

__all__ = ["Places", "Rounds"]

Said = TypeVar("Said")
PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini")
CRASHED, CLOSED = 3, "[Errno 9]"
CASUALTIES = 50  # tests that may end the process (or hang) before the rest is left alone


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where one run keeps its files: `folder` is its own, `entry` the probe's."""

    folder: Path
    entry: Path


class Rounds:
    """Runs of one suite through the probe, each without the tests that ended the ones before."""

    def __init__(
        self,
        site: Site,
        command: TestCommand,
        request: Request,
        places: Places,
        level: Level | None,
    ) -> None:
        self.site = site
        self.command = command
        self.request = request
        self.folder = places.folder
        self.entry = places.entry
        self.meant = recognise(command.argv)
        (self.folder / "out").mkdir()
        self.asked = self.folder / "request.json"
        self.confined = self.confine(level)
        self.total = ProcessTotals()
        self.last: Completed | None = None
        self.over_limit = ""
        self.outputs: list[str] = []
        self.timed_out = False
        self.copies: list[CopyResult] = []
        self.trouble = ""
        self.limit = request.test_timeout  # seconds for one test, as the time left allows

    def confine(self, level: Level | None) -> Confined:
        site = self.site
        argv = [
            self.command.interpreter or "python3",
            *self.meant.options,
            str(self.entry),
            self.command.runner.value,
            str(self.asked),
        ]
        policy = site.policy(
            visible=(self.entry.parents[1], self.folder),
            writable=(self.folder / "out",),
            given=self.meant.environment,
        )
        return confine(argv, policy, level)

    @property
    def hashing(self) -> dict[str, str]:
        """Settle the order of sets with everything else that is chance, or alone."""
        seed = self.request.seed if self.request.hashing is None else self.request.hashing
        return {} if seed is None else {"PYTHONHASHSEED": str(seed)}

    @property
    def root(self) -> Path:
        """The code's root as the tests see it."""
        return self.site.root if self.confined.sees_target else self.site.worktree

    def go(self, deadline: float) -> None:
        casualties = 0
        while True:
            account = self.once(deadline, casualties)
            self.add(account)
            ended_by_test = account.status is None and (account.left or account.now)
            if self.timed_out or not ended_by_test or account.phase is Phase.COLLECT:
                return
            casualties += 1
            if casualties == CASUALTIES:
                return

    def draw(self, deadline: float) -> None:
        """Run in copies of one process; the account is the first one's, and the ends are all."""
        results, dump = self.places(0)
        self.start(results, dump, deadline)
        for number in range(self.request.copies):
            account = read(results.with_name(f"{results.name}.{number}"))
            if number == 0:
                self.add(account)
            cut_off = account.status is None and self.timed_out
            if account.start is not None and not cut_off:
                self.copies.append(_ended(account))

    def once(self, deadline: float, number: int) -> ProcessTotals:
        results, dump = self.places(number)
        done = self.start(results, dump, deadline)
        account = read(results)
        if account.status == CRASHED and CLOSED in account.broken and account.phase is Phase.CALL:
            account.status = None  # the runner's own files were closed by the test at work
        lost = account.status is None and account.now not in ("", *account.results)
        if lost and not done.timed_out:
            account.results[account.now] = self.casualty(account, done, dump)
        return account

    def places(self, number: int) -> tuple[Path, Path]:
        out = self.folder / "out"
        return out / f"{number}.jsonl", out / f"{number}.stack"

    def start(self, results: Path, dump: Path, deadline: float) -> Completed:
        """Run the probe once, and note what is told of the process."""
        left = max(deadline - time.monotonic(), 0.1)
        self.limit = self.request.limit_of_test(left)
        self.asked.write_bytes(msgspec.json.encode(self.words(results, dump)))
        done = processes.run(
            self.confined.argv,
            cwd=self.confined.cwd,
            env=self.site.environment(self.confined, self.meant.environment) | self.hashing,
            timeout=left,
            bounds=self.confined.bounds,
        )
        self.last = done
        self.over_limit = self.over_limit or done.over_limit
        self.timed_out = done.timed_out
        self.outputs += [part for part in (done.stdout, done.stderr) if part]
        return done

    def casualty(self, account: ProcessTotals, done: Completed, dump: Path) -> TestResult:
        """Make a result for a test that took the process with it."""
        frames = read_dump(dump, str(self.root))
        if frames:
            said = f"still running after {self.limit:.3g} s, deaf to signals"
            crash = Crash(type="Timeout", message=said, frames=frames)
        else:
            said = f"the test ended the process with {in_words(done.exit_code)}"
            if done.over_limit:
                said = f"the test was ended with its process: {done.over_limit}"
            stack = stack_in(done.stderr, str(self.root))
            crash = Crash(type="ProcessExit", message=said, frames=stack)
        collecting = account.phase is Phase.COLLECT
        return TestResult(
            id=account.now,
            file=account.file,
            outcome=CaseOutcome.ERROR if collecting else CaseOutcome.FAILED,
            phase=account.phase,
            crash=crash,
            output=done.stderr[-WORDS:],
        )

    def words(self, results: Path, dump: Path) -> dict[str, object]:
        inside = self.confined.sees_target
        covered = [
            str(self.root / o.target.relative_to(self.site.root)) for o in self.site.overlays
        ]
        covered += [str(overlay.source) for overlay in self.site.overlays]
        return {
            "results": str(results),
            "dump": str(dump),
            "cache": str(self.folder / "out" / "cache"),
            "root": str(self.root),
            "home": None if inside else str(self.site.root),
            "skip": covered,
            "cwd": str(self.confined.inside),
            "args": [*self.meant.arguments, *self.request.extra],
            "as_module": self.meant.as_module,
            "only": list(self.request.only),
            "first": list(self.request.first),
            "gate": [] if self.total.results else list(self.request.gate),
            "near": [] if self.total.results else list(self.request.near),
            "done": [*self.request.done, *self.total.results],
            "seed": self.request.seed,
            "clock": self.request.clock,
            "copies": self.request.copies,
            "test_timeout": self.limit,
            "hung": self.request.hung + places_of_hangs(self.total.results.values()),
            "trace": self.request.trace,
            "reading": self.request.reading,
            "whole": self.request.whole,
            "crossing": [str(self.root / path) for path in self.request.crossing],
            "disguise": self.disguise(),
        }

    def disguise(self) -> dict[str, object] | None:
        wanted = self.request.disguise
        if wanted is None:
            return None
        return {
            "changed": [str(self.root / path) for path in wanted.changed],
            "modules": [name for path in wanted.changed if (name := _dotted(path))],
            "alone": wanted.alone,
        }

    def add(self, account: ProcessTotals) -> None:
        total = self.total
        total.start = total.start or account.start
        total.named = total.named or account.named
        total.collected = total.collected or account.collected
        total.results = first_said(total.results, account.results)
        total.missing = first_said(total.missing, account.missing)
        total.lines = first_said(total.lines, account.lines)
        total.foreign = total.foreign or account.foreign
        total.read |= account.read
        total.crossed += account.crossed
        total.compared += account.compared
        total.replaced += account.replaced
        total.made += account.made
        total.swallowed += account.swallowed
        total.broken = account.broken or total.broken
        total.settings = account.settings or total.settings
        total.status = account.status
        total.unread += account.unread
        total.held = total.held and account.held
        total.looked |= account.looked
        total.stopped = account.stopped

    def report(self, seconds: float) -> Report:
        self.total.results = {k: noted(r, self.site) for k, r in self.total.results.items()}
        judgement = self.judgement()
        results = tuple(self.total.results.values())
        run = TestRun(
            verdict=judgement.verdict,
            command=self.command,
            results=results,
            exit_code=None if self.last is None else self.last.exit_code,
            seconds=seconds,
            timed_out=self.timed_out,
            output="\n".join(self.outputs),
            reason=judgement.reason or self.over_limit or asked_for_more(results, self.site),
            infrastructure=judgement.infrastructure,
            misused=judgement.misused,
            foreign=tuple(name for name, _ in self.total.foreign),
            sandbox=self.confined.level.value,
            named=self.total.named,
            read=tuple(self.total.read),
        )
        total = self.total
        report = Report(
            run=run,
            collected=len(total.collected),
            stopped=total.stopped,
            held=total.held,
            looked=total.looked,
            crossed=tuple(total.crossed),
            compared=tuple(total.compared),
            replaced=tuple(dict.fromkeys(total.replaced)),
            made=tuple(dict.fromkeys(total.made)),
            swallowed=tuple(dict.fromkeys(total.swallowed)),
            copies=tuple(self.copies),
        )
        if not self.request.trace:
            return report
        outcomes = {result.id: result.outcome for result in results}
        coverage = Coverage(lines=self.total.lines, outcomes=outcomes)
        return msgspec.structs.replace(report, coverage=coverage)

    def judgement(self) -> RunJudgement:
        if self.trouble:
            return RunJudgement(Verdict.DID_NOT_RUN, infrastructure=True, reason=self.trouble)
        results = self.total.results.values()
        tests = [result for result in results if result.phase is not Phase.COLLECT]
        broken = [result for result in results if result.phase is Phase.COLLECT]
        left = set(self.total.collected) - set(self.total.results)
        seen = Seen(
            started=self.total.start is not None,
            status=self.total.status,
            exit_code=None if self.last is None else self.last.exit_code,
            timed_out=self.timed_out,
            ran=len(tests),
            red=sum(result.outcome.red for result in tests),
            not_loaded=tuple(
                NotLoaded(
                    id=result.id,
                    crash=result.crash,
                    missing=self.total.missing.get(result.id, ""),
                    home=_home_of(self.site, result.id),
                )
                for result in broken
                if result.crash is not None
            ),
            foreign=self.total.foreign,
            broken=self.total.broken,
            settings=self.total.settings,
            last_words="" if self.last is None else last_words(self.last),
            unreached=0 if self.total.stopped else len(left),
            words=self.request.extra,
        )
        return judge(seen, own_modules(self.site))


def _home_of(site: Site, file: str) -> str:
    """Return the innermost folder around a file, below the one that is run, with a project file."""
    run = site.worktree / site.subdir
    for folder in PurePosixPath(file).parents[:-1]:
        if any((run / folder / name).is_file() for name in PROJECTS):
            return str(folder)
    return ""


def _dotted(path: str) -> str:
    """Return the name by which a file is imported, where its folders are packages."""
    parts = list(PurePosixPath(path.removeprefix("src/")).with_suffix("").parts)
    if not path.endswith(".py") or not all(part.isidentifier() for part in parts):
        return ""
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _ended(account: ProcessTotals) -> CopyResult:
    """Return how tests ended; one that took its process with it was red."""
    ends = {name: result.outcome for name, result in account.results.items()}
    lost = account.status is None and account.now and account.phase is not Phase.COLLECT
    red = {name for name, outcome in ends.items() if outcome.red}
    red |= {account.now} if lost else set()
    passed = {name for name, outcome in ends.items() if outcome is CaseOutcome.PASSED}
    return CopyResult(red=frozenset(red), passed=frozenset(passed))


def first_said(before: dict[str, Said], then: dict[str, Said]) -> dict[str, Said]:
    """Add what is new, and leave what was said before as it is."""
    return before | {key: value for key, value in then.items() if key not in before}


def own_modules(site: Site) -> frozenset[str]:
    """Return the names of top-level modules that the project's code has, tests left out."""
    folders = [site.worktree / site.subdir, site.worktree, site.worktree / "src"]
    folders += [site.worktree / name for name in site.imports]
    return frozenset(name for folder in folders for name in _modules_in(folder))


def _modules_in(folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        below = f"{path.name}/__init__.py" if path.is_dir() else path.name
        if is_test_path(below) or path.name in CACHES or not path.stem.isidentifier():
            continue
        if path.suffix in (".py", ".pyi") or (path.is_dir() and any(path.glob("*.py"))):
            yield path.stem
