"""A failing test made small: what it gives the code, without what the failure does not need.

What stands behind the failing statement never ran, and is left out first.

Every candidate is the test with a literal written anew, run in a worktree. It counts if the test
fails as before: with the same exception, raised at the same place. What an assertion compared has
to stay the same as well where the test says what the result has to be; else an input would count
for which another result is right.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from math import inf
from typing import TYPE_CHECKING, cast

from clew import runners
from clew.analysis.partings import FollowedCall, WayParting, by_way
from clew.analysis.programs import ProgramKind, PythonProgram
from clew.analysis.reducing import (
    Literal,
    SameFailure,
    TestSource,
    literals,
    side_by_side,
    source_of,
    told_by,
)
from clew.analysis.tampering import place_of
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.snapshot_run import SnapshotRun, demand_run, look
from clew.sessions import ProjectSessions
from clew.words.encodings import decoded, encoded
from clew.words.errors import UsageError
from clew.words.facts import CaseOutcome, Fact, Runner, TestResult, TestRun, Tick, Verdict
from clew.words.settings import Settings
from clew.words.test_ids import home_of

if TYPE_CHECKING:
    from lithium.strategies import ReductionIterator

__all__ = ["CallParting", "MinimizedTest", "minimize"]

TOGETHER = 16  # attempts in one run
MARGIN = 10.0  # seconds by which a run may take longer than there is time
SLOWER = 5  # times as long as the test itself an attempt may take, and a few seconds
IN_FULL = "--verbosity=2"  # else values are shortened, and different ones look alike
PYTEST = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=")


class CallParting(Fact, frozen=True, kw_only=True):
    """The first call that is not as in the neighbour, and where the two go different ways."""

    fails: FollowedCall
    works: FollowedCall
    way: WayParting | None = None


class MinimizedTest(Fact, frozen=True, kw_only=True):
    """A failing test, and the smallest that was found to fail in the same way."""

    test: str  # by its id
    path: str
    error: str  # in a line
    place: str  # where it was raised, as "stats.py:2"
    before: str  # the test as it is written
    after: str
    smallest: bool  # nothing more can be left out; otherwise the time was up
    tried: int
    seconds: float
    neighbour: str = ""  # a test that passes, nearest to it
    parting: CallParting | None = None  # from that one


def _unheard(_: Tick) -> None:
    pass


def minimize(
    sessions: ProjectSessions,
    settings: Settings,
    test: str,
    *,
    seconds: float = 60.0,
    hear: Callable[[Tick], None] = _unheard,
) -> TestRun | MinimizedTest:
    """Make the input of a failing test small, on a snapshot of the project as it is now.

    A run in which it passes is answered with itself. It ends after about `seconds` with the
    smallest so far. Raises TestsDidNotRun, and UsageError where the test is none of pytest's or
    unittest's that is written out in a file, or the extra `minimize` is not installed.
    """
    _demand_reducer()
    with look(sessions, settings, "minimize") as here:
        name = test.partition("[")[0]
        place = place_of(name, sessions.repository.files(here.commit))
        if place is None or not here.command.runner.python:
            raise _not_found(test)
        path, within = place
        text = decoded(path, (here.site.worktree / path).read_bytes())
        source = source_of(text, within)
        if source is None:
            raise _not_found(test)
        if here.command.runner is Runner.PYTEST:
            name = _as_pytest_calls_it(name, within)
        run = _run(here, name)
        demand_run(run)
        if run.verdict is not Verdict.FAILED:
            return run
        red = [result for result in run.red if result.crash and _is(result, name)]
        red.sort(key=lambda result: result.id != test)
        first = red[0] if red else None
        wanted = told_by(first.crash, source, path) if first and first.crash else None
        if first is None or first.crash is None or wanted is None:
            raise _not_found(test)
        started = time.monotonic()
        each = SLOWER * (1 + first.seconds)
        cut = source.until(first.crash, path)
        search = _Reduction(
            here, name, within, path, wanted, started + seconds, hear, cut, source, each
        )
        smallest = search.reduce()
        # in one process an attempt may change what the next one does
        if search.best is not source and not search.is_confirmed():
            search = replace(search, best=source, together=1, known={}, passing=[])
            smallest = search.reduce()
        neighbour, parting = _parted(search, run)
        return MinimizedTest(
            test=first.id,
            path=path,
            error=f"{first.crash.type}: {first.crash.message}".splitlines()[0],
            place=_place(wanted, source),
            before=source.shown,
            after=search.best.shown,
            smallest=smallest,
            tried=len(search.known),
            seconds=time.monotonic() - started,
            neighbour=neighbour,
            parting=parting,
        )


class _TimeUpError(Exception):
    """No more is tried."""


@dataclass
class _Reduction:
    """The smallest test so far, and what was tried on the way."""

    here: SnapshotRun
    name: str  # of the test, as its runner takes it
    within: str  # its file
    path: str
    wanted: SameFailure
    until: float
    hear: Callable[[Tick], None]
    cut: str  # the file without what stands behind the failure in the test
    best: TestSource
    each: float  # seconds that an attempt may take
    together: int = TOGETHER
    runs: int = 0
    known: dict[str, bool] = field(default_factory=dict)
    passing: list[tuple[str, str]] = field(default_factory=list)  # what it was made from, and it

    def reduce(self) -> bool:
        """Leave out what can be left out; return whether nothing more can be."""
        try:
            if self.cut != self.best.text:
                self.run_together(self.best, (self.cut,))
            before = ""
            while before != self.best.text:
                before, number = self.best.text, 0
                while number < len(found := literals(self.best)):
                    self.shrink(found[number])
                    number += 1
        except _TimeUpError:
            return False
        return True

    def is_confirmed(self) -> bool:
        """Tell whether the smallest test fails as the test did when it is run alone."""
        self.put(self.best.text)
        red = _run(self.here, self.name, each=self.each).red
        crashes = (result.crash for result in red if result.crash)
        return any(told_by(crash, self.best, self.path) == self.wanted for crash in crashes)

    def left(self) -> float:
        """Return the seconds that one more run may take."""
        return max(MARGIN, self.until - time.monotonic())

    def shrink(self, literal: Literal) -> None:
        """Leave out pieces of one literal, by delta debugging.

        Most attempts fail, so the next few are run together as if those before had; then the
        search is gone through once more with what is known.
        """
        from lithium.strategies import Minimize  # noqa: PLC0415 - an extra
        from lithium.testcases import TestcaseLine  # noqa: PLC0415 - as above

        source = self.best
        asked = [source.changed(literal, ())]
        while asked:
            self.run_together(source, asked)
            if self.known[source.changed(literal, ())]:
                return
            asked = []
            pieces = TestcaseLine()
            pieces.parts = [str(number).encode() for number in range(len(literal.pieces))]
            pieces.reducible = [True] * len(literal.pieces)
            reduction = cast("ReductionIterator", Minimize().reduce(pieces))
            for attempt in reduction:
                text = source.changed(literal, [int(part) for part in attempt.parts])
                if text not in self.known:
                    asked.append(text)
                reduction.feedback(self.known.get(text, False))
                if len(asked) == self.together:
                    break

    def run_together(self, source: TestSource, texts: Sequence[str]) -> None:
        """Learn of each text whether it fails as the test did; the smallest that does is kept."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self.known]
        if not fresh:
            return
        if time.monotonic() > self.until:
            raise _TimeUpError
        copies = side_by_side(source, fresh, self.within)
        self.put(copies.text)
        names = [f"{self.name}{suffix}" for suffix in copies.suffixes]
        run = _run(self.here, *names, most=self.until - time.monotonic(), each=self.each)
        told = [[r for r in run.results if _is(r, name)] for name in names]
        if len(names) > 1 and not all(told):  # one that cannot be loaded takes the others along
            for text in fresh:
                self.run_together(source, (text,))
            return
        for text, suffix, results in zip(fresh, copies.suffixes, told, strict=False):
            self.learn(source, text, source_of(copies.text, f"{self.within}{suffix}"), results)
        size = f"{len(self.best.shown)} characters"
        self.hear(Tick(phase="minimize", text=f"{len(self.known)} tried, {size}"))

    def learn(
        self, source: TestSource, text: str, made: TestSource | None, results: list[TestResult]
    ) -> None:
        crashes = [result.crash for result in results if result.crash]
        self.known[text] = made is not None and any(
            told_by(crash, made, self.path) == self.wanted for crash in crashes
        )
        if results and all(result.outcome is CaseOutcome.PASSED for result in results):
            self.passing.append((source.text, text))
        if self.known[text] and len(text) < len(self.best.text):
            self.best = source_of(text, self.within) or self.best

    def put(self, text: str) -> None:
        """Write the test's file; each time it is newer, so that no compiled one counts."""
        self.runs += 1
        file = self.here.site.worktree / self.path
        file.write_bytes(encoded(self.path, text, file.read_bytes()))
        later = time.time() + self.runs
        os.utime(file, (later, later))


