"""Trials of a fix that seems right: what it does where it cannot know what is wanted.

canaries        copies of the failing tests that must be red
inputs          the failing tests with other numbers and texts, with the fix and without it
unannounced     the failing tests, where the files that the fix changed cannot know the runner
plainly         the failing tests of Node's own runner, without it
restated        the failing tests of other languages, with other values in them
replies         the calls of these tests, made again where nobody tests
steady          these calls in other sequences
alone           these tests as plain functions, without a runner
slips           small changes of the fixed lines: does a test notice one?

They run a bounded number of the tests that the fix turned green, in checkouts of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clew import runners
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.proving.alone import passing_alone
from clew.flows.debugging.driver.proving.canaries import canaries, canaries_of_command
from clew.flows.debugging.driver.proving.case import BY_TEST, TESTS, Case
from clew.flows.debugging.driver.proving.inputs import other_inputs
from clew.flows.debugging.driver.proving.near import MadeAgain, Nearby, made_again, nearby
from clew.flows.debugging.driver.proving.plainly import plainly
from clew.flows.debugging.driver.proving.replies import replied, unspoiled
from clew.flows.debugging.driver.proving.restated import restated
from clew.flows.debugging.driver.proving.slips import QUICK, weakly
from clew.flows.debugging.driver.proving.steady import steady
from clew.flows.debugging.driver.proving.unannounced import (
    compared,
    heard_of,
    unannounced,
    whole,
    written,
)
from clew.sandbox.processes import both
from clew.words import events as ev

__all__ = ["Checkouts", "Trials", "on_trial"]


class Checkouts(NamedTuple):
    """Where the trials run; none runs in two of them, so that these may go on side by side."""

    trial: Path  # the fix
    spoiled: Path  # the fix, for trials that spoil it or its tests
    reverted: Path  # the baseline without it


class Trials(NamedTuple):
    """What the trials say, and the calls that were made again with the fix."""

    rows: tuple[ev.ProofRow, ...]
    again: MadeAgain = MadeAgain((), (), {})


def on_trial(case: Case, places: Checkouts, without: runners.Report) -> Trials:
    """Return what the trials say; `without` is the run of the failing tests without the fix."""
    if case.baseline.command.runner in BY_TEST:
        return _of_each(case, places, without)
    return Trials(_of_all(case, places.trial, places.reverted))


def _of_each(case: Case, places: Checkouts, without: runners.Report) -> Trials:
    """Return what single tests in Python tell."""
    tests = case.turned[:TESTS]
    (told, near, again), noticed = both(
        lambda: _of_answers(case, places, without, tests),
        lambda: (weakly(case, places.spoiled, tests), canaries(case, places.spoiled, tests)),
        at_once=case.at_once,
    )
    others = other_inputs(case, places.trial, places.reverted, tests, near)
    return Trials((*told, *others, *noticed), again)


def _of_answers(
    case: Case, places: Checkouts, without: runners.Report, tests: tuple[str, ...]
) -> tuple[tuple[ev.ProofRow, ...], Nearby, MadeAgain]:
    """Return what the answers of the changed code tell, and those near the calls of the tests."""
    trial, _, reverted = places
    hidden, report = unannounced(case, trial, reverted, tests)
    crossed = report.crossed if report else ()
    again = made_again(case, trial, crossed)
    rows = (
        hidden,
        whole(report, without.replaced),
        written(case, report, without.made),
        heard_of(case, report, reverted),
        replied(case, (trial, reverted), crossed, again.answers, case.failing[:TESTS]),
        unspoiled(case, reverted, crossed),
        *steady(case, trial, reverted, crossed),
        passing_alone(case, trial, reverted, tests),
        compared(case, report),
    )
    return rows, nearby(case, again, trial, reverted, crossed), again


def _of_all(case: Case, trial: Path, reverted: Path) -> tuple[ev.ProofRow, ...]:
    """Return what the tests of another runner, or of a command, tell."""
    few = () if case.green.seconds <= QUICK else case.turned[:TESTS]
    found = restated(case, trial, reverted)
    python = any(path.endswith(".py") and is_test_path(path) for path in case.files)
    broken = (canaries_of_command(case, trial),) if python else ()
    return (plainly(case, trial, reverted), *found, weakly(case, trial, few), *broken)
