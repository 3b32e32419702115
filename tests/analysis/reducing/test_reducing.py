"""A failing test's literals, and what it means that it fails in the same way."""

from __future__ import annotations

import re

import pytest

from clew.analysis.reducing import TestSource, literals, side_by_side, source_of, told_by
from clew.words.facts import Crash, Frame

GIVEN = '''\
import pytest
from shop import total

PRICES = {"a": 10, **{}}
OTHER = [1, 2]


@pytest.mark.parametrize(("rows", "most"), [([1, 20], 3), ((), 0)], ids=["one", "none"])
@pytest.mark.skipif(False, reason="never")
def test_total(rows, most):
    """Adds up."""
    name: str = "Zoë"
    with pytest.raises(ValueError, match="no"):
        total(b"ab", {7, 80}, PRICES)
    assert total(rows, 300, name) == 42, "wrong"


class TestTotal:
    def test_total(self):
        self.assertEqual(total("x"), "y")
'''


def source(text: str = GIVEN, name: str = "test_total") -> TestSource:
    found = source_of(text, name)
    assert found
    return found


def written(text: str = GIVEN, name: str = "test_total") -> list[str]:
    test = source(text, name)
    data = test.text.encode()
    return [data[each.start : each.end].decode() for each in literals(test)]


def test_the_literals_are_those_that_the_code_may_be_given() -> None:
    """Not what is expected, nor names, reasons and words for people; outer ones come first."""
    assert [
        *('{"a": 10, **{}}', '"a"', "10"),
        *("[([1, 20], 3), ((), 0)]", "([1, 20], 3)", "[1, 20]", "20", "((), 0)"),
        *('"Zoë"', 'b"ab"', "{7, 80}", "80", "300"),
    ] == written()


def test_a_test_in_a_class_is_another_one() -> None:
    assert ['"x"'] == written(name="TestTotal.test_total")
    assert source_of(GIVEN, "TestTotal.test_other") is None
    assert source_of("def test_total(:", "test_total") is None


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("'abc'", (0, 2), "'ac'"),
        ("b'abc'", (), "b''"),
        ("1050", (1, 2), "5"),
        ("1050", (), "0"),
        ("[1, (2, 3)]", (1,), "[(2, 3)]"),
        ("(1, 2)", (0,), "(1,)"),
        ("(1, 2)", (), "()"),
        ("{1, 2}", (), "set()"),
        ("{1: 2, **{}}", (1,), "{**{}}"),
        ("{1: 2}", (), "{}"),
    ],
)
def test_what_is_left_of_a_literal_is_of_the_same_type(
    text: str, kept: tuple[int, ...], expected: str
) -> None:
    test = source(f"def test_a():\n    f({text})\n", "test_a")
    changed = test.changed(literals(test)[0], kept)

    assert f"def test_a():\n    f({expected})\n" == changed
    assert type(eval(text)) is type(eval(expected))  # noqa: S307 - as written above


def crash(line: int, message: str, path: str = "test_a.py") -> Crash:
    frames = (
        Frame(path="test_a.py", line=2, function="test_a", project=True),
        Frame(path=path, line=line, function="f", project=True),
        Frame(path="/lib/os.py", line=9, function="g"),
    )
    return Crash(type="AssertionError", message=message, frames=frames)


