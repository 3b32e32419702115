"""Runs of the tests: what is run for each purpose, and how it stands to the run that counts."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from clew.analysis import failures, reruns
from clew.analysis.progress import Comparison, compare
from clew.analysis.tampering import belongs
from clew.flows.debugging.driver import proving
from clew.flows.debugging.driver.affected_tests import near
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.examining import examined
from clew.flows.debugging.driver.regressions import coins, flakes, turned, unsteady
from clew.flows.debugging.driver.taking import taken
from clew.flows.debugging.states import State, require
from clew.git.worktrees import path_text
from clew.runners import Request, places_of_hangs
from clew.words import events as ev
from clew.words.errors import ClewError, TestsDidNotRun, UsageError
from clew.words.facts import Phase, Runner, TestCommand, TestRun, Tick, Verdict

__all__ = ["run_tests"]


def run_tests(debug_run: DebugRun, intent: ev.RunTests) -> ev.TestsRan:
    """Run the tests, and say how the run stands to the last one that counts."""
    debug_run.watcher.tick(Tick(phase=f"tests ({intent.purpose})"))
    debug_run.repository.reset(debug_run.id, intent.commit)
    started = time.monotonic()
    try:
        ran = _RUNS[intent.purpose](debug_run, intent)
    except (TestsDidNotRun, UsageError) as error:
        return ev.TestsRan(
            purpose=intent.purpose,
            commit=intent.commit,
            verdict=Verdict.DID_NOT_RUN,
            command=TestCommand(runner=Runner.COMMAND, argv=(), source="none"),
            run="",
            reason=error.whole,
            infrastructure=True,
        )
    debug_run.repository.reset(debug_run.id, intent.commit)  # what the tests left is not a person's
    return replace(ran, seconds=time.monotonic() - started)


def _baseline(debug_run: DebugRun, intent: ev.RunTests) -> ev.TestsRan:
    run = debug_run.report(debug_run.worktree, Request(reading=True)).run
    return _ran(
        debug_run, intent, run, topic=failures.topic_slug(run, debug_run.state.session.phase)
    )


def _rechecked(debug_run: DebugRun, intent: ev.RunTests) -> ev.TestsRan:
    """Tell red tests from flaky ones: whatever turned is examined, and so is what may be one."""
    suite = debug_run.run_of(require(debug_run.state.kept))
    hung = places_of_hangs(suite.results)
    request = Request(only=intent.only, first=intent.first, hung=hung)
    run = debug_run.report(debug_run.worktree, request).run
    if run.verdict is Verdict.DID_NOT_RUN:
        return _ran(debug_run, intent, run)
    debug_run.repository.reset(debug_run.id, intent.commit)
    found = examined(debug_run, suite, run)
    red = {flake.test for flake in found if flake.counts}
    named = {flake.test for flake in found} | set(turned(intent.only, run))
    flaky = tuple(sorted(named - red))
    topic = (
        failures.topic_slug(suite.without(flaky), debug_run.state.session.phase) if flaky else ""
    )
    return _ran(debug_run, intent, run, flaky=flaky, flakes=found, topic=topic)


def _carried(debug_run: DebugRun, intent: ev.RunTests) -> ev.TestsRan:
    return _judged(debug_run, intent, _before(debug_run), debug_run.run_tests(debug_run.worktree))


def _before(debug_run: DebugRun) -> TestRun:
    if debug_run.state.kept is None:
        raise ClewError("a fix cannot be judged without a run before it")
    return debug_run.run_of(debug_run.state.kept)


def _verified(debug_run: DebugRun, intent: ev.RunTests) -> ev.TestsRan:
    """Judge a fix; what is progress is held against what a proof would refuse before it is kept."""
    ran = _held_against_kept(debug_run, intent)
    if not ran.progress or ran.outcome == "passing":
        return ran
    why, doubted = proving.refused(debug_run, debug_run.run_of(ran), intent.commit)
    return replace(ran, refused=why, doubted=bool(why) and doubted)


def _held_against_kept(debug_run: DebugRun, intent: ev.RunTests) -> ev.TestsRan:
    """Run failing tests first, then those near the change; the rest while it can still matter."""
    state, before = debug_run.state, _before(debug_run)
    alone = debug_run.run_of(state.rechecked) if state.rechecked and state.rechecked.run else None
    gate = reruns.gate(before, alone, state.flaky)
    beside = near(debug_run, before, gate, intent.commit)
    first = (*gate, *beside)
    report = debug_run.report(debug_run.worktree, Request(first=first, gate=gate, near=beside))
    run = report.run
    if report.stopped and {r.id for r in run.results} <= set(gate):
        if reruns.as_before(before, run, gate):
            return _ended_early(debug_run, intent, before, run)
        request = Request(done=gate, first=beside, near=beside)
        report = debug_run.report(debug_run.worktree, request)
        run = reruns.joined(run, report.run)
    if report.stopped:
        if broken := _broken(debug_run, intent, before, run):
            return broken
        rest = debug_run.report(debug_run.worktree, Request(done=first)).run
        run = reruns.joined(run, rest)
    if not gate:
        return _judged(debug_run, intent, before, run)
    judged = _judged(debug_run, intent, before, reruns.sorted_as(before, run))
    if not judged.flaky:
        return judged
    # It may have been the order in which they ran this once that turned tests.
    return _judged(debug_run, intent, before, debug_run.run_tests(debug_run.worktree))


def _ended_early(
    debug_run: DebugRun, intent: ev.RunTests, before: TestRun, run: TestRun
) -> ev.TestsRan:
    left_out = _left_out(before, run)
    comparison = compare(before, run, flaky=debug_run.state.flaky, left_out=left_out)
    ran = _ran(debug_run, intent, run, comparison=comparison)
    return replace(ran, left_out=len(left_out), why_left_out=reruns.LEFT_OUT)


def _broken(
    debug_run: DebugRun, intent: ev.RunTests, before: TestRun, run: TestRun
) -> ev.TestsRan | None:
    """Return what a run comes to that ended near the change, if the change broke a test there.

    A test is broken by it that is red alone, and alone green on the code without the change.
    """
    excused, left_out = debug_run.state.flaky, _left_out(before, run)
    suspected = compare(before, run, flaky=excused, left_out=left_out).regressions
    red = tuple(r.id for r in run.red if r.id in suspected)
    again = debug_run.run_tests(debug_run.worktree, red)
    chance = coins(debug_run, debug_run.worktree, red, run)
    still_red = {r.id for r in again.red} | chance.brought
    still = tuple(test for test in red if test in still_red and test not in chance.before)
    if not still:
        return None
    debug_run.repository.reset(debug_run.id, debug_run.state.head)
    without = debug_run.run_tests(debug_run.worktree, still)
    debug_run.repository.reset(debug_run.id, intent.commit)
    if not without.passed.intersection(still):
        return None
    excused |= frozenset(red) - without.passed.intersection(still)
    comparison = compare(before, run, flaky=excused, left_out=left_out)
    ran = _ran(debug_run, intent, reruns.sorted_as(before, run), comparison=comparison)
    return replace(ran, left_out=len(left_out), why_left_out=reruns.BROKEN)


def _left_out(before: TestRun, run: TestRun) -> frozenset[str]:
    return frozenset(r.id for r in before.results) - {r.id for r in run.results}


def _judged(debug_run: DebugRun, intent: ev.RunTests, before: TestRun, run: TestRun) -> ev.TestsRan:
    narrowed = bool(debug_run.words.choosing)
    lost = taken(debug_run, run, intent.commit, narrowed=narrowed)
    excused = debug_run.state.flaky | (
        _let_go(debug_run.state, before, run) - {t.test for t in lost}
    )
    excused |= unsteady(debug_run, before, run)
    comparison = compare(before, run, flaky=excused)
    red = {r.id for r in run.red}
    suspected = tuple(t for t in comparison.regressions if t in red)
    flaky = flakes(debug_run, debug_run.worktree, suspected, run)
    if flaky:
        comparison = compare(before, run, flaky=excused | set(flaky))
    ran = _ran(debug_run, intent, run, comparison=comparison, flaky=flaky)
    return replace(ran, taken=tuple(path_text(str(each)) for each in lost))


def _let_go(state: State, before: TestRun, run: TestRun) -> frozenset[str]:
    """Return the tests that are gone from files that a person let the fix change."""
    gone = {r.id for r in before.results} - {r.id for r in run.results}
    return frozenset(n for n in gone if any(belongs(n, a.path) for a in state.approved))


_RUNS: dict[ev.Purpose, Callable[[DebugRun, ev.RunTests], ev.TestsRan]] = {
    ev.Purpose.BASELINE: _baseline,
    ev.Purpose.RECHECK: _rechecked,
    ev.Purpose.VERIFY: _verified,
    ev.Purpose.CARRIED: _carried,
}


def _ran(
    debug_run: DebugRun,
    intent: ev.RunTests,
    run: TestRun,
    *,
    comparison: Comparison | None = None,
    flaky: tuple[str, ...] = (),
    flakes: tuple[ev.Flake, ...] = (),
    topic: str = "",
) -> ev.TestsRan:
    return ev.TestsRan(
        purpose=intent.purpose,
        commit=intent.commit,
        verdict=run.verdict,
        command=run.command,
        run=debug_run.store.put_record(run),
        selected=bool(debug_run.words.choosing),
        total=len(run.results),
        passed=len(run.passed),
        red=tuple(
            ev.FailingTest(
                id=result.id,
                fingerprint=failures.fingerprint_of(result),
                error=failures.error_of(result),
                file=result.phase is Phase.COLLECT,
            )
            for result in run.red
        ),
        seconds=run.seconds,
        reason=run.reason,
        infrastructure=run.infrastructure,
        misused=run.misused,
        sandbox=run.sandbox,
        outcome=comparison.outcome if comparison else "",
        progress=bool(comparison and comparison.progress),
        regressions=comparison.regressions if comparison else (),
        fixed=comparison.fixed if comparison else (),
        set_back=comparison.set_back if comparison else (),
        flaky=flaky,
        flakes=flakes,
        topic=topic,
    )
