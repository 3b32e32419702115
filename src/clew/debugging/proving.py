"""Proof-carrying green: a fix counts only if this holds.

The fix is checked out afresh, beside nobody's leftovers, with the tests, conftests and test
configuration of the baseline put back; the whole suite runs there. Then the failing tests run on
the baseline itself, where they must be red again: it is the fix that turned them, not luck. A test
that was green at first, is red in the proof and green when run once more is a flake, and named.
"""

from __future__ import annotations

import time
from pathlib import Path

from clew import events as ev
from clew import runners
from clew.debugging.workshop import Workshop
from clew.errors import ClewError
from clew.facts import Phase, TestRun, Verdict
from clew.testfiles import is_test_config, is_test_path

__all__ = ["clear", "prove"]


def prove(workshop: Workshop, commit: str) -> ev.Proved:
    """Return the proof of a commit, whether it holds or not."""
    started = time.monotonic()
    state = workshop.state
    if state.snapshot is None or state.baseline is None:
        raise ClewError("there is no baseline to prove a fix against")
    base = state.snapshot.base
    baseline = workshop.run_of(state.baseline)
    failing = tuple(sorted(r.id for r in baseline.red if r.id not in state.flaky))
    try:
        fixed = _checkout(workshop, commit, restore_from=base, name="proof")
        green = workshop.run_tests(fixed)
        suspected = {r.id for r in green.red} - state.flaky - set(failing)
        flaky = workshop.flakes(fixed, tuple(sorted(suspected)), green)
        reverted = _checkout(workshop, base, restore_from=None, name="reverted")
        red = workshop.run_tests(reverted, failing)
    finally:
        clear(workshop)
    rows = (
        *_suite(baseline, green, state.flaky | set(flaky)),
        _some("failing tests were red before", len(failing), len(failing)),
        _some("and are red again with the fix reverted", _red(failing, red), len(failing)),
        _untouched(workshop, base, commit),
    )
    lost = next((r.reason for r in (green, red) if r.verdict is Verdict.DID_NOT_RUN), "")
    return ev.Proved(
        commit=commit,
        accepted=all(row.holds for row in rows) and not lost,
        rows=rows,
        sandbox=green.sandbox,
        seconds=time.monotonic() - started,
        did_not_run=lost,
        flaky=flaky,
    )


def _checkout(workshop: Workshop, commit: str, *, restore_from: str | None, name: str) -> Path:
    place = workshop.repository.pristine(
        workshop.id,
        name,
        commit,
        restore_from=restore_from,
        restore=lambda path: is_test_path(path) or is_test_config(path),
    )
    runners.forget(workshop.scratch, place)  # nothing that an earlier run built counts
    return place


def clear(workshop: Workshop) -> None:
    """Remove the checkouts of a proof."""
    for name in ("proof", "reverted"):
        place = workshop.worktree.with_name(f"{workshop.id}.{name}")
        workshop.repository.remove(place)
        runners.forget(workshop.scratch, place)


def _suite(
    baseline: TestRun, green: TestRun, flaky: frozenset[str]
) -> tuple[ev.ProofRow, ev.ProofRow, ev.ProofRow]:
    wanted = {r.id for r in baseline.results if r.phase is not Phase.COLLECT} - flaky
    found = {r.id for r in green.results}
    # A test that the baseline skipped, or expected to fail, may go on doing so.
    muted = {r.id for r in baseline.results if not r.outcome.red} - baseline.passed
    passing = green.passed | (muted & found - {r.id for r in green.red})
    still_red = sorted({r.id for r in green.red} - flaky)
    return (
        _count("tests of the baseline are collected again", len(wanted & found), len(wanted)),
        _count("of them pass in a pristine checkout", len(wanted & passing), len(wanted)),
        ev.ProofRow(
            claim="no test of the whole suite is red",
            measured=", ".join(still_red[:5]) or f"{len(green.passed)} pass, 0 red",
            holds=(not still_red and green.verdict is Verdict.PASSED) or _only_flaky(green, flaky),
        ),
    )


def _only_flaky(run: TestRun, flaky: frozenset[str]) -> bool:
    return bool(run.red) and {r.id for r in run.red} <= flaky


def _red(failing: tuple[str, ...], run: TestRun) -> int:
    return len(set(failing) & {r.id for r in run.red})


def _count(claim: str, measured: int, of: int) -> ev.ProofRow:
    return ev.ProofRow(claim=claim, measured=f"{measured} of {of}", holds=measured == of)


def _some(claim: str, measured: int, of: int) -> ev.ProofRow:
    """Count as `_count` does; where there was nothing to turn green, nothing is shown."""
    return ev.ProofRow(claim=claim, measured=f"{measured} of {of}", holds=measured == of > 0)


def _untouched(workshop: Workshop, base: str, commit: str) -> ev.ProofRow:
    touched = [
        change.path
        for change in workshop.repository.changed(base, commit)
        if is_test_path(change.path) or is_test_config(change.path)
    ]
    return ev.ProofRow(
        claim="test files and test configuration are the baseline's",
        measured=", ".join(touched) or "none was edited",
        holds=not touched,
    )
