"""Tests of any language with other values in them, and what their ends tell."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.analysis.tampering import (
    CopyEnd,
    TriedValue,
    alike,
    is_given,
    new_in,
    other_values,
    told_by,
    turned,
)

SCRIPT = (
    "const { ring } = require('../src/ring.js');\n\n"
    "test('ring of 5', () => {\n"
    "  assert.strictEqual(ring(5, -3), 16);\n"
    "  assert.equal(hi('en'), \"Hel lo\");\n});\n"
)
GO = (
    'package sums\n\nimport "testing"\n\nfunc TestRing(t *testing.T) {\n'
    '\tif got := Ring(5, 3); got != 16 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'
)


def values(path: str, text: str, line: int) -> dict[str, tuple[str, ...]]:
    """Return what may stand in the place of each value."""
    found = other_values(path, text, line)
    return {others[0].was: tuple(other.now for other in others) for others in found}


def test_a_value_near_the_failure_is_replaced_by_others() -> None:
    """Those of names of tests and of modules are not values."""
    numbers = {"5": ("6", "1"), "3": ("4", "1"), "16": ("17", "5")}
    assert numbers == values("test/a.test.js", SCRIPT, 4)
    texts = {"'en'": ("'enq'", "'nev'"), '"Hel lo"': ('"Hel loq"', '"ol leHv"')}
    assert numbers | texts == values("test/a.test.js", SCRIPT, 5)
    assert numbers | texts == values("test/a.test.js", SCRIPT, 0)
    assert numbers == values("a_test.go", GO, 7)


@pytest.mark.parametrize(
    ("path", "text"), [("a.txt", "5"), ("a.js", "assert(5"), ("a.py", "assert 5")]
)
def test_what_cannot_be_read_has_no_values(path: str, text: str) -> None:
    """A language without a grammar, and a file that does not parse."""
    assert () == other_values(path, text, 1)
    assert () == turned(path, text, 1)


@pytest.mark.parametrize(
    ("path", "text", "line", "first"),
    [
        ("a.js", SCRIPT, 4, "assert.strictEqual(!(ring(5, -3)), 16)"),
        ("a.js", "test('a', () => {\n  expect(f(1)).toBe(2);\n});\n", 2, "expect(f(1)).toBe(!(2))"),
        ("a.js", "if (f(1) !== 2) process.exit(1);\n", 0, "if (f(1) === 2) process.exit(1);"),
        ("a_test.go", GO, 7, "got == 16"),
    ],
)
def test_an_assertion_is_turned(path: str, text: str, line: int, first: str) -> None:
    """It has to fail then, whatever the code does."""
    assert first in turned(path, text, line)[0].text


@pytest.mark.parametrize(
    "call",
    [
        "assert.notEqual(a, b)",
        "expect(a).not.toBe(b)",
        "assert.throws(() => f())",
        "assert(...a)",
        "log(a)",
    ],
)
def test_what_may_hold_all_the_same_is_not_turned(call: str) -> None:
    """Assertions that two things differ, functions, and calls that assert nothing."""
    assert () == turned("a.js", f"{call};\n", 1)


GREEN = CopyEnd(red=False)


def end(answer: str) -> CopyEnd:
    """Return how a failure that shows the answer ends."""
    return CopyEnd(red=True, said=f"AssertionError: {answer} !== 16")


def tried(was: str, fixed: list[CopyEnd], without: list[CopyEnd]) -> TriedValue:
    """Return a value of `assert.strictEqual(ring(5, 3), 16)` that was tried."""
    others = ("17", "5") if was == "16" else ("6", "1")
    return TriedValue(
        path="a.test.js",
        line=1,
        was=was,
        others=others,
        fixed=tuple(fixed),
        without=tuple(without),
    )


ALONE = tried("5", [end("19"), end("9")], [end("19"), end("9")])
WANTED = tried("16", [CopyEnd(red=True, said="16 !== 17"), end("")], [GREEN, end("17")])


@pytest.mark.parametrize(
    ("all_tried", "told"),
    [
        ([tried("5", [end("18"), end("8")], [end("19"), end("9")]), WANTED], ((), False, False)),
        ([ALONE, WANTED], ((ALONE,), False, False)),
        ([tried("5", [GREEN, GREEN], [end("19"), end("9")]), WANTED], ((), True, False)),
        ([tried("5", [GREEN, GREEN], [end("19"), end("9")])], ((), True, True)),
        ([tried("5", [GREEN, GREEN], [end("17"), end("17")])], ((), False, False)),
        ([tried("5", [GREEN, GREEN], [GREEN, end("9")])], ((), False, False)),
        ([], ((), False, False)),
    ],
    ids=["right", "special case", "constant", "deaf", "not given", "no words", "nothing"],
)
def test_what_other_values_tell(
    all_tried: list[TriedValue], told: tuple[tuple[TriedValue, ...], bool, bool]
) -> None:
    """A fix that shows at one value alone, and one that passes whatever it is given."""
    assert told == told_by(all_tried)


def test_an_expected_value_is_not_given() -> None:
    """Its failures differ by the value itself, and by nothing else."""
    ends = [CopyEnd(red=True, said="17 !== 18"), CopyEnd(red=True, said="17 !== 5")]
    expected = replace(WANTED, others=("18", "5"), without=tuple(ends))
    assert not is_given(expected)
    assert is_given(ALONE)


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("Expected values to be equal:\n\n19 !== 16", True),
        ("Expected values to be equal:\n\n-1.5 !== 16", True),
        ("Expected values to be equal:\n\n'a' !== 'b'", True),
        ("ENOENT: no such file or directory, open 'rowsq.json'", False),
    ],
)
def test_failures_are_alike_but_for_their_values(said: str, *, same: bool) -> None:
    """Else the test did not get as far as to the code."""
    assert same == alike(said, "Expected values to be equal:\n\n17 !== 16")


def test_a_value_that_the_fix_brings_is_new() -> None:
    """Not one that it has moved."""
    assert new_in("5", "return a + b", "if (a === 5) return 16; return a + b")
    assert new_in("'en'", "", 'if (lang == "en") return')
    assert not new_in("5", "a > 5", "a >= 5")
    assert not new_in("5", "", "a + 15 + 5.5 + b5")
