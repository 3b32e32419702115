"""What a fix achieved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.progress import RunChange, compare
from clew.words.facts import CaseOutcome, Phase, TestResult, TestRun, Verdict
from failurekit import crash, failed, frame, passed, run


def wrong(name: str, message: str = "assert 1 == 2") -> TestResult:
    return failed(name, crash("AssertionError", message))


def skipped(name: str) -> TestResult:
    return TestResult(id=name, outcome=CaseOutcome.SKIPPED)


def uncollected(name: str) -> TestResult:
    return failed(name, crash("ImportError", "x"), Phase.COLLECT)


BEFORE = run(wrong("t::a"), wrong("t::b"), *passed("t::c"))


@pytest.mark.parametrize(
    ("after", "outcome", "progress"),
    [
        (run(*passed("t::a", "t::b", "t::c")), RunChange.PASSING, True),
        (run(wrong("t::b"), wrong("t::a"), *passed("t::c")), RunChange.SAME_ERRORS, False),
        (run(wrong("t::a"), *passed("t::b", "t::c")), RunChange.FEWER_ERRORS, True),
        (
            run(wrong("t::a", "assert 2 == 3"), wrong("t::b"), *passed("t::c")),
            RunChange.DIFFERENT_ERRORS,
            True,
        ),
        (
            run(wrong("t::a"), wrong("t::b"), wrong("t::d"), *passed("t::c")),
            RunChange.DIFFERENT_ERRORS,
            False,
        ),
        (run(wrong("t::c"), *passed("t::a", "t::b")), RunChange.REGRESSION, False),
        (run(*passed("t::a", "t::b")), RunChange.REGRESSION, False),
        (run(*passed("t::a", "t::c")), RunChange.REGRESSION, False),
        (run(skipped("t::a"), *passed("t::b", "t::c")), RunChange.REGRESSION, False),
        (run(skipped("t::c"), *passed("t::a", "t::b")), RunChange.REGRESSION, False),
        (
            TestRun(verdict=Verdict.DID_NOT_RUN, command=BEFORE.command),
            RunChange.DID_NOT_RUN,
            False,
        ),
    ],
)
def test_two_runs_are_compared_by_their_sets(
    after: TestRun,
    outcome: RunChange,
    progress: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Fewer, same, other or broken; a test that is skipped or gone counts as broken."""
    found = compare(BEFORE, after)

    assert (found.outcome, found.progress) == (outcome, progress)


def test_what_broke_and_what_was_mended_is_named() -> None:
    """With the errors that are new."""
    found = compare(BEFORE, run(*passed("t::a"), wrong("t::c", "assert 7 == 8"), wrong("t::b")))

    assert found.regressions == ("t::c",)
    assert found.fixed == ("t::a",)
    assert found.new_errors == ("t::c: AssertionError: assert 7 == 8",)


def test_failures_that_a_mended_import_brings_to_light_are_progress() -> None:
    """The file's own id may vanish; what was hidden in it never passed before."""
    before = run(uncollected("t.py"), *passed("u.py::a"))
    after = run(wrong("t.py::a"), wrong("t.py::b"), *passed("u.py::a", "t.py::c"))

    found = compare(before, after)

    assert (found.outcome, found.progress) == (RunChange.DIFFERENT_ERRORS, True)
    assert found.regressions == ()
    assert found.fixed == ("t.py",)


def test_a_file_that_can_no_longer_be_collected_is_a_regression() -> None:
    """Its tests are gone."""
    found = compare(run(*passed("t.py::a"), wrong("u.py::b")), run(uncollected("t.py")))

    assert found.outcome == RunChange.REGRESSION
    assert found.regressions == ("t.py::a", "u.py::b")


