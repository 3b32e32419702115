"""What a fix achieved: two runs of the same tests compared by sets, never by text."""

from __future__ import annotations

from enum import StrEnum

from clew.analysis.failures import errors, fingerprint, normalise, stand_of
from clew.analysis.tampering import within
from clew.words.facts import CaseOutcome, Fact, Phase, TestResult, TestRun, Verdict

__all__ = ["Comparison", "RunChange", "compare"]

MUTED = (CaseOutcome.SKIPPED, CaseOutcome.XFAILED)


class RunChange(StrEnum):
    """How the second run stands to the first."""

    PASSING = "passing"
    SAME_ERRORS = "same_errors"
    DIFFERENT_ERRORS = "different_errors"
    FEWER_ERRORS = "fewer_errors"
    REGRESSION = "regression"
    DID_NOT_RUN = "did_not_run"


class Comparison(Fact, frozen=True, kw_only=True):
    """What changed between two runs; test ids are sorted."""

    outcome: RunChange
    regressions: tuple[str, ...] = ()  # worked before and do not now: red, skipped or gone
    fixed: tuple[str, ...] = ()  # red before, green now; files that can be collected again
    new_errors: tuple[str, ...] = ()  # of the second run, not of the first
    set_back: tuple[str, ...] = ()  # still red, by an assertion that held before
    progress: bool = False  # worth keeping: nothing broke, and an error of the first run is gone


def compare(
    before: TestRun,
    after: TestRun,
    *,
    flaky: frozenset[str] = frozenset(),
    left_out: frozenset[str] = frozenset(),
) -> Comparison:
    """Compare two runs of the same tests; what is known to be flaky has no say.

    Neither has what the second run left out: it counts as neither passed nor failed, and while
    there is any the tests are not passing.

    A regression is a test that passed before and does not now, or one that is no longer collected
    or is muted by a skip: a test may not be silenced either. Ids of files that could not be
    collected are free to vanish, and red tests that come to light in them are no regression.
    Progress is: no regression, and fewer red tests or another error in place of one of the first;
    the same assertion with another value is the same error. There is none where an assertion of a
    red test fails that held before.
    """
    if after.verdict is Verdict.DID_NOT_RUN:
        return Comparison(outcome=RunChange.DID_NOT_RUN, new_errors=_new(before, after))
    silent = flaky | left_out
    then = {result.id: result for result in before.results if result.id not in silent}
    now = {result.id: result for result in after.results if result.id not in silent}
    regressions = tuple(sorted(name for name, was in then.items() if _broken(was, now.get(name))))
    red_then = {name for name, result in then.items() if result.outcome.red}
    red_now = {name for name, result in now.items() if result.outcome.red}
    fixed = tuple(sorted(name for name in red_then - red_now if _mended(then[name], now)))
    gone, fresh = _errors_of(before, then) - _errors_of(after, now), _errors_of(after, now)
    both = sorted(red_then & red_now)
    set_back = tuple(name for name in both if _set_back(then[name], now[name]))
    clean = not (red_now or left_out) and (after.verdict is Verdict.PASSED or bool(after.red))
    if regressions:
        outcome = RunChange.REGRESSION
    elif clean:
        outcome = RunChange.PASSING
    elif red_then == red_now and fresh == _errors_of(before, then):
        outcome = RunChange.SAME_ERRORS
    elif len(red_now) < len(red_then) and not set_back:
        outcome = RunChange.FEWER_ERRORS
    else:
        outcome = RunChange.DIFFERENT_ERRORS
    return Comparison(
        outcome=outcome,
        regressions=regressions,
        fixed=fixed,
        new_errors=_new(before, after, flaky),
        set_back=set_back,
        progress=not (regressions or set_back)
        and (clean or bool(gone) or len(red_now) < len(red_then)),
    )


def _set_back(was: TestResult, now: TestResult) -> bool:
    """Tell whether an assertion of the test fails that held: it stands before the one that did."""
    if was.crash is None or now.crash is None or not now.crash.type.endswith("AssertionError"):
        return False
    own = [frame for frame in now.crash.frames if frame.project]
    if not own or own[0].path != own[-1].path:  # not in the test's own file
        return False
    place = (own[-1].path, own[-1].function)
    former = (frame.line for frame in was.crash.frames if (frame.path, frame.function) == place)
    return any(own[-1].line < line for line in former)


def _broken(was: TestResult, now: TestResult | None) -> bool:
    if was.phase is Phase.COLLECT and was.outcome.red:
        return False
    if now is None:
        return was.outcome is CaseOutcome.PASSED or was.outcome.red
    if was.outcome is CaseOutcome.PASSED:
        return now.outcome.red or now.outcome in MUTED
    return was.outcome.red and now.outcome in MUTED


def _mended(was: TestResult, now: dict[str, TestResult]) -> bool:
    result = now.get(was.id)
    if was.phase is not Phase.COLLECT:
        return result is not None and result.outcome in (CaseOutcome.PASSED, CaseOutcome.XPASSED)
    return result is not None or any(within(name, was.id) for name in now)


def _errors_of(run: TestRun, steady: dict[str, TestResult]) -> frozenset[str]:
    if run.verdict is Verdict.DID_NOT_RUN:
        return frozenset({fingerprint(run)})
    return frozenset(stand_of(r) for r in steady.values() if r.outcome.red)


def _new(before: TestRun, after: TestRun, flaky: frozenset[str] = frozenset()) -> tuple[str, ...]:
    known = set(map(normalise, errors(before)))
    return tuple(
        line
        for line in errors(after)
        if normalise(line) not in known and not any(line.startswith(f"{name}: ") for name in flaky)
    )
