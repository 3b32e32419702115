"""Red tests run again until each is a fault or a coin, or time is up: draws, carried out."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from clew.analysis.failures import fingerprint_of
from clew.analysis.flakes import (
    Chance,
    Draws,
    FlakeTrial,
    RerunRequest,
    Resampling,
    Word,
    never_of,
    resample,
)
from clew.flows.debugging.decisions import seconds_left
from clew.flows.debugging.driver import checkouts
from clew.flows.debugging.driver.chance import ChanceSources
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.runners import Report, Request, places_of_hangs
from clew.sandbox.confinement import Level
from clew.sandbox.processes import both
from clew.words.facts import Phase, TestResult, TestRun, Tick

__all__ = ["Resampled", "out_of_reach", "resampled"]

TRACE = 0.25  # of the time there is: what takes longer is run again only if it touches chance
AGAIN = "again"  # the checkout of the run beside the traced one
SUITE = 0.05  # of the time there is, that one run of the whole suite may take


class Resampled(msgspec.Struct, frozen=True, kw_only=True):
    """What came of each test that was red twice, and which sources of chance its code touches."""

    words: dict[str, Resampling] = {}
    touched: dict[str, frozenset[Chance]] = {}


def resampled(debug_run: DebugRun, suite: TestRun, again: TestRun) -> Resampled:
    """Run the tests again that were red in the suite, and red when `again` ran them alone.

    Both runs are of the code that the worktree holds. Nothing is run where a runner cannot run
    chosen tests in an order. Begins no further draw when the session's time for this is up.
    """
    before = {r.id for r in suite.red if r.phase is not Phase.COLLECT}
    red = {r.id: r for r in again.red if r.id in before}
    if not suite.command.runner.python or not red:
        return Resampled()
    at_once = debug_run.at_once(suite)
    try:
        return _drawn_until_told(debug_run, suite, again, red, at_once=at_once)
    finally:
        if at_once:
            checkouts.clear(debug_run, (AGAIN,))


def _drawn_until_told(
    debug_run: DebugRun,
    suite: TestRun,
    again: TestRun,
    red: dict[str, TestResult],
    *,
    at_once: bool,
) -> Resampled:
    """Run the `red` tests of `again` as often as it takes, in two checkouts where they may."""
    before = {r.id: r for r in suite.red if r.id in red}
    seconds = max(0.0, min(debug_run.settings.rerun_seconds, seconds_left(debug_run.state)))
    until = time.monotonic() + seconds
    quick = again.seconds <= seconds * TRACE
    traced, drawn = (
        _first(debug_run, suite, tuple(red), seconds, at_once=at_once) if quick else (None, ())
    )
    sources = ChanceSources(debug_run.worktree, debug_run.project.subdir)
    unreachable = out_of_reach(debug_run, suite)
    found = dict[str, frozenset[Chance]]()
    for test, result in red.items():
        ran = traced.coverage.lines.get(test) if traced and traced.coverage else None
        error = result.crash.type if result.crash else ""
        found[test] = sources.of(ran or sources.shown(result)) - unreachable - never_of(error)
        hung = before[test].hung and result.hung  # where it was stopped is chance, that it was not
        moved = not hung and fingerprint_of(before[test]) != fingerprint_of(result)
        if moved or (traced is not None and test in traced.run.passed):
            found[test] |= {Chance.UNSEEN}
    order = tuple(test for test in red if quick or found[test])
    sure = Resampling(word=Word.FAULT, runs=1, red=1)
    reds = {r.id for r in traced.run.red} if traced else set[str]()
    dialogue = resample(
        RerunRequest(
            order=order,
            red={test: 1 + (test in reds) for test in order},
            touched=found,
            suite=tuple(r.id for r in suite.results if r.phase is not Phase.COLLECT)
            if suite.seconds <= seconds * SUITE
            else (),
            at_once=at_once,
        )
    )
    try:
        draws = next(dialogue)
        while True:
            debug_run.watcher.tick(Tick(phase="flaky tests?", text="the red ones run again"))
            left = until - time.monotonic()
            alone = red.keys() >= set(draws.order)
            if drawn and alone:
                draws, drawn = dialogue.send(drawn), ()
            else:
                draws = dialogue.send(_drawn(debug_run, suite, draws, left) if left > 0 else None)
    except StopIteration as end:
        return Resampled(words=dict.fromkeys(red, sure) | end.value, touched=found)


def out_of_reach(debug_run: DebugRun, suite: TestRun) -> frozenset[Chance]:
    """Return what the sandbox keeps from tests: it fails in the same way each time."""
    shut = not debug_run.state.settings.network and suite.sandbox != Level.NONE.value
    return frozenset({Chance.NETWORK}) if shut else frozenset()


def _first(
    debug_run: DebugRun,
    suite: TestRun,
    order: tuple[str, ...],
    seconds: float,
    *,
    at_once: bool,
) -> tuple[Report, tuple[FlakeTrial, ...]]:
    """Trace the tests; draw them once beside it, where two runs may go on at the same time."""
    if not at_once:
        return _traced(debug_run, suite, order, seconds), ()
    place = checkouts.checkout(debug_run, debug_run.state.head, AGAIN)
    return both(
        lambda: _traced(debug_run, suite, order, seconds),
        lambda: _drawn_in(debug_run, place, suite, Draws(order=order), seconds),
        at_once=True,
    )


def _traced(debug_run: DebugRun, suite: TestRun, order: tuple[str, ...], seconds: float) -> Report:
    debug_run.repository.reset(debug_run.id, debug_run.state.head)
    hung = places_of_hangs(suite.results)
    request = Request(only=order, first=order, trace=True, hung=hung)
    return debug_run.report(debug_run.worktree, request, most=seconds)


def _drawn(
    debug_run: DebugRun, suite: TestRun, draws: Draws, seconds: float
) -> tuple[FlakeTrial, ...]:
    debug_run.repository.reset(debug_run.id, debug_run.state.head)
    if draws.processes == 1:
        return _drawn_in(debug_run, debug_run.worktree, suite, draws, seconds)
    place = checkouts.checkout(debug_run, debug_run.state.head, AGAIN)
    here, there = both(
        lambda: _drawn_in(debug_run, debug_run.worktree, suite, draws, seconds),
        lambda: _drawn_in(debug_run, place, suite, draws, seconds),
        at_once=True,
    )
    return here + there


def _drawn_in(
    debug_run: DebugRun, place: Path, suite: TestRun, draws: Draws, seconds: float
) -> tuple[FlakeTrial, ...]:
    copies = draws.copies if draws.copies > 1 else 0
    hung = places_of_hangs(suite.results)
    request = Request(only=draws.order, first=draws.order, copies=copies, hung=hung)
    report = debug_run.report(place, request, most=max(seconds, 1.0))
    if not copies:
        red = frozenset(result.id for result in report.run.red)
        return (FlakeTrial(red=red, green=report.run.passed),)
    return tuple(FlakeTrial(red=each.red, green=each.passed) for each in report.copies)
