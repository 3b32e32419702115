"""The search itself: a commit chosen, checked out and tested, until there is an answer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from clew import runners
from clew.analysis.bisecting import (
    Among,
    CommitVerdict,
    FirstBad,
    FoundCommit,
    Good,
    NoGood,
    TryCommit,
    answer,
    halve,
    look_back,
    touched,
    unimported,
)
from clew.analysis.failures import error_of
from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.flows.debugging.bisection.records import (
    Bisection,
    BisectionEnd,
    BisectRequest,
    Step,
    read,
)
from clew.flows.debugging.snapshot_run import UNRUN, demand_run
from clew.git.project import Project
from clew.git.worktrees import PrivateRepository, path_text
from clew.journal import crashpoints
from clew.journal.store import Store
from clew.sandbox.files import write_atomically
from clew.words.errors import GitFailed, TestsDidNotRun, UsageError
from clew.words.facts import TestRun
from clew.words.settings import Settings
from clew.words.test_ids import parted

__all__ = ["bisect"]

_NAME = "bisect"
_LINES = 10_000  # of code that are weighed
_LONGEST = 4_000  # first parents that are looked back


class SearchGround(Protocol):
    """Where is searched: the sessions of a project, or a debug run."""

    @property
    def project(self) -> Project: ...
    @property
    def store(self) -> Store: ...
    @property
    def repository(self) -> PrivateRepository: ...


Tell = Callable[[Bisection, TryCommit | None], None]
"""Is told before a commit is tried, and (without one) after each answer."""


ALL_THAT_FAIL = BisectRequest()


def _unheard(_: Bisection, __: TryCommit | None) -> None:
    pass


def bisect(
    ground: SearchGround,
    settings: Settings,
    wish: BisectRequest = ALL_THAT_FAIL,
    tell: Tell = _unheard,
    *,
    again: bool = False,
) -> Bisection:
    """Find the first bad commit, or say why there is none; a search that was cut off goes on.

    A search that came to its end is answered from its file, unless it is to be made `again`. Raises
    UsageError where there is no history, TestsDidNotRun where the tests do not run at its tip.
    `ground` are the sessions of a project; `tell` hears of each commit that is tried, and of what
    it said.
    """
    if not ground.project.git:
        raise UsageError(
            f"{ground.project.path} has no git repository, so there are no commits to search",
            hint="`clew localize` ranks the lines that may hold the fault.",
        )
    crashpoints.check()
    with ground.store.hold(_NAME):
        lab = _Lab(ground, settings, tell)
        try:
            lab.begin(wish, again=again)
            return lab.work()
        finally:
            lab.clear()


class _Lab:
    """One search, with the worktree that it is made in."""

    def __init__(self, ground: SearchGround, settings: Settings, tell: Tell) -> None:
        self.ground = ground
        self.repository = ground.repository
        self.settings = settings
        self.tell = tell
        self.clear()  # what a search that was cut off left behind
        self.scratch = ground.store.scratch(_NAME)

    def clear(self) -> None:
        """Remove the worktree."""
        self.repository.remove(self.repository.worktree(_NAME).with_name(f"{_NAME}.try"))
        self.repository.forget(_NAME)
        self.ground.store.clear_scratch(_NAME)

    def begin(self, wish: BisectRequest, *, again: bool) -> None:
        """Settle what is searched, and take up what is known of it."""
        snapshot = self.repository.snapshot(_NAME)
        if snapshot.head is None:
            raise UsageError(
                f"{self.ground.project.root} has no commits yet, so there are none to search",
                hint="`clew localize` ranks the lines that may hold the fault.",
            )
        bad = self._meant(wish.bad) if wish.bad is not None else snapshot.head
        good = self._meant(wish.good) if wish.good is not None else None
        if good is not None:
            good = self._before(good, bad, wish.good or "")
        fresh = Bisection(
            wish=wish,
            path=self.ground.project.subdir,
            head=snapshot.head,
            base=snapshot.commit,
            bad=bad,
            good=good,
            dirty=snapshot.dirty and wish.bad is None,
            present_tests=wish.present_tests,
            shallow=self.repository.shallow,
        )
        asked = (wish, fresh.path, snapshot.tree, fresh.head, bad, good, self.settings.test_command)
        key = hashlib.sha256(msgspec.json.encode(asked)).hexdigest()[:16]
        self.file = self.ground.store.folder / "bisections" / f"{key}.json"
        kept = read(self.file)
        if kept is None or (again and kept.end):
            kept = fresh
        self.search = replace(kept, base=snapshot.commit)  # the tree's, under a name of today

    def _meant(self, name: str) -> str:
        commit = self.repository.named_by_person(name)
        if commit is None:
            raise UsageError(
                f"{name[:80]!r} is not a commit of {self.ground.project.root}",
                hint="Name a branch, a tag or a commit's id, as `git log` shows them.",
            )
        return commit

    def _before(self, good: str, bad: str, name: str) -> str:
        """Return the newest commit that both have: what is bad came after it, if it is good."""
        common = self.repository.common(good, bad)
        if common is None or common == bad:
            why = "has no history in common with" if common is None else "comes after"
            raise UsageError(
                f"{name[:80]!r} {why} the bad commit {bad[:12]}",
                hint="Name a good commit from before it, or leave --good out: it is looked for.",
            )
        return common

    def work(self) -> Bisection:
        """Go on until there is an answer."""
        if not self.search.tests and self.search.end is None:
            self._find_tests()
        while self.search.end is None:
            step = self._next()
            if isinstance(step, TryCommit):
                self._try(step)
            else:
                self._keep(step)
        return self.search

    def _find_tests(self) -> None:
        """Run the whole suite where the fault was seen, to know which tests fail."""
        search = self.search
        tip = search.bad if search.wish.bad is not None else search.base
        run = self._report(tip, ())[0].run
        demand_run(run)
        red = tuple(result.id for result in run.red)
        strangers = sorted(set(search.wish.tests) - set(red))
        if strangers and red:
            raise UsageError(
                f"{strangers[0][:120]!r} is not among the failing tests",
                hint="Failing: " + ", ".join(red[:5]),
            )
        tests = search.wish.tests or red
        self._keep(
            replace(search, command=run.command, tests=tests)
            if red
            else replace(search, command=run.command, end=BisectionEnd.PASSING)
        )

    def _next(self) -> TryCommit | Bisection:
        """Decide what is tried next, or how the search ends."""
        search = self.search
        tip = search.step(search.bad)
        if tip is None:
            return TryCommit(commit=search.bad)
        if tip.answer is not CommitVerdict.BAD:
            return self._not_at_the_tip(tip)
        span = self._span()
        if not isinstance(span, Good):
            return span
        part = halve(self.repository.between(span.good, span.bad), span.bad, search.answers)
        match part:
            case TryCommit():
                return part
            case FoundCommit():
                return replace(
                    search, end=BisectionEnd.FOUND, first_bad=self._first_bad(part.commit)
                )
            case Among():
                return replace(search, end=BisectionEnd.AMONG, commits=part.commits)

    def _span(self) -> Good | TryCommit | Bisection:
        """Look for a good commit, or hear the one that was named."""
        search = self.search
        if search.good is None:
            line = self.repository.first_parents(search.bad, _LONGEST)
            looked = look_back(line, search.answers)
            if not isinstance(looked, NoGood):
                return looked
            oldest, before = looked.oldest, looked.before
            return replace(search, end=BisectionEnd.NO_GOOD, oldest=oldest, before=before)
        named = search.step(search.good)
        if named is None:
            return TryCommit(commit=search.good)
        if named.answer is CommitVerdict.GOOD:
            return Good(good=search.good, bad=search.bad)
        bad = named.answer is CommitVerdict.BAD
        return replace(search, end=BisectionEnd.GOOD_IS_BAD if bad else BisectionEnd.GOOD_IS_SILENT)

    def _not_at_the_tip(self, tip: Step) -> Bisection:
        search = self.search
        if tip.answer is CommitVerdict.BROKEN and not search.dirty:
            raise TestsDidNotRun(
                f"the failing tests did not run at {tip.commit[:12]}: {tip.reason}", hint=UNRUN
            )
        if not search.dirty:
            return replace(search, end=BisectionEnd.FLAKY)
        changed = self.repository.changed(search.head, search.base)
        files = tuple(path_text(change.path) for change in changed)
        if not search.present_tests and any(map(is_test_path, files)):
            return replace(search, present_tests=True)  # the fault may be older than its test
        return replace(search, end=BisectionEnd.UNCOMMITTED, commits=files)

    def _try(self, step: TryCommit) -> None:
        search = self.search
        self.tell(search, step)
        crashpoints.reach(crashpoints.TRY, "intent")
        try:
            report, present = self._report(step.commit, search.tests)
        except GitFailed as error:  # its files are not here, as in a partial clone
            done = Step(
                commit=step.commit,
                answer=CommitVerdict.BROKEN,
                reason=error.message,
                present_tests=search.present_tests,
            )
        else:
            done = self._step(step.commit, report.run, present=present)
        crashpoints.reach(crashpoints.TRY, "effect")
        tests = search.tests
        if done.commit == search.bad and done.answer is CommitVerdict.BAD:
            tests = done.red  # the others are flaky, or not of this commit's making
        self._keep(replace(search, tests=tests, steps=(*search.steps, done)))
        crashpoints.reach(crashpoints.TRY, "outcome")
        self.tell(self.search, None)

    def _step(self, commit: str, run: TestRun, *, present: bool) -> Step:
        search = self.search
        absent = unimported(run) if search.present_tests else ()
        tip = search.step(search.bad)
        anew = set(absent) - set(tip.unimported if tip else absent)
        tests = tuple(test for test in search.tests if test not in anew)
        told = answer(run, tests, present=present)
        return Step(
            commit=commit,
            answer=told,
            red=tuple(result.id for result in run.red if result.id in tests),
            unimported=absent,
            reason=self._reason(run, told),
            seconds=run.seconds,
            present_tests=self.search.present_tests,
        )

    def _reason(self, run: TestRun, told: CommitVerdict) -> str:
        """Say why a commit tells nothing; empty of one that tells something."""
        carried = self.search.present_tests
        if told is CommitVerdict.MISSING:
            one = len(self.search.tests) == 1
            there = "the test is not there yet" if one else "the tests are not there yet"
            return there if carried else f"{there}; `--present-tests` runs today's test files"
        if told is CommitVerdict.BROKEN:
            return run.reason or next(map(error_of, run.red), "the tests were skipped")
        return ""

    def _keep(self, search: Bisection) -> None:
        self.search = replace(search, updated=datetime.now(UTC))
        write_atomically(self.file, msgspec.json.encode(self.search))

    def _report(
        self, commit: str, only: tuple[str, ...], *, trace: bool = False
    ) -> tuple[runners.Report, bool]:
        """Run tests on a commit; say as well whether it has any of their files."""
        project, settings = self.ground.project, self.settings
        worktree = self.repository.pristine(
            _NAME,
            "try",
            commit,
            restore_from=self.search.base if self.search.present_tests else None,
            restore=lambda path: is_test_path(path) or is_test_config(path),
        )
        command = self.search.command or runners.command_of(
            project, worktree, settings, self.scratch
        )
        site = runners.site_for(project, worktree, command, settings, self.scratch)
        request = runners.Request(
            only=only,
            extra=self.search.wish.runner_args,
            timeout=settings.timeout,
            test_timeout=settings.test_timeout,
            trace=trace,
        )
        report = runners.run(site, command, request, self.scratch)
        named = not report.run.results  # none of them ran: are they written there at all?
        return report, _has_any(worktree, project.subdir, only, named=named)

    def _first_bad(self, commit: str) -> FirstBad:
        said = self.repository.described(commit)
        before = self.repository.before(commit)
        step = self.search.step(commit)
        traced, _ = self._report(commit, self.search.tests, trace=True)
        return FirstBad(
            commit=commit,
            parents=said.parents,
            author=said.author,
            date=said.date,
            subject=said.subject,
            tests=step.red if step else (),
            files=touched(
                (path_text(change.path) for change in self.repository.changed(before, commit)),
                self.repository.diff(before, commit),
                rank(traced.run, traced.coverage, is_test=is_test_path, limit=_LINES),
            ),
        )


def _has_any(worktree: Path, subdir: str, tests: tuple[str, ...], *, named: bool) -> bool:
    """Whether a worktree has a file of the tests; where that cannot be told it is assumed.

    With `named` a file has to speak of the test as well.
    """

    def has(test: str) -> bool:
        home, name = parted(test)
        if not home.endswith(".py"):
            return True
        files = (place / home for place in (worktree / subdir, worktree))
        word = name.rpartition(".")[2] if named else ""
        return any(word in _text(file) for file in files if file.is_file())

    return any(map(has, tests))


def _text(file: Path) -> str:
    return file.read_text("utf-8", "replace")
