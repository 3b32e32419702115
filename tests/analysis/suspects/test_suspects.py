"""Where the fault may be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.words.facts import CaseOutcome, Coverage, Crash
from failurekit import crash, failed, frame, passed, run

LINES = st.frozensets(st.integers(1, 9))
SPECTRA = st.lists(st.tuples(st.booleans(), LINES), min_size=1, max_size=6)


def spectrum(tests: list[tuple[bool, frozenset[int]]]) -> Coverage:
    names = [f"t::{n}" for n in range(len(tests))]
    return Coverage(
        lines={
            name: {"a.py": tuple(sorted(lines)), "test_a.py": (1,)}
            for name, (_, lines) in zip(names, tests, strict=True)
        },
        outcomes={
            name: CaseOutcome.FAILED if red else CaseOutcome.PASSED
            for name, (red, _) in zip(names, tests, strict=True)
        },
    )


@given(SPECTRA, st.randoms(use_true_random=False))
def test_the_order_of_tests_changes_nothing(
    tests: list[tuple[bool, frozenset[int]]], chance: random.Random
) -> None:
    """A ranking is a function of sets."""
    coverage = spectrum(tests)
    names = list(coverage.lines)
    chance.shuffle(names)
    turned = Coverage(
        lines={name: coverage.lines[name] for name in names}, outcomes=coverage.outcomes
    )
    first = failed("t::x", crash("ValueError", "", frame("a.py:3", "f"), frame("a.py:5", "g")))
    second = failed("t::y", crash("ValueError", "", frame("a.py:5", "g")))

    assert rank(run(first, second), coverage, is_test=is_test_path) == rank(
        run(second, first), turned, is_test=is_test_path
    )


@given(SPECTRA)
def test_scores_are_ordered_and_bounded_and_tests_are_never_suspects(
    tests: list[tuple[bool, frozenset[int]]],
) -> None:
    """The list is sorted, its scores lie in 0..1, each suspect has a reason."""
    found = rank(run(*passed("t::a")), spectrum(tests), is_test=is_test_path)

    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    assert all(0 < s.score <= 1 and s.reasons for s in found)
    assert all(s.path != "test_a.py" for s in found)


@given(st.integers(1, 5), st.integers(1, 5))
def test_a_line_run_only_by_failing_tests_outranks_one_run_by_all(red: int, green: int) -> None:
    """The spectrum's whole point."""
    tests = [(True, frozenset({1, 2}))] * red + [(False, frozenset({1}))] * green

    found = rank(run(*passed("t::a")), spectrum(tests), is_test=is_test_path)

    assert [(s.path, s.line) for s in found] == [("a.py", 2), ("a.py", 1)]


def test_the_innermost_frame_of_the_project_is_the_strongest_and_outer_ones_fade() -> None:
    """Frames of tests and of other people's code are left out."""
    result = failed(
        "t::a",
        crash(
            "KeyError",
            "'x'",
            frame("test_a.py:1", "test_a"),
            frame("a.py:3", "outer"),
            frame("b.py:9", "inner"),
        ),
    )

    found = rank(run(result), is_test=is_test_path)

    assert [(s.path, s.line, s.function) for s in found] == [
        ("b.py", 9, "inner"),
        ("a.py", 3, "outer"),
    ]
    assert found[0].score > found[1].score
    assert found[0].reasons == ("innermost frame of 1 failure",)


def test_tests_that_the_settings_name_are_no_suspects() -> None:
    """Neither by the traceback nor by the spectrum."""
    result = failed("t::0", crash("KeyError", "", frame("a.py:3", "f"), frame("check_a.py:1", "t")))
    coverage = Coverage(
        lines={"t::0": {"a.py": (3,), "check_a.py": (1,)}}, outcomes={"t::0": CaseOutcome.FAILED}
    )

    found = rank(replace(run(result), named=("check_*.py",)), coverage, is_test=is_test_path)

    assert ["a.py"] == [suspect.path for suspect in found]


def test_trace_and_spectrum_add_up() -> None:
    """Of two lines with one spectrum, the one in the traceback comes first, with both words."""
    tests = [(True, frozenset({3, 4})), (False, frozenset({1}))]
    result = failed("t::0", crash("KeyError", "'x'", frame("a.py:4", "f")))

    found = rank(run(result), spectrum(tests), is_test=is_test_path)

    assert [s.line for s in found] == [4, 3]
    assert found[0].reasons == (
        "innermost frame of 1 failure",
        "run by 1 of 1 failing and 0 of 1 passing test",
    )


def test_a_suspect_in_a_comprehension_bears_the_name_of_its_function() -> None:
    """`<listcomp>` is no name, and newer interpreters have no such frame."""
    line = "a.py:4"
    frames = (frame(line, "f"), frame(line, "f.<locals>.<listcomp>"))

    (suspect,) = rank(run(failed("t::a", crash("KeyError", "", *frames))), is_test=is_test_path)

    assert suspect.function == "f"


def test_of_an_unparsable_file_the_importing_lines_are_no_suspects() -> None:
    """The probe gives the place as the last frame, without a function."""
    frames = (frame("a.py:1", "<module>"), frame("b.py:4", ""))

    (suspect,) = rank(run(failed("t.py", crash("SyntaxError", "", *frames))), is_test=is_test_path)

    assert (suspect.path, suspect.line, suspect.reasons) == ("b.py", 4, ("cannot be parsed",))


def test_a_line_that_raises_a_syntax_error_of_its_own_is_the_innermost_suspect() -> None:
    """A parser that a project has written may raise it; no file is at fault for its text."""
    raised = frame("query.py:9", "parse", 'raise SyntaxError("unexpected end")')

    (suspect,) = rank(run(failed("t::a", crash("SyntaxError", "", raised))), is_test=is_test_path)

    assert (suspect.path, suspect.line) == ("query.py", 9)
    assert suspect.reasons == ("innermost frame of 1 failure",)


def test_a_hanging_test_yields_suspects() -> None:
    """The place where time ran out is one."""
    result = failed("t::a", crash("TimeoutError", "60 s", frame("a.py:7", "spin")))

    (suspect,) = rank(run(result), is_test=is_test_path)

    assert (suspect.path, suspect.line) == ("a.py", 7)
    assert suspect.reasons == ("innermost frame of 1 failure", "time ran out here")


@pytest.mark.parametrize(
    ("trouble", "place"),
    [
        (
            crash("SyntaxError", "x", details='  File "/p/shop/cart.py", line 12\n    def f(:'),
            ("shop/cart.py", 12),
        ),
        (crash("SyntaxError", "invalid syntax (cart.py, line 3)"), ("cart.py", 3)),
        (
            crash("ImportError", "cannot import name 'X' from 'shop.cart' (/p/shop/cart.py)"),
            ("shop/cart.py", None),
        ),
    ],
)
def test_files_that_cannot_be_parsed_or_imported_are_suspects(
    trouble: Crash, place: tuple[str, int | None]
) -> None:
    """By the name in the message; a file alone where it names no line."""
    (suspect,) = rank(run(failed("t.py", trouble)), is_test=is_test_path, root="/p")

    assert (suspect.path, suspect.line) == place


def test_no_more_suspects_than_asked_for() -> None:
    """The best are kept."""
    tests = [(True, frozenset(range(1, 10)))]

    assert len(rank(run(*passed("a")), spectrum(tests), is_test=is_test_path, limit=4)) == 4