@pytest.mark.parametrize(
    ("check", "same"),
    [
        ("assert f([1]) == 2", False),  # another input is to give another value
        ("assert f(xs) == wanted", False),
        ("assert f(xs) == approx(2)", False),
        ("self.assertEqual(f(xs), 2)", False),
        ("assert f(xs) == sorted(xs)", True),  # it holds for every input
        ("assert f(xs)", True),
    ],
)
def test_a_result_has_to_stay_the_same_where_the_test_says_what_it_is(
    check: str, *, same: bool
) -> None:
    test = source(f"def test_a(xs, wanted):\n    {check}\n", "test_a")
    first, other = (told_by(crash(2, text), test, "test_a.py") for text in ("3 == 2", "4 == 2"))

    assert first
    assert first.in_test
    assert same == (first == other)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (
            "assert 2 == 3\n +  where 2 = len(['1', 'D, J'])\n +    where ['1', 'D, J'] = f('x')",
            True,
        ),
        ("assert 2 == 3\n +  where 2 = len(['', ''])\n +    where ['', ''] = f(',')", False),
        ("assert 2 == 3\n  Right contains one more item", False),
    ],
)
def test_a_result_on_the_way_has_to_stay_the_same_as_well(other: str, *, same: bool) -> None:
    """What was given to the call may become less; two cells may be right for it, or not."""
    test = source("def test_a(xs):\n    assert len(f(xs)) == 3\n", "test_a")
    said = "assert 2 == 3\n +  where 2 = len(['1', 'D, J'])\n +    where ['1', 'D, J'] = f('1,D')"

    first, second = (told_by(crash(2, text), test, "test_a.py") for text in (said, other))

    assert first
    assert same == (first == second)


MISSED = ("DID NOT RAISE ValueError", "ValueError not raised by total", "DID NOT WARN. No warnings")


@pytest.mark.parametrize("message", MISSED)
@pytest.mark.parametrize(
    "test",
    [
        "def test_a():\n    with raises(E):\n        f('GIVEN')\n",
        "def test_a():\n    raises(E, f, 'GIVEN')\n",
        "def test_a():\n    with raises(E):\n        f(x)\n\nx = 'GIVEN'\n",
        "def test_a():\n    x = 'GIVEN'\n    y = x + 'a'\n    with raises(E):\n        f(y)\n",
        "def test_a():\n    for x in ['GIVEN']:\n        with raises(E):\n            f(x)\n",
        "def test_a(self):\n    self.x = 'GIVEN'\n    with self.raises(E):\n        self.f()\n",
        "@each('x', ['GIVEN'])\ndef test_a(x):\n    with raises(E):\n        f(x)\n",
        "@each('x', X)\ndef test_a(x):\n    with raises(E):\n        f(x)\n\nX = 'GIVEN'\n",
        "def test_a():\n    x = 'GIVEN'\n    def g():\n        f(x)\n    raises(E, g)\n",
    ],
)
def test_what_is_given_stays_where_an_exception_was_to_be_raised(test: str, message: str) -> None:
    """For less of it none may be right; what does not get there may be left out."""
    line = max(at for at, each in enumerate(test.splitlines(), 1) if "raises" in each)
    test = re.sub(r"(def test_a.*\n)", r"\1    f(OTHER)\n", test)
    line += 1

    def told(given: str, other: str) -> object:
        text = test.replace("GIVEN", given).replace("OTHER", other)
        return told_by(crash(line, message), source(text, "test_a"), "test_a.py")

    assert told("no", "12") == told("no", "1")
    assert told("no", "12") != told("", "12")


def test_all_stays_where_a_helper_was_to_see_an_exception() -> None:
    """Nobody knows what of the test is given to it."""
    first, other = (
        told_by(crash(2, MISSED[0], "kit.py"), source(text, "test_a"), "test_a.py")
        for text in ("def test_a():\n    f(12)\n", "def test_a():\n    f(1)\n")
    )

    assert first
    assert first != other


