"""When the failing tests alone decide about a fix."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis import reruns
from clew.analysis.progress import RunChange, compare
from clew.words.facts import (
    CaseOutcome,
    Phase,
    Reach,
    Reached,
    Runner,
    TestResult,
    TestRun,
    Verdict,
)
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
    st.sampled_from(TESTS),
    st.sampled_from([*CaseOutcome, CaseOutcome.FAILED, CaseOutcome.FAILED]),
    min_size=1,
)


def made(table: dict[str, CaseOutcome], message: str) -> TestRun:
    return run(
        *(
            wrong(name, message) if outcome.red else TestResult(id=name, outcome=outcome)
            for name, outcome in table.items()
        )
    )


@given(RUNS, RUNS, st.sets(st.sampled_from(TESTS)))
@settings(deadline=None)
def test_what_ends_early_could_not_have_been_progress(
    before: dict[str, CaseOutcome], after: dict[str, CaseOutcome], flaky: set[str]
) -> None:
    """Whatever the tests that were left out would have said."""
    then = made(before, "assert 1 == 2")
    gate = {r.id for r in then.red} - flaky
    whole = made(after | dict.fromkeys(gate, CaseOutcome.FAILED), "assert 1 == 2")
    part = replace(whole, results=tuple(r for r in whole.results if r.id in gate))
    assert reruns.as_before(then, part, gate)
    silent = frozenset(flaky)
    if gate:
        left_out = frozenset(before) - gate
        found = compare(then, part, flaky=silent, left_out=left_out)
        assert (RunChange.SAME_ERRORS, False, ()) == (
            found.outcome,
            found.progress,
            found.regressions,
        )
        assert not compare(then, whole, flaky=silent).progress


@given(RUNS, RUNS, st.sets(st.sampled_from(TESTS)), st.sets(st.sampled_from(TESTS)))
@settings(deadline=None)
def test_what_ends_near_the_change_is_decided_as_by_the_whole_suite(
    before: dict[str, CaseOutcome], after: dict[str, CaseOutcome], near: set[str], flaky: set[str]
) -> None:
    """A test that passed, and is red now, makes it a regression whatever the others say."""
    then, silent = made(before, "assert 1 == 2"), frozenset(flaky)
    gate = {r.id for r in then.red} - flaky
    first = reruns.near(replace(then, results=(*then.results, SLOW)), tuple(gate), near, silent)
    whole = made(after, "assert 3 == 4")
    ran = gate.union(first)
    part = replace(whole, results=tuple(r for r in whole.results if r.id in ran))
    if not {r.id for r in part.red}.intersection(first):
        return
    left_out = frozenset(before) - {r.id for r in part.results}
    early = compare(then, part, flaky=silent, left_out=left_out)
    late = compare(then, whole, flaky=silent)
    assert (RunChange.REGRESSION, False) == (early.outcome, early.progress)
    assert (RunChange.REGRESSION, False) == (late.outcome, late.progress)
    assert set(early.regressions) <= set(late.regressions)


def test_tests_near_the_change_come_in_the_order_of_the_suite() -> None:
    """Those that passed; none where what is left takes less than two seconds."""
    before = replace(BEFORE, results=(*BEFORE.results, *passed("t::d", "t::e")))
    asked = {"t::e", "t::c", "t::a"}
    assert ("t::c", "t::e") == reruns.near(before, ("t::a", "t::b"), asked, frozenset())
    assert ("t::c",) == reruns.near(before, ("t::a", "t::b"), asked, frozenset({"t::e"}))
    assert () == reruns.near(before, ("t::a", "t::b"), asked | {"t::slow"}, frozenset())
    assert () == reruns.near(before, (), asked, frozenset())


REACHED = Reached(
    commit="c",
    files=(
        Reach(path="a.py", tests=("t::a", "t::b"), groups=(((1, 2), (0, 1)), ((3,), (1,)))),
        Reach(path="b.py", tests=("t::c",), groups=(((7,), (0,)),)),
    ),
)


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        ({"a.py": {3}}, {"t::b"}),
        ({"a.py": {2, 3}}, {"t::a", "t::b"}),
        ({"b.py": {1}}, {"t::c"}),
        ({"c.py": {1}}, set()),
        ({}, set()),
    ],
    ids=["a line", "two lines", "a line that no test runs", "another file", "nothing"],
)
def test_a_change_touches_the_tests_that_ran_its_lines(
    changed: dict[str, set[int]], touched: set[str]
) -> None:
    """Where no test ran them, all that ran the file."""
    found = reruns.touching(REACHED, {path: frozenset(lines) for path, lines in changed.items()})
    assert touched == found


def test_lines_of_a_change_have_their_old_numbers() -> None:
    """Changed, removed, and those after which something is added; signs in the text are text."""
    diff = (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
        "@@ -2,3 +2,3 @@ def f\n x\n-y\n+z\n w\n"
        "@@ -10 +10 @@\n--- a\n+b\n"
        "@@ -20,2 +20,3 @@\n a\n+b\n c\n"
    )
    assert {3, 10, 20} == reruns.lines_of(diff)
    assert frozenset() == reruns.lines_of("Binary files a and b differ\n")


def test_a_run_that_leaves_tests_out_is_no_pass() -> None:
    """Green as far as it goes."""
    found = compare(BEFORE, run(*passed("t::a", "t::b")), left_out=frozenset({"t::c", "t::slow"}))
    assert ((), ("t::a", "t::b")) == (found.regressions, found.fixed)
    assert found.outcome is not RunChange.PASSING


def test_two_parts_of_a_run_are_one() -> None:
    """In the order of the run before, with what took time added up."""
    first = run(wrong("t::b"), wrong("t::a", "assert 5 == 6"))
    rest = replace(run(SLOW, *passed("t::c", "t::new")), seconds=2.0)
    whole = reruns.sorted_as(BEFORE, reruns.joined(replace(first, seconds=1.0), rest))
    assert ["t::a", "t::b", "t::c", "t::slow", "t::new"] == [r.id for r in whole.results]
    assert (Verdict.FAILED, 3.0) == (whole.verdict, whole.seconds)
    lost = TestRun(verdict=Verdict.DID_NOT_RUN, command=BEFORE.command)
    assert Verdict.DID_NOT_RUN is reruns.joined(first, lost).verdict