def test_a_flake_is_neither_a_fix_nor_a_failure_of_one() -> None:
    """Its colour before and after has no say."""
    flaky = frozenset({"t::f"})
    steady = wrong("t::a")

    assert compare(run(steady, wrong("t::f")), run(steady, *passed("t::f")), flaky=flaky) == (
        compare(run(steady), run(steady))
    )
    assert compare(run(steady), run(*passed("t::a"), wrong("t::f")), flaky=flaky).outcome == (
        RunChange.PASSING
    )
    assert compare(run(*passed("t::f"), steady), run(wrong("t::f"), steady), flaky=flaky) == (
        compare(run(steady), run(steady))
    )


def test_a_failed_run_without_a_red_test_is_no_pass() -> None:
    """A runner may fail for reasons of its own."""
    after = replace(run(*passed("t::a", "t::b", "t::c")), verdict=Verdict.FAILED)

    assert compare(BEFORE, after).outcome != RunChange.PASSING


def test_tests_that_run_at_all_are_progress_over_tests_that_do_not() -> None:
    """A code base that could not be imported is one step on."""
    before = TestRun(verdict=Verdict.DID_NOT_RUN, command=BEFORE.command, reason="no import")

    assert compare(before, run(wrong("t::a"))).progress is True


outcomes = st.dictionaries(
    st.sampled_from([f"t::{name}" for name in "abcdef"]), st.sampled_from(CaseOutcome), min_size=1
)


def made(table: dict[str, CaseOutcome]) -> TestRun:
    return run(
        *(
            wrong(name) if outcome.red else TestResult(id=name, outcome=outcome)
            for name, outcome in table.items()
        )
    )


@given(outcomes, outcomes)
def test_the_laws_of_a_comparison(
    before: dict[str, CaseOutcome], after: dict[str, CaseOutcome]
) -> None:
    """Order is nothing; a regression is never progress; equal runs never are; a pass always is."""
    found = compare(made(before), made(after))
    turned = compare(made(dict(reversed(before.items()))), made(dict(reversed(after.items()))))

    assert replace(found, new_errors=()) == replace(turned, new_errors=())
    assert not (found.regressions and found.progress)
    assert (found.outcome is RunChange.REGRESSION) == bool(found.regressions)
    assert found.progress or found.outcome is not RunChange.PASSING
    same = compare(made(before), made(before))
    assert same.outcome in (RunChange.SAME_ERRORS, RunChange.PASSING)
    assert not set(found.fixed) & set(found.regressions)


@pytest.mark.parametrize(
    ("code", "message", "outcome", "progress"),
    [
        ("assert add(1) == 2", "assert 9 == 2", RunChange.SAME_ERRORS, False),
        ("assert add(5) == 6", "assert 7 == 6", RunChange.DIFFERENT_ERRORS, True),
    ],
    ids=["another value", "another assertion"],
)
def test_an_assertion_that_fails_with_another_value_fails_as_before(
    code: str, message: str, outcome: RunChange, *, progress: bool
) -> None:
    """A wrong answer for another wrong answer is no progress; to come one assertion further is."""

    def at(code: str, message: str) -> TestRun:
        where = frame("test_t.py:3", "test_a", code)
        return run(failed("t::a", crash("AssertionError", message, where)))

    found = compare(at("assert add(1) == 2", "assert 1 == 2"), at(code, message))
    assert (outcome, progress) == (found.outcome, found.progress)


@pytest.mark.parametrize(
    ("line", "function", "progress"), [(9, "test_a", True), (3, "test_a", False), (3, "near", True)]
)
def test_an_assertion_that_held_may_not_fail_instead(
    line: int,
    function: str,
    progress: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """A later one shows that the test came further; lines of other functions say nothing."""

    def at(number: int, name: str) -> TestRun:
        where = frame(f"t.py:{number}", name, f"assert f({number})")
        return run(failed("t::a", crash("AssertionError", f"assert {number}", where)))

    found = compare(at(5, "test_a"), at(line, function))
    assert (RunChange.DIFFERENT_ERRORS, progress) == (found.outcome, found.progress)
    assert (() if progress else ("t::a",)) == found.set_back