@pytest.mark.parametrize(
    ("kept", "line", "behind"),
    [
        ("    f(1)\n    assert a\n", 3, "    g(2)\n    # why\n    assert b\n"),
        ("    with a:\n        f(1)\n        g(2)\n", 3, "    g(3)\n"),
        ("    f([\n        1\n    ])\n", 2, "    g(2)\n"),
        ("    f(1); g(2)\n", 2, "    h(3)\n"),
        ("    f(1)\n    g(2)\n", 9, ""),
    ],
)
def test_what_stands_behind_the_failing_statement_is_left_out(
    kept: str, line: int, behind: str
) -> None:
    """Of the test alone; a statement stays whole, and so does a test that failed elsewhere."""
    test = source(f"def test_a():\n{kept}{behind}\n\ndef test_b():\n    pass\n", "test_a")
    frames = (
        Frame(path="test_a.py", line=line, function="test_a", project=True),
        Frame(path="f.py", line=4, function="f", project=True),
    )
    failure = Crash(type="KeyError", message="", frames=frames)

    assert f"def test_a():\n{kept}\n\ndef test_b():\n    pass\n" == test.until(failure, "test_a.py")


def test_what_comes_behind_where_an_exception_was_to_be_raised_is_not_given_there() -> None:
    text = "def test_a():\n    x = 'a'\n    with raises(E):\n        f(x)\n"
    whole, cut = (
        told_by(crash(3, MISSED[0]), source(each, "test_a"), "test_a.py")
        for each in (text + "    assert x\n", text)
    )

    assert whole == cut


def test_a_failure_in_the_code_is_the_same_at_the_same_line() -> None:
    test = source("def test_a():\n    f(1)\n", "test_a")

    assert told_by(crash(7, "a", "f.py"), test, "test_a.py") == told_by(
        crash(7, "b", "f.py"), test, "test_a.py"
    )
    assert told_by(crash(7, "a", "f.py"), test, "test_a.py") != told_by(
        crash(8, "a", "f.py"), test, "test_a.py"
    )
    assert told_by(Crash(type="E", message=""), test, "test_a.py") is None


def test_a_statement_is_the_same_on_whatever_line_it_stands() -> None:
    long = source("def test_a():\n    f([\n      1,\n    ])\n    assert g(1)\n", "test_a")
    short = source("def test_a():\n    f([])\n    assert g(1)\n", "test_a")

    assert 1 == long.statement(5) == short.statement(3)
    assert (5, 3) == (long.line_of(1), short.line_of(1))
    assert 1 == short.line_of(-1)


def test_versions_stand_side_by_side_under_their_own_names() -> None:
    test = source(
        "A = 1\n\n\nclass TestA:\n    def test_a(self):\n        f(12)\n\n    B = 2\n",
        "TestA.test_a",
    )
    (number,) = literals(test)
    texts = [test.changed(number, kept) for kept in ((0,), (1,))]

    made = side_by_side(test, texts, "TestA.test_a")

    assert ("_0", "_1") == made.suffixes
    for suffix, value in zip(made.suffixes, "12", strict=True):
        assert f"f({value})" in source(made.text, f"TestA.test_a{suffix}").shown
    assert made.text.startswith("A = 1\n\n\nclass TestA:")
    assert made.text.rstrip().endswith("    B = 2")


def test_versions_that_change_what_the_file_gives_are_run_one_by_one() -> None:
    test = source("XS = [1, 2]\n\n\ndef test_a():\n    f(XS)\n", "test_a")
    texts = [test.changed(literals(test)[0], kept) for kept in ((0,), (1,))]

    assert (texts[0], ("",)) == side_by_side(test, texts, "test_a")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("too many values to unpack (expected 2)", "not enough values to unpack", False),
        ("too many values to unpack (expected 2)", "too many values to unpack (expected 3)", True),
        ("invalid literal for int() with base 10: 'a 1'", "invalid literal for int(): 'b'", True),
        ("'key17' is missing", "'k' is missing", True),
        ("Expecting value: line 3 column 1", "Expecting value: line 1 column 1", True),
    ],
)
def test_another_error_of_the_same_line_is_another_failure(
    one: str, other: str, *, same: bool
) -> None:
    """What it says of its values may differ: they are what becomes less."""
    test = source("def test_a():\n    f('a')\n", "test_a")
    first, second = (told_by(crash(9, text, "shop.py"), test, "test_a.py") for text in (one, other))
    assert same == (first == second)
