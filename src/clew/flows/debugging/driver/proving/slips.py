"""Small changes of the fixed lines, one at a time, and whether a test notices them.

One that is noticed says that tests look at the lines at all. What the fix adds (a condition, a
handler, a number) must matter besides: without it, or with another in its place, a test is red.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from enum import Enum, auto
from itertools import islice
from pathlib import Path

from clew import runners
from clew.analysis.mutations import Mutation, added, compiled, of_fix, unbuilt
from clew.flows.debugging.driver.proving.case import Case, own_file
from clew.flows.debugging.driver.proving.rows import shown
from clew.words import events as ev
from clew.words.facts import Phase, Runner, TestRun, Verdict

__all__ = ["QUICK", "Noticing", "noticed", "weakly"]

CHANGES = 5  # that are tried
ADDITIONS = 8  # slips in what the fix adds that are tried
SECONDS = 60.0  # that small changes may take in all
QUICK = 10.0  # a whole suite that takes no longer may be asked as well
LEAST = 10.0  # seconds that a run may take
Turns = tuple[tuple[str, ...], ...]
"""Tests that are asked in turn, until one notices."""


def weakly(case: Case, trial: Path, tests: tuple[str, ...]) -> ev.ProofRow:
    """Say what the tests notice of small changes of the fixed lines."""
    claim = "a test notices a small change of the fixed lines"
    until, turns = time.monotonic() + SECONDS, _turns(case, tests)
    found, words = _any_noticed(case, trial, turns, until)
    idle = _idle(case, trial, turns, until) if found else []
    if idle:
        words = f"no test notices {shown(idle)}"
    holds = found and not idle
    measured = words if holds else f"weakly tested: {words}"
    return ev.ProofRow(claim=claim, measured=measured, holds=holds, decides=False)


def _any_noticed(case: Case, trial: Path, turns: Turns, until: float) -> tuple[bool, str]:
    """Try changes of each file until one is noticed; say which, or what became of them.

    A file of which none is noticed is not looked at, whatever tests say of the others.
    """
    taken, passed_by, rest = list[str](), list[str](), list[str]()
    by_file = _changes(case, trial)
    for path, changes in by_file.items():
        seen = Counter[Noticing]()
        for change in changes:
            if CHANGES in seen.values() or time.monotonic() > until:
                break
            notice = _noticed(case, trial, path, change, turns)
            seen[notice] += 1
            if notice is Noticing.TAKEN:
                taken.append(_words(path, change))
                break
        if seen and not seen[Noticing.TAKEN]:
            words = _told(seen) + f" in {path}" * (len(by_file) > 1)
            (passed_by if seen[Noticing.NONE] else rest).append(words)
    if taken and not passed_by:
        return True, shown(taken)
    untaken = passed_by if taken else [*passed_by, *rest]
    return False, "; ".join(untaken) or "no small change could be made there"


def _told(seen: Counter[Noticing]) -> str:
    """Say what became of the changes that were tried."""
    said = [words.format(seen[notice]) for notice, words in UNNOTICED.items() if seen[notice]]
    return ", ".join(said)


def _idle(case: Case, trial: Path, turns: Turns, until: float) -> list[str]:
    """Return the slips in what the fix adds that all tests let pass.

    Where running all of them takes long, nothing is said: others may look at it.
    """
    if case.green.seconds > QUICK:
        return []
    found = (
        (path, slip)
        for path in case.readable
        if own_file(trial, path)
        for slip in added(path, case.text(case.base, path), case.text(case.commit, path))
    )
    return [
        _words(path, slip)
        for path, slip in islice(found, ADDITIONS)
        if time.monotonic() < until and _noticed(case, trial, path, slip, turns) is Noticing.NONE
    ]


def _words(path: str, change: Mutation) -> str:
    where = f"{path}:{change.line}{' (beside them)' if change.beside else ''}"
    return f"{where} {change.operator}, {change.words}"


def _changes(case: Case, trial: Path) -> dict[str, tuple[Mutation, ...]]:
    """Return small changes of the fixed lines, by file."""
    found = {
        path: of_fix(path, case.text(case.base, path), after)
        for path in case.readable
        if own_file(trial, path) and (after := case.text(case.commit, path))
    }
    return {path: changes for path, changes in found.items() if changes}


class Noticing(Enum):
    """What tests say to a small change; one that does not compile, or run, they cannot see."""

    TAKEN = auto()
    NONE = auto()
    UNBUILT = auto()
    UNTRIED = auto()


UNNOTICED = {
    Noticing.NONE: "none of {} was noticed",
    Noticing.UNBUILT: "{} did not compile",
    Noticing.UNTRIED: "with {} the tests did not run",
}


def _noticed(case: Case, trial: Path, path: str, change: Mutation, turns: Turns) -> Noticing:
    file = own_file(trial, path)
    if file is None:
        return Noticing.NONE
    right = file.read_bytes()
    file.write_text(change.text, "utf-8", "surrogateescape")
    try:
        notices = (_notice(case, trial, path, turn) for turn in turns)
        return next((notice for notice in notices if notice is not Noticing.NONE), Noticing.NONE)
    finally:
        file.write_bytes(right)


def _turns(case: Case, tests: tuple[str, ...]) -> Turns:
    """Return the tests that are asked one after the other; none are all, where that is quick."""
    quick = case.green.seconds <= QUICK
    return tuple(dict.fromkeys((tests, _near(case, tests), ()))) if tests and quick else (tests,)


def _near(case: Case, tests: tuple[str, ...]) -> tuple[str, ...]:
    """Return all tests of the same files; nothing, which means all, where these are all."""
    files = {path for path, _ in case.places(tests).values()}
    places = case.places(tuple(sorted(case.green.passed)))
    found = tuple(test for test, (path, _) in places.items() if path in files)
    return found if len(found) < len(case.green.passed) else ()


def _notice(case: Case, trial: Path, path: str, tests: tuple[str, ...]) -> Noticing:
    request = runners.Request(only=tests)
    run = case.report(trial, request, most=max(LEAST, 3 * case.green.seconds)).run
    return noticed(run, path, case.excused)


def noticed(run: TestRun, path: str, excused: Collection[str]) -> Noticing:
    """Return what a run says to a small change of a file; tests that are excused have no say."""
    if run.verdict is Verdict.PASSED:
        return Noticing.NONE
    if run.timed_out:
        return Noticing.TAKEN
    red = [each for each in run.red if each.id not in excused]
    if run.verdict is Verdict.FAILED and not red:
        return Noticing.NONE
    ran = run.verdict is Verdict.FAILED
    if run.command.runner.python:
        return Noticing.TAKEN if ran else Noticing.UNTRIED
    loaded = any(each.phase is not Phase.COLLECT for each in red)
    alone = run.command.runner is Runner.COMMAND and unbuilt(path, run.output)
    if alone or (compiled(path) and not loaded):
        return Noticing.UNBUILT
    return Noticing.TAKEN if ran else Noticing.UNTRIED
