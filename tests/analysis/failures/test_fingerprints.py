"""When two failures are the same failure."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.analysis.failures import (
    error_of,
    errors,
    fingerprint,
    fingerprint_of,
    normalise,
    topic_slug,
)
from clew.analysis.progress import compare
from clew.words.facts import CaseOutcome, Crash, TestResult
from clew.words.printable import printable
from failurekit import crash, failed, frame, passed, run

NOISE = {
    "address": lambda n: f"<Cart object at 0x{0x7F0000000000 + n:x}>",
    "cut address": lambda n: f"{{'/a': <corou...{0x7F0000000000 + n:x}>}}",
    "cut short": lambda n: f"[[<corou...{n % 4096:03x}>]]",
    "cut before x": lambda n: f"(<coro...x{0x7F0000000000 + n:x}>,)",
    "time": lambda n: f"2026-01-{n % 28 + 1:02}T10:{n % 60:02}:07.{n}+00:00",
    "clock": lambda n: f"at {n % 24:02}:{n % 60:02}:09",
    "duration": lambda n: f"took {n}.{n} seconds, {n}ms",
    "temporary": lambda n: f"/tmp/pytest-of-u{n % 9}/pytest-{n}/test_a0/in.csv",  # noqa: S108 - text
    "scratch": lambda n: f"/tmp/tmp{n:08x}/in.csv",  # noqa: S108 - text
    "uuid": lambda n: f"{n:08x}-1234-4abc-8def-{n:012x}",
    "pid": lambda n: f"pid {n}",
    "port": lambda n: f"127.0.0.1:{n % 60000 + 1000} refused",
    "line": lambda n: f"cart.py:{n}: in line {n}",
}
numbers = st.integers(0, 2**31)


def of(message: str, kind: str = "ValueError", line: int = 3) -> TestResult:
    return failed("t.py::a", crash(kind, message, frame(f"shop/cart.py:{line}", "total")))


@example("duration", 0, 1_500_000_000, "")
@example("line", 0, 1_500_000_000, "")
@example("pid", 0, 1_500_000_000, "")
@given(st.sampled_from(sorted(NOISE)), numbers, numbers, st.text("abc ,.", max_size=9))
def test_noise_does_not_change_a_fingerprint(kind: str, one: int, two: int, around: str) -> None:
    """Addresses, times, temporary paths, ports, process ids and lines are not the failure."""
    first, second = (f"{around} bad: {NOISE[kind](n)} end" for n in (one, two))

    assert fingerprint_of(of(first)) == fingerprint_of(of(second))
    assert fingerprint(run(of(first))) == fingerprint(run(of(second)))


@given(st.lists(st.sampled_from(["'a'", "1", "(2, 3)", "'x, y'"]), unique=True), st.randoms())
def test_the_order_within_braces_does_not_matter(items: list[str], chance: object) -> None:
    """A set prints in another order in another process."""
    shuffled = sorted(items, key=lambda item: hash((item, id(chance))))

    assert normalise(f"got {{{', '.join(items)}}} here") == normalise(
        f"got {{{', '.join(shuffled)}}} here"
    )


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_a_shifted_line_is_the_same_failure(one: int, two: int) -> None:
    """Code above the fault may grow."""
    assert fingerprint_of(of("x", line=one)) == fingerprint_of(of("x", line=two))


@given(st.permutations([of("x"), failed("t.py::b", crash("KeyError", "'k'")), *passed("t.py::c")]))
def test_the_order_of_tests_does_not_change_a_fingerprint(results: list[TestResult]) -> None:
    """It is a set of failures; passing tests and seconds are not in it."""
    later = [replace(result, seconds=9.0) for result in results if result.outcome.red]

    assert fingerprint(run(*results)) == fingerprint(run(*later))


@pytest.mark.parametrize(
    "other",
    [
        of("bad: 3", kind="KeyError"),
        of("bad: 4"),
        replace(of("bad: 3"), id="t.py::b"),
        failed("t.py::a", crash("ValueError", "bad: 3", frame("shop/cart.py:3", "discount"))),
        failed("t.py::a", crash("ValueError", "bad: 3", frame("shop/tax.py:3", "total"))),
    ],
)
def test_another_failure_has_another_fingerprint(other: TestResult) -> None:
    """Type, message, test and place count."""
    assert fingerprint_of(of("bad: 3")) != fingerprint_of(other)
    assert fingerprint(run(of("bad: 3"))) != fingerprint(run(of("bad: 3"), other))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            crash("NameError", "name 'totl' is not defined"),
            crash("NameError", "name 'totl' is not defined. Did you mean: 'total'?"),
        ),
        (
            crash("UnboundLocalError", "local variable 'x' referenced before assignment"),
            crash(
                "UnboundLocalError",
                "cannot access local variable 'x' where it is not associated with a value",
            ),
        ),
        (
            crash("TypeError", "add() missing 1 required positional argument: 'item'"),
            crash("TypeError", "Cart.add() missing 1 required positional argument: 'item'"),
        ),
        (
            crash("SyntaxError", "invalid syntax (cart.py, line 3)"),
            crash("SyntaxError", "expected ':' (cart.py, line 3)"),
        ),
        (
            crash("ValueError", "x", frame("a.py:3", "f"), frame("a.py:3", "<listcomp>")),
            crash("ValueError", "x", frame("a.py:3", "f")),
        ),
        (
            crash("ValueError", "", frame("a.py:3", "f"), frame("a.py:3", "f.<locals>.<listcomp>")),
            crash("ValueError", "", frame("a.py:3", "C.f")),
        ),
    ],
)
def test_interpreters_of_two_versions_agree(old: Crash, new: Crash) -> None:
    """The same fault gives the same fingerprint under an old and a new Python."""
    assert fingerprint_of(failed("a", old)) == fingerprint_of(failed("a", new))


def test_the_runner_s_explanation_is_not_part_of_the_failure() -> None:
    """Diffs and `where` lines depend on verbosity."""
    brief = of("assert [1, 2] == [1, 3]\n  \n  At index 1 diff: 2 != 3\n  Use -v to get more diff")
    long = of("assert [1, 2] == [1, 3]\n  \n  At index 1 diff: 2 != 3\n  \n  Full diff:\n    [")

    assert fingerprint_of(brief) == fingerprint_of(long)


@given(st.text())
def test_printable_text_has_no_control_characters(text: str) -> None:
    """Of the control characters, new line and tab are left; doing it twice changes nothing."""
    clean = printable(text)

    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", clean) is None
    assert printable(clean) == clean
    clean.encode()


@given(st.text())
def test_normalising_takes_any_text(text: str) -> None:
    """And no control character comes through."""
    assert "\x1b" not in normalise(text)


def test_each_error_is_one_line() -> None:
    """Test id, type and message without noise."""
    results = run(
        of("bad <X at 0x7f0000000000>\nmore"),
        failed("t.py::b", crash("AssertionError", "assert 3 == 4\n +  where 3 = f(1)")),
        *passed("t.py::c"),
    )

    assert errors(results) == (
        "t.py::a: ValueError: bad <X at <address>> more",
        "t.py::b: AssertionError: assert 3 == 4",
    )


@pytest.mark.parametrize(
    ("kind", "message", "slug"),
    [
        ("TimeoutError", "", "test_timeout"),
        ("subprocess.TimeoutExpired", "Command 'x'", "test_timeout"),
        ("app.ConfigError", "timeout unset", "config_errors"),
        ("configparser.NoSectionError", "No section: 'a'", "config_errors"),
        ("ConnectionRefusedError", "[Errno 111]", "integration_issues"),
        ("ModuleNotFoundError", "No module named 'yaml'", "dependency_missing"),
        ("SyntaxError", "invalid config", "syntax_errors"),
        ("ValueError", "request timed out", "test_timeout"),
        ("AttributeError", "nil config.secret", "config_errors"),
        ("RuntimeError", "unmet dependency foo", "dependency_missing"),
        ("AssertionError", "assert timeouts == 3", "phase2_failures"),
        ("AssertionError", "assert 3 == 4", "phase2_failures"),
    ],
)
def test_the_topic_comes_from_the_kind_of_error(kind: str, message: str, slug: str) -> None:
    """Exception types first, then words; otherwise the phase names it."""
    assert topic_slug(run(of(message, kind=kind)), "2") == slug


def test_a_test_among_integration_tests_is_an_integration_issue() -> None:
    """Its id says so; and without a phase the first is meant."""
    wrong = crash("AssertionError", "assert 3 == 4")

    assert topic_slug(run(failed("tests/integration/test_a.py::t", wrong))) == "integration_issues"
    assert topic_slug(run(failed("tests/test_a.py::t", wrong))) == "phase1_failures"


def test_a_message_that_begins_with_a_colon_s_line_is_told_whole() -> None:
    """Node puts the two values below what it says of them."""
    (told,) = errors(run(of("Expected values to be strictly equal:\n\n1 !== 0\n")))
    assert "t.py::a: ValueError: Expected values to be strictly equal: 1 !== 0" == told


def test_what_a_test_wants_is_shown_as_it_is() -> None:
    """Values may look like what differs from run to run; only what is compared is without it."""
    wanted = "assert '1.5s' == '90s' at 12:30:00 of <Meter at 0x7f3a91c2> in /tmp/tmpab12/data"
    told = failed("t.py::test_span", crash("AssertionError", wanted))

    assert error_of(told) == (
        "t.py::test_span: AssertionError: assert '1.5s' == '90s' at 12:30:00 of"
        " <Meter at <address>> in <tmp>/data"
    )
    silent = TestResult(id="go", outcome=CaseOutcome.FAILED, output="--- FAIL: want 2m, got 1.5s\n")
    assert error_of(silent) == "go: --- FAIL: want 2m, got 1.5s"


def test_errors_that_part_by_a_duration_alone_are_none_that_are_new() -> None:
    """They are compared without it."""
    before, after = (
        run(failed("t.py::a", crash("ValueError", f"too slow: {seconds} s")))
        for seconds in (3.02, 3.19)
    )

    assert compare(before, after).new_errors == ()
