"""Tests that are red with a change and were green before: broken by it, or red by chance."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from clew import runners
from clew.flows.debugging.driver.chance import ChanceSources
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.resampling import out_of_reach
from clew.flows.debugging.states import require
from clew.words.facts import Phase, Runner, TestRun, Verdict

__all__ = ["Coins", "coins", "flakes", "turned", "unsteady"]

AGAIN = 2  # times that a test has to be red again where the suite runs it, to be no flake
COPIES = 20  # runs of a test whose code touches chance, with the change and without it


class Coins(NamedTuple):
    """Red tests that end both ways with a change."""

    before: frozenset[str] = frozenset()  # they can fail without it as well
    brought: frozenset[str] = frozenset()  # it made them depend on chance: it broke them


def turned(red: tuple[str, ...], again: TestRun) -> tuple[str, ...]:
    """Return the tests that were red, and are green on the same code."""
    if again.command.runner is Runner.COMMAND:
        return red if again.verdict is Verdict.PASSED else ()
    return tuple(sorted(set(red) & again.passed))


def flakes(
    debug_run: DebugRun,
    worktree: Path,
    red: tuple[str, ...],
    suite: TestRun,
    *,
    extra: tuple[str, ...] | None = None,
) -> tuple[str, ...]:
    """Return the tests that were red in a run of the suite by chance, on code that was green.

    They are run once more, alone. One that is green then, but red time and again in the order of
    the suite, is no flake: the change made it depend on what runs before it.
    """
    if not red:
        return ()
    found = turned(red, debug_run.run_tests(worktree, red, extra=extra))
    if not suite.command.runner.python:
        return found
    chance = coins(debug_run, worktree, red, suite, extra=extra)
    excused = chance.before.union(found) - chance.brought
    broken = excused - chance.before
    order = tuple(r.id for r in suite.results)
    for _ in range(AGAIN):
        if not broken:
            break
        within = order[: max(order.index(test) for test in broken) + 1]
        again = debug_run.run_tests(worktree, within, within, extra=extra)
        broken &= {result.id for result in again.red}
    return tuple(sorted(excused - broken))


def coins(
    debug_run: DebugRun,
    worktree: Path,
    red: tuple[str, ...],
    suite: TestRun,
    *,
    extra: tuple[str, ...] | None = None,
) -> Coins:
    """Find which red tests end both ways with the change, and which of them can fail without it.

    Only tests whose code touches chance are run again.
    """
    sources = ChanceSources(worktree, debug_run.project.subdir)
    unreachable = out_of_reach(debug_run, suite)
    shown = {r.id: sources.shown(r) for r in suite.red if r.id in red}
    asked = tuple(test for test, lines in shown.items() if sources.of(lines) - unreachable)
    if not suite.command.runner.python or not asked:
        return Coins()
    ends = _copies(debug_run, worktree, asked, extra)
    both = tuple(test for test in asked if any(test in each.passed for each in ends))
    if not both:
        return Coins()
    with _without_a_fix(debug_run) as place:
        ends = _copies(debug_run, place, both, extra)
    before = frozenset(test for test in both if any(test in each.red for each in ends))
    sure = frozenset(both).intersection(*(each.passed for each in ends)) if ends else frozenset()
    return Coins(before, sure)


def unsteady(
    debug_run: DebugRun, before: TestRun, run: TestRun, *, extra: tuple[str, ...] | None = None
) -> frozenset[str]:
    """Return the tests that are gone from a run only since their names change from run to run.

    Another run of the code without a fix lacks names of the same function as well, and that has
    as many tests with the change as there.
    """
    then = {r.id for r in before.results if r.phase is not Phase.COLLECT}
    now = Counter(map(_function, {r.id for r in run.results}))
    gone = {name for name in then - {r.id for r in run.results} if now[_function(name)]}
    if not gone or not run.command.runner.python:
        return frozenset()
    with _without_a_fix(debug_run) as place:
        again = {r.id for r in debug_run.run_tests(place, extra=extra).results}
    there = Counter(map(_function, again))
    # By chance some names are the same in two runs: it is the function whose names change.
    changing = set(map(_function, then - again))
    return frozenset(
        name
        for name in gone
        if _function(name) in changing and now[_function(name)] >= there[_function(name)] > 0
    )


def _function(test: str) -> str:
    return test.partition("[")[0]


@contextlib.contextmanager
def _without_a_fix(debug_run: DebugRun) -> Iterator[Path]:
    base = require(debug_run.state.origin).base
    place = debug_run.repository.pristine(debug_run.id, "before", base)
    try:
        runners.forget(debug_run.scratch, place)
        yield place
    finally:
        debug_run.repository.remove(place)
        runners.forget(debug_run.scratch, place)


def _copies(
    debug_run: DebugRun, worktree: Path, tests: tuple[str, ...], extra: tuple[str, ...] | None
) -> tuple[runners.CopyResult, ...]:
    request = runners.Request(only=tests, first=tests, copies=COPIES)
    most = debug_run.settings.rerun_seconds
    return debug_run.report(worktree, request, most=most, extra=extra).copies
