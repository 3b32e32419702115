"""What a proof is about: a fix, and the runs with it and without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path

from clew import runners
from clew.analysis.mutations import tried_in
from clew.analysis.tampering import (
    Place,
    Taken,
    file_of,
    is_code,
    place_of,
    puts_back,
    texts_of,
    within,
)
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.git.worktrees import TreeChange
from clew.sessions.earlier import earlier_texts
from clew.words.encodings import as_run
from clew.words.facts import Phase, Runner, TestRun

__all__ = ["BY_TEST", "TESTS", "Case", "own_file"]

TESTS = 20  # that are put on trial
BY_TEST = (Runner.PYTEST, Runner.UNITTEST)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A fix, `commit`, on `base`; `baseline` and `green` are runs of all tests, the latter with it.

    Where words after -- narrow the goal, `failing` are of what they choose.
    """

    debug_run: DebugRun
    base: str
    commit: str
    baseline: TestRun
    green: TestRun
    failing: tuple[str, ...]  # ids of tests, and of files that could not be collected
    flaky: frozenset[str]
    new_flaky: tuple[str, ...] = ()  # of them, red once with the fix, and green again
    red_before: frozenset[str] = frozenset()  # red without the fix, and not asked for
    total: int = 0  # all tests there are, if not all of them are run
    taken: tuple[Taken, ...] = ()  # of the failing ones: gone, or muted
    touched: tuple[str, ...]  # changed files that steer the tests
    approved: frozenset[str]  # those of them that a person let the fix change
    looked_up: tuple[str, ...] = ()  # what the fix reads, and only judges read without it
    late: tuple[str, ...] = ()  # other changed files that only what judges was seen to read

    @property
    def at_once(self) -> bool:
        return self.debug_run.at_once(self.baseline)

    @cached_property
    def changes(self) -> tuple[TreeChange, ...]:
        return self.debug_run.repository.changed(self.base, self.commit)

    @cached_property
    def readable(self) -> tuple[str, ...]:
        """The files of code that the fix changed, those that steer the tests left out."""
        steering = frozenset(self.touched)
        paths = (change.path for change in self.changes)
        return tuple(path for path in paths if tried_in(path) and path not in steering)

    @cached_property
    def code(self) -> tuple[str, ...]:
        """Those of them that are in Python."""
        return tuple(path for path in self.readable if path.endswith(".py"))

    @cached_property
    def foreign(self) -> tuple[str, ...]:
        """The changed files of code in other languages, those that steer the tests left out."""
        paths = (change.path for change in self.changes)
        own = (path for path in paths if path not in self.touched and is_code(path))
        return tuple(path for path in own if not path.endswith(".py"))

    @cached_property
    def unloaded(self) -> tuple[str, ...]:
        """The files of tests that could not be loaded without the fix, by their ids."""
        red = {r.id for r in self.baseline.red if r.phase is Phase.COLLECT and r.id in self.failing}
        return tuple(sorted(name for name in red if file_of(name, self.known)))

    @cached_property
    def excused(self) -> frozenset[str]:
        """The red tests that say nothing against the fix: flaky ones, and what was red before."""
        red = {r.id for r in self.green.red}
        files = {r.id for r in self.baseline.red if r.phase is Phase.COLLECT} & self.red_before
        inside = {name for name in red if any(within(name, file) for file in files)}
        return self.flaky | (red & self.red_before) | inside

    @cached_property
    def turned(self) -> tuple[str, ...]:
        """The tests that the fix turned green, those of files that could not be collected too."""
        files = self.unloaded
        return tuple(
            sorted(
                name
                for name in self.green.passed - self.flaky
                if name in self.failing or any(within(name, file) for file in files)
            )
        )

    @cached_property
    def challenges(self) -> tuple[str, ...]:
        """The tests that a challenger showed of the session's fixes: whole files."""
        told = self.debug_run.state.challenges
        return tuple(dict.fromkeys(c.test for each in told for c in each.counterexamples))

    def text(self, commit: str, path: str) -> str:
        """Return a file as a commit has it; nothing where it is not there."""
        if (commit, path) not in self._texts:
            content = self.debug_run.repository.show(commit, path) or b""
            self._texts[commit, path] = as_run(path, content)
        return self._texts[commit, path]

    def texts_beside(self, path: str) -> frozenset[str]:
        """Return the texts that other files of the product have as values, without the fix."""
        others = (each for each in self.known if each.endswith(".py") and each != path)
        product = [each for each in others if not (is_test_path(each) or is_test_config(each))]
        return frozenset().union(*(texts_of(self.text(self.base, each)) for each in product))

    @cached_property
    def _texts(self) -> dict[tuple[str, str], str]:
        return {}

    def report(self, place: Path, request: runners.Request, *, most: float = inf) -> runners.Report:
        """Run tests in a checkout, with the same words for the runner as the run that counts."""
        return self.debug_run.report(place, request, most=most, extra=self.debug_run.all_tests)

    def answers(
        self,
        place: Path,
        calls: Sequence[str],
        *,
        timeout: float,
        moment: float | None = None,
        hashing: int | None = None,
        in_sequence: bool = False,
    ) -> dict[int, str]:
        """Make calls in a checkout where nobody tests, see `runners.answered`; none without Python.

        `timeout` is in seconds, for all of them.
        """
        debug_run = self.debug_run
        python = debug_run.command.interpreter
        if python is None or not calls:
            return {}
        return runners.answered(
            debug_run.site(place),
            python,
            calls,
            debug_run.scratch,
            timeout=timeout,
            moment=moment,
            hashing=hashing,
            in_sequence=in_sequence,
        )

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The files of the project without the fix."""
        return self.debug_run.repository.files(self.base)

    @cached_property
    def stood_before(self) -> str:
        """The commit before which all that the fix changes stood there; nothing if it did not."""
        own = {change.path for change in self.changes} == set(self.code)
        if not own or self.debug_run.state.snapshot is None:
            return ""
        start = self.debug_run.state.start
        earlier = earlier_texts(self.debug_run.repository, start.base, start.head)
        found = ""
        for path in self.code:
            before, after = self.text(self.base, path), self.text(self.commit, path)
            texts = (each for each in earlier if each.path == path)
            found = next((t.commit for t in texts if puts_back(before, after, t.text)), "")
            if not found:
                return ""
        return found

    @cached_property
    def files(self) -> tuple[str, ...]:
        return self.debug_run.repository.files(self.commit)

    def places(self, tests: tuple[str, ...]) -> dict[str, Place]:
        """Find where tests are written; those that are not found are left out."""
        found = {name: place_of(name, self.files) for name in tests}
        return {name: place for name, place in found.items() if place is not None}

    def by_file(self, tests: tuple[str, ...]) -> dict[str, dict[str, str]]:
        """Return the files that tests are written in, with their names there by their ids."""
        found: dict[str, dict[str, str]] = {}
        for test, (path, name) in self.places(tests).items():
            found.setdefault(path, {})[test] = name
        return found


def own_file(place: Path, path: str) -> Path | None:
    """Return a file of a checkout, if it is one and no link leads out of it."""
    file = place / path
    inside = file.resolve() == place.resolve() / path
    return file if inside and file.is_file() else None