def _run(here: SnapshotRun, *tests: str, most: float = inf, each: float = inf) -> TestRun:
    of_pytest = here.command.runner is Runner.PYTEST
    request = runners.Request(
        only=() if of_pytest else tests,
        extra=(IN_FULL, *tests) if of_pytest else (),
        timeout=min(here.settings.timeout, most + MARGIN),
        test_timeout=min(here.settings.test_timeout, each),
    )
    return runners.run(here.site, here.command, request, here.scratch).run


def _as_pytest_calls_it(name: str, within: str) -> str:
    """Return pytest's name of a test that is `within` a file; unittest's has dots alone."""
    if "::" in name:
        return name
    file = name.removesuffix(f".{within}").replace(".", "/")
    return "::".join((f"{file}.py", *within.split(".")))


def _is(result: TestResult, name: str) -> bool:
    return result.id == name or result.id.startswith(f"{name}[")


def _parted(search: _Reduction, run: TestRun) -> tuple[str, CallParting | None]:
    """Return what passes nearest to the smallest test, and where the two part."""
    near = [text for made_from, text in search.passing if made_from == search.best.text]
    near = near or [text for _, text in search.passing]
    if near and (made := source_of(near[-1], search.within)):
        neighbour, text, name = made.shown, near[-1], search.name
    else:
        passed = [r.id for r in run.results if r.outcome is CaseOutcome.PASSED]
        if not passed:
            passed = sorted(_run(search.here, home_of(search.name), most=search.left()).passed)
        if not passed:
            return "", None
        neighbour = name = max(passed, key=lambda test: _likeness(search, test))
        text = search.best.text
    fails = _calls(search, search.best.text, search.name)
    return neighbour, _parting(_calls(search, text, name), fails)


