"""The trials that tell flaky tests apart, carried out."""

from __future__ import annotations

import time
from collections.abc import Iterator

from clew.analysis.flakes import (
    Conditions,
    ExaminationRequest,
    FlakeTrial,
    Word,
    doubtful,
    examine,
    needed,
    own_text,
)
from clew.flows.debugging.decisions import seconds_left
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.resampling import Resampled, resampled
from clew.runners import Request
from clew.words.events import Flake, FlakeKind
from clew.words.facts import Phase, TestResult, TestRun, Tick

__all__ = ["examined"]

TRIALS = 80  # of one examination, at most
# Seconds that trials may take: at least, at most, and in between so many times the suite's own.
OF_TURNED = (90.0, 300.0, 20.0)
OF_DOUBTFUL = (10.0, 60.0, 1.0)  # most of them are red, and nothing else
SAID_NOTHING = "more runs of it alone told nothing: see whether it can be run alone"


def examined(debug_run: DebugRun, suite: TestRun, again: TestRun) -> tuple[Flake, ...]:
    """Tell faults from flakes among the tests that were red in the suite, after `again` ran them.

    What is red both times is run again first, until it is seen green, is a fault, or may be either
    when time is up; what was seen green is examined for what turns it. Both runs are of the code
    that the worktree holds. Begins no further trial when time is up, and none at all where a runner
    cannot run chosen tests in an order.
    """
    red = {r.id: r for r in suite.red if r.phase is not Phase.COLLECT}
    turned = tuple(test for test in red if test in again.passed)
    drawn = resampled(debug_run, suite, again)
    words = {test: known.word for test, known in drawn.words.items()}
    twice = [(red[r.id], r) for r in again.red if words.get(r.id) is Word.FAULT]
    asked = ExaminationRequest(
        suite=tuple(r.id for r in suite.results if r.phase is not Phase.COLLECT),
        again=tuple(r.id for r in again.results),
        turned=turned,
        coins=tuple(test for test, word in words.items() if word is Word.COIN),
        seen={test: (known.runs + 1, known.red + 1) for test, known in drawn.words.items()},
        doubtful=tuple(_doubtful(debug_run, twice)),
        now=debug_run.clock().replace(microsecond=0).timestamp(),  # so that it lasts for a second
    )
    perhaps = _perhaps(debug_run, drawn)
    if not suite.command.runner.python or not (asked.turned or asked.coins or asked.doubtful):
        return perhaps
    least, most, times = OF_TURNED if asked.turned or asked.coins else OF_DOUBTFUL
    until = time.monotonic() + min(most, max(least, times * suite.seconds))
    dialogue, number = examine(asked), 0
    try:
        conditions = next(dialogue)
        while True:
            number += 1
            debug_run.watcher.tick(Tick(phase="flaky tests", text=f"trial {number}"))
            left = until - time.monotonic()
            in_time = left > 0 and number <= TRIALS
            conditions = dialogue.send(_trial(debug_run, conditions, left) if in_time else None)
    except StopIteration as end:
        found: tuple[Flake, ...] = end.value
        return tuple(sorted((*found, *perhaps), key=lambda flake: flake.test))


def _perhaps(debug_run: DebugRun, drawn: Resampled) -> tuple[Flake, ...]:
    seconds, left = debug_run.settings.rerun_seconds, seconds_left(debug_run.state)
    spent = (
        f"the {seconds:g} s of `rerun_seconds`" if seconds <= left else "the seconds of the budget"
    )
    over = f"{spent} were over before"
    return tuple(
        Flake(
            test=test,
            kind=FlakeKind.PERHAPS,
            evidence=f"red in all of {known.runs + 1} runs, but what it runs touches "
            f"{', '.join(sorted(drawn.touched[test]))}; {needed(drawn.touched[test]) + 2} red runs"
            f" would make it a fault, and {SAID_NOTHING if known.silent else over}",
            runs=known.runs - 1,
            red=known.red - 1,
        )
        for test, known in drawn.words.items()
        if known.word is Word.PERHAPS
    )


def _doubtful(debug_run: DebugRun, twice: list[tuple[TestResult, TestResult]]) -> Iterator[str]:
    for before, after in twice:
        folder = debug_run.worktree / ("" if before.file else debug_run.project.subdir)
        source = (folder / before.home).resolve()
        inside = source.is_relative_to(debug_run.worktree.resolve()) and source.is_file()
        text = source.read_text("utf-8", "replace") if inside else ""
        if doubtful(before, after, own_text(text, before.id)):
            yield before.id


def _trial(debug_run: DebugRun, conditions: Conditions, seconds: float) -> FlakeTrial | None:
    debug_run.repository.reset(debug_run.id, debug_run.state.head)
    report = debug_run.report(
        debug_run.worktree,
        Request(
            only=conditions.order,
            first=conditions.order,
            seed=conditions.seed,
            clock=conditions.clock,
        ),
        most=max(seconds, 1.0),
    )
    run = report.run
    if run.timed_out:
        return None
    return FlakeTrial(red=frozenset(r.id for r in run.red), green=run.passed, held=report.held)
