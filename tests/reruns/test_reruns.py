"""When the failing tests alone decide about a fix."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clew import reruns
from clew.facts import Outcome, Phase, Runner, TestResult, TestRun, Verdict
from clew.progress import Change, compare
from failurekit import crash, failed, passed, run


def wrong(name: str, message: str = "assert 1 == 2") -> TestResult:
    return failed(name, crash("AssertionError", message))


SLOW = replace(passed("t::slow")[0], seconds=5.0)
BEFORE = run(wrong("t::a"), wrong("t::b"), *passed("t::c"), SLOW)
ALONE = run(wrong("t::b"), wrong("t::a"))


def test_failing_tests_are_the_gate() -> None:
    """Those that failed alone as they failed in the suite; flaky ones have no say."""
    assert ("t::a", "t::b") == reruns.gate(BEFORE, ALONE, frozenset())
    assert ("t::b",) == reruns.gate(BEFORE, ALONE, frozenset({"t::a"}))


@pytest.mark.parametrize(
    ("before", "alone"),
    [
        (BEFORE, None),
        (BEFORE, run(wrong("t::a"), wrong("t::b", "assert 3 == 4"))),
        (BEFORE, run(wrong("t::a"), *passed("t::b"))),
        (run(failed("t", crash("E", "x"), Phase.COLLECT), SLOW), ALONE),
        (run(wrong("t::a"), wrong("t::b"), *passed("t::c")), ALONE),
        (run(*passed("t::c"), SLOW), ALONE),
        (
            replace(BEFORE, command=replace(BEFORE.command, runner=Runner.COMMAND)),
            ALONE,
        ),
    ],
    ids=["unknown", "otherwise alone", "green alone", "not loaded", "short", "green", "one fact"],
)
def test_without_certainty_or_gain_the_whole_suite_runs(
    before: TestRun, alone: TestRun | None
) -> None:
    """As it is, in its own order."""
    assert () == reruns.gate(before, alone, frozenset())


TESTS = [f"t::{name}" for name in "abcdef"]
RUNS = st.dictionaries(
    st.sampled_from(TESTS), st.sampled_from([*Outcome, Outcome.FAILED, Outcome.FAILED]), min_size=1
)


def made(table: dict[str, Outcome], message: str) -> TestRun:
    return run(
        *(
            wrong(name, message) if outcome.red else TestResult(id=name, outcome=outcome)
            for name, outcome in table.items()
        )
    )


@given(RUNS, RUNS, st.sets(st.sampled_from(TESTS)))
@settings(deadline=None)
def test_what_ends_early_could_not_have_been_progress(
    before: dict[str, Outcome], after: dict[str, Outcome], flaky: set[str]
) -> None:
    """Whatever the tests that were left out would have said."""
    then = made(before, "assert 1 == 2")
    gate = {r.id for r in then.red} - flaky
    whole = made(after | dict.fromkeys(gate, Outcome.FAILED), "assert 1 == 2")
    part = replace(whole, results=tuple(r for r in whole.results if r.id in gate))
    assert reruns.as_before(then, part, gate)
    silent = frozenset(flaky)
    if gate:
        left_out = frozenset(before) - gate
        found = compare(then, part, flaky=silent, left_out=left_out)
        assert (Change.SAME_ERRORS, False, ()) == (found.outcome, found.progress, found.regressions)
        assert not compare(then, whole, flaky=silent).progress


def test_a_run_that_leaves_tests_out_is_no_pass() -> None:
    """Green as far as it goes."""
    found = compare(BEFORE, run(*passed("t::a", "t::b")), left_out=frozenset({"t::c", "t::slow"}))
    assert ((), ("t::a", "t::b")) == (found.regressions, found.fixed)
    assert found.outcome is not Change.PASSING


def test_two_parts_of_a_run_are_one() -> None:
    """In the order of the run before, with what took time added up."""
    first = run(wrong("t::b"), wrong("t::a", "assert 5 == 6"))
    rest = replace(run(SLOW, *passed("t::c", "t::new")), seconds=2.0)
    whole = reruns.sorted_as(BEFORE, reruns.joined(replace(first, seconds=1.0), rest))
    assert ["t::a", "t::b", "t::c", "t::slow", "t::new"] == [r.id for r in whole.results]
    assert (Verdict.FAILED, 3.0) == (whole.verdict, whole.seconds)
    lost = TestRun(verdict=Verdict.DID_NOT_RUN, command=BEFORE.command)
    assert Verdict.DID_NOT_RUN is reruns.joined(first, lost).verdict