def _likeness(search: _Reduction, test: str) -> float:
    """Return how much of a test's text the smallest test shares, from 0 to 1."""
    place = place_of(test.partition("[")[0], (search.path,))
    other = source_of(search.best.text, place[1]) if place else None
    return SequenceMatcher(None, other.shown, search.best.shown).ratio() if other else 0.0


def _calls(search: _Reduction, text: str, name: str) -> list[FollowedCall]:
    """Follow the calls that a test makes into the project, in the order in which they began."""
    here = search.here
    if here.command.runner is not Runner.PYTEST or not here.command.interpreter:
        return []
    search.put(text)
    program = PythonProgram(kind=ProgramKind.MODULE, name="pytest", args=(*PYTEST, name))
    timeout = min(here.settings.test_timeout, search.left())
    seen = runners.followed(here.site, here.command.interpreter, program, here.scratch, timeout)
    ours = (call for call in seen if not is_test_path(call.path))
    return sorted(ours, key=lambda call: call.number)


def _parting(works: list[FollowedCall], fails: list[FollowedCall]) -> CallParting | None:
    for one, other in zip_longest(works, fails):
        if one is None or other is None or (one.path, one.function) != (other.path, other.function):
            return None
        if (one.shown, one.outcome) != (other.shown, other.outcome):
            return CallParting(fails=other, works=one, way=by_way(works, fails))
    return None


def _place(wanted: SameFailure, source: TestSource) -> str:
    line = source.line_of(wanted.place) if wanted.in_test else wanted.place
    return f"{wanted.path}:{line}"


def _not_found(test: str) -> UsageError:
    return UsageError(
        f"{test} is no failing test that can be made smaller",
        hint="It takes a test of pytest or unittest that is written in a file, by its id, as"
        " `clew fix` prints it: tests/test_a.py::test_b. `clew diagnose` explains any other.",
    )


def _demand_reducer() -> None:
    try:
        import lithium  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise UsageError(
            "`clew minimize` needs an extra", hint="Install it: pip install 'clew[minimize]'"
        ) from error
