"""Proof-carrying green: a fix counts only if this holds.

The fix is checked out afresh, beside nobody's leftovers, with the tests, conftests and test
configuration of the baseline put back; the whole suite runs there. If all is green the failing
tests run on the baseline itself, where they must be red again: it is the fix that turned them, not
luck. A test that was green at first, is red in the proof and green when run once more is a flake,
and named.

What holds until then is put to the trials: copies of the failing tests that must be red, other
inputs, a run that does not announce itself, small changes of the fixed lines. See `trials`.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from clew import agents, runners
from clew.flows.debugging.driver.checkouts import checkout, clear
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.challenged import challenged
from clew.flows.debugging.driver.proving.likelier import likelier
from clew.flows.debugging.driver.proving.parts import (
    UndecidedPart,
    has_rivals,
    parted,
    settled_rows,
    undecided_parts,
)
from clew.flows.debugging.driver.proving.rows import (
    answer_rows,
    as_it_stood,
    green_rows,
    loaded_rows,
    no_skip_more,
    red_rows,
    taken_rows,
    unread,
    untouched,
)
from clew.flows.debugging.driver.proving.texts import new_refusals, text_rows
from clew.flows.debugging.driver.proving.trials import Checkouts, on_trial
from clew.flows.debugging.driver.regressions import flakes, unsteady
from clew.flows.debugging.driver.steering import approved, judging, looked_up, touched
from clew.flows.debugging.driver.taking import taken
from clew.flows.debugging.states import State, require, vouched
from clew.git.worktrees import path_text
from clew.sandbox.processes import both
from clew.words import events as ev
from clew.words.errors import ClewError, UsageError
from clew.words.facts import Runner, TestRun, Verdict

__all__ = ["prove", "refused"]


class Measured(NamedTuple):
    """What was found of a fix; `lost` says why the tests did not run, if they did not."""

    rows: list[ev.ProofRow]
    parts: tuple[UndecidedPart, ...] = ()
    lost: str = ""


def prove(debug_run: DebugRun, commit: str, *, by_text: bool = True) -> ev.Proved:
    """Return the proof of a commit, whether it holds or not.

    Without `by_text` a fix is judged by what it does alone, whatever its text speaks of.
    """
    started = time.monotonic()
    state = debug_run.state
    if state.origin is None or state.baseline is None:
        raise ClewError("there is no baseline to prove a fix against")
    base, wanted = state.origin.base, debug_run.run_of(state.baseline)
    try:
        baseline = _whole(debug_run, base) if debug_run.narrowed else wanted
        if baseline.verdict is Verdict.DID_NOT_RUN:
            return _unproven(commit, baseline, time.monotonic() - started)
        begun = _case(debug_run, commit, wanted, baseline)
        fixed, reverted = _fixed(begun, "proof"), checkout(debug_run, base, "reverted")
        case, without = both(
            lambda: _with_the_fix(begun, fixed),
            lambda: _without_the_fix(begun, reverted),
            at_once=begun.at_once,
        )
        found = _measured(case, fixed, reverted, without, by_text=by_text)
    finally:
        clear(debug_run)
    settled = [_settled(case, row) for row in found.rows]
    return ev.Proved(
        commit=commit,
        accepted=not found.lost and not any(row.against for row in settled),
        rows=tuple(replace(row, measured=path_text(row.measured)) for row in settled),
        sandbox=case.green.sandbox,
        network=_network(debug_run),
        seconds=time.monotonic() - started,
        did_not_run=found.lost,
        flaky=(*case.new_flaky, *_turned(state, case)),
        weak=any(not row.holds and not row.decides for row in found.rows),
        approved=tuple(sorted(map(path_text, case.approved))),
        undecided=tuple(part.iteration for part in found.parts),
        undecided_told=tuple(part.told for part in found.parts),
        unsettled=next((part.other for part in found.parts if part.other.call), None),
    )


def _case(debug_run: DebugRun, commit: str, wanted: TestRun, baseline: TestRun) -> Case:
    """Return what is known of a fix before it is run; `wanted` is what it has to turn green."""
    state = debug_run.state
    base = require(state.origin).base
    steering = touched(debug_run, base, commit)
    return Case(
        debug_run=debug_run,
        base=base,
        commit=commit,
        baseline=baseline,
        green=baseline,
        failing=tuple(sorted(r.id for r in wanted.red if r.id not in state.flaky)),
        flaky=state.flaky,
        touched=steering,
        approved=approved(debug_run, commit, steering),
    )


def _turned(state: State, case: Case) -> tuple[str, ...]:
    """Return what was perhaps flaky and green with the fix, and is red with it here: it is."""
    before = state.verified
    if before is None or before.commit != case.commit or before.left_out:
        return ()
    now = {r.id for r in case.green.red}
    return tuple(sorted(state.perhaps & now - {r.id for r in before.red}))


def _with_the_fix(case: Case, fixed: Path) -> Case:
    """Run all tests on the fix, with what judges as it was; what is red once by chance is named."""
    debug_run, state = case.debug_run, case.debug_run.state
    before = frozenset(r.id for r in case.baseline.red) - set(case.failing)
    green = case.report(fixed, runners.Request(reading=True)).run
    suspected = {r.id for r in green.red} - state.flaky - set(case.failing) - before
    extra = debug_run.all_tests
    flaky = flakes(debug_run, fixed, tuple(sorted(suspected)), green, extra=extra)
    renamed = unsteady(debug_run, case.baseline, green, extra=extra)
    return dataclasses.replace(
        case,
        green=green,
        new_flaky=flaky,
        flaky=state.flaky | set(flaky) | renamed,
        red_before=before,
        total=_counted(debug_run, fixed),
        taken=taken(debug_run, green, case.commit, narrowed=_narrowed(debug_run)),
        looked_up=looked_up(debug_run, case.base, green),
        late=judging(debug_run, case.base, case.commit, green),
    )


def _measured(
    case: Case, fixed: Path, reverted: Path, without: runners.Report, *, by_text: bool
) -> Measured:
    """Measure claim by claim, as long as nothing refuses the fix for good.

    `fixed` is the checkout with the fix, `reverted` that without it, and `without` the run of the
    failing tests there.
    """
    rows = [*green_rows(case), *loaded_rows(case), *taken_rows(case), unread(case)]
    parts: tuple[UndecidedPart, ...] = ()
    if _goes_on(rows) and has_rivals(case):
        parts = undecided_parts(case, _fixed(case, "rivals"))
    rows += [*settled_rows(case, parts), *answer_rows(case)]
    if by_text:
        rows += [untouched(case), no_skip_more(case), *as_it_stood(case, text_rows(case))]
    if case.green.verdict is Verdict.DID_NOT_RUN:
        return Measured(rows, parts, case.green.reason)
    if not _goes_on(rows):
        return Measured(rows, parts)
    rows += red_rows(case, without.run)
    if without.run.verdict is Verdict.DID_NOT_RUN:
        return Measured(rows, parts, without.run.reason)
    if _goes_on(rows):
        places = Checkouts(_fixed(case, "trial"), _fixed(case, "spoiled"), reverted)
        tried = on_trial(case, places, without)
        rows += as_it_stood(case, tried.rows)
        parts = parted(case, places.trial, parts, tried.again)
    if any(row.against for row in rows):
        return Measured(rows, parts)
    beside = likelier(case, reverted)
    rows += [*beside.rows, *challenged(case, fixed, reverted)]
    return Measured(rows, (*parts, *beside.parts))


def _fixed(case: Case, name: str) -> Path:
    """Check the fix out, with what judges as it was."""
    restored = frozenset(case.touched) - case.approved
    return checkout(case.debug_run, case.commit, name, case.base, restored)


def _without_the_fix(case: Case, reverted: Path) -> runners.Report:
    """Run the failing tests without it, behind those that make them red by running before."""
    chained = case.debug_run.state.chained
    before_them = {chained[test] for test in case.failing if test in chained}
    asked = tuple(dict.fromkeys((*sorted(before_them), *case.failing)))
    hung = runners.places_of_hangs(case.baseline.results)
    return case.report(reverted, runners.Request(only=asked, whole=True, hung=hung))


def _settled(case: Case, row: ev.ProofRow) -> ev.ProofRow:
    """Return a claim as a person left it, who may have settled a doubt."""
    state = case.debug_run.state
    if not (row.doubt and row.against):
        return row
    known = case.commit in state.accepted or vouched(state, path_text(row.refusal))
    return replace(row, vouched=True) if known else row


def _goes_on(rows: list[ev.ProofRow]) -> bool:
    """Tell whether there is more to measure: nothing refuses the fix, or a person may settle it."""
    return not any(row.against and not row.doubt for row in rows)


def refused(debug_run: DebugRun, run: TestRun, commit: str) -> tuple[str, bool]:
    """Say why no proof would accept progress that a run shows; empty where its text tells nothing.

    Say as well whether that is only a doubt. Nothing is run. What was edited of the tests is known
    since the fix was applied, and a test that is gone or muted is no progress.
    """
    state = debug_run.state
    if state.origin is None or state.baseline is None:
        return "", False
    baseline = debug_run.run_of(state.baseline)
    case = dataclasses.replace(_case(debug_run, commit, baseline, baseline), green=run)
    rows = [r for r in as_it_stood(case, new_refusals(case, state.head)) if r.against]
    return path_text("; ".join(row.refusal for row in rows)), all(row.doubt for row in rows)


def _whole(debug_run: DebugRun, base: str) -> TestRun:
    """Run all tests on the baseline: what was red before, outside of what was asked for."""
    if base not in debug_run.suites:
        place = checkout(debug_run, base, "reverted")
        debug_run.suites[base] = debug_run.run_tests(place, extra=debug_run.all_tests)
    return debug_run.suites[base]


def _unproven(commit: str, run: TestRun, seconds: float) -> ev.Proved:
    why = (
        f"without the words after -- the tests do not run: {run.reason}\n"
        "Start a new session with --only to prove a fix only by the tests that these arguments"
        " select."
    )
    return ev.Proved(commit=commit, accepted=False, rows=(), seconds=seconds, did_not_run=why)


def _narrowed(debug_run: DebugRun) -> bool:
    """Tell whether a proof, too, runs only tests that words choose."""
    return debug_run.state.session.only and bool(debug_run.words.choosing)


def _counted(debug_run: DebugRun, place: Path) -> int:
    """Count all tests, where only some of them are run; 0 if the runner does not say."""
    words = debug_run.words
    if not _narrowed(debug_run) or debug_run.command.runner is not Runner.PYTEST:
        return 0
    extra = (*words.kept, "--collect-only", "-q")
    return debug_run.report(place, runners.Request(), extra=extra).collected


def _network(debug_run: DebugRun) -> str:
    """Say what of the network the agents reached that had a part in it; the widest counts."""
    found = {_reached(debug_run, name) for name in debug_run.state.contributors}
    return "open" if "open" in found else "gated" if "gated" in found else ""


def _reached(debug_run: DebugRun, name: str) -> str:
    try:
        return agents.network(name, debug_run.settings, debug_run.project)
    except UsageError:  # it is gone: what was told when the session was opened counts
        return "open" if name in debug_run.state.session.unbounded else ""
