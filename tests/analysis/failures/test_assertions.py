"""What an assertion wanted, what it got, and where the two part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analysis.failures import contradictions, expectation
from clew.analysis.failures.value_diff import parting
from clew.words.facts import Frame
from failurekit import crash, failed, frame, run


@pytest.mark.parametrize(
    ("message", "code", "expected"),
    [
        (
            "assert 3 == 4\n +  where 3 = <function add at 0x7f01>(1, 2)",
            "assert add(1, 2) == 4",
            ("3", "==", "4", "add(1, 2)", "one too few"),
        ),
        (
            (
                "assert ['f'] == ['a']\n +  where ['f'] = <pages.Page object at 0x7f01>.items\n"
                " +  and   ['a'] = list('a')"
            ),
            'assert page.items == list("a")',
            ("['f']", "==", "['a']", "page.items", "item 0 is 'f' instead of 'a'"),
        ),
        (
            (
                "assert Decimal('1') == Decimal('2')\n +  where Decimal('1') = <a.R object>.sum\n"
                " +  and   Decimal('2') = <class 'decimal.Decimal'>('2')"
            ),
            "assert reader.sum == decimal.Decimal('2')",
            ("Decimal('1')", "==", "Decimal('2')", "reader.sum", ""),
        ),
        (
            (
                "assert datetime.date(2026, 1, 1) == datetime.date(2026, 1, 2)\n"
                " +  where datetime.date(2026, 1, 1) = <function day at 0x7f01>('x')"
            ),
            "assert day('x') == datetime.date(2026, 1, 2)",
            ("datetime.date(2026, 1, 1)", "==", "datetime.date(2026, 1, 2)", "day('x')", ""),
        ),
        (
            "assert 4 == 3\n +  where 3 = add(1, 2)",
            "assert 4 == add(1, 2)",
            ("3", "==", "4", "add(1, 2)", "one too few"),
        ),
        (
            (
                "AssertionError: assert 'Invoice A-7\\... 11745' == 'Invoice A-7\\... 11745'\n  \n"
                "    Invoice A-7\n  - chair  12000\n  ?         ^\n  + chair  10000\n    due 11745"
            ),
            "assert invoice.render() == TEXT",
            (
                "'chair  10000'",
                "==",
                "'chair  12000'",
                "invoice.render()",
                "the texts part at character 8: '0000' instead of '2000'",
            ),
        ),
        (
            (
                "assert 10 == 9\n +  where 10 = <pages.Page object at 0x7f01>.count\n"
                " +    where <pages.Page object at 0x7f01> = paginate([1])"
            ),
            "assert paginate(ITEMS[:90]).count == 9",
            ("10", "==", "9", "paginate(ITEMS[:90]).count", "one too many"),
        ),
        (
            "assert 10 == 9\n +  where 10 = <invoice.Invoice object at 0x7f01>.due",
            "assert invoice.due == 9",
            ("10", "==", "9", "invoice.due", "one too many"),
        ),
        ("assert 5 <= 3", "assert 5 <= f(x)", ("3", ">=", "5", "f(x)", "")),
        ("assert 'b' in 'a'", "assert 'b' in said", ("'a'", "contains", "'b'", "", "")),
        (
            "assert False\n +  where False = is_prime(7)",
            "assert is_prime(7)",
            ("False", "is true", "a true value", "is_prime(7)", ""),
        ),
        (
            "assert not True\n +  where True = is_prime(9)",
            "assert not is_prime(9)",
            ("True", "is false", "a false value", "is_prime(9)", ""),
        ),
        (
            "3 != 4",
            "self.assertEqual(add(1, 2), 4)",
            ("3", "==", "4", "add(1, 2)", "one too few"),
        ),
        (
            "4 != 3",
            "self.assertEqual(4, add(1, 2))",
            ("3", "==", "4", "add(1, 2)", "one too few"),
        ),
        (
            "False is not true",
            "self.assertTrue(ok(1))",
            ("False", "is true", "a true value", "ok(1)", ""),
        ),
        (
            "Lists differ: [1, 2] != [1, 3]\n\nFirst differing element 1:\n2\n3",
            "self.assertEqual(f(), [1, 3])",
            ("[1, 2]", "==", "[1, 3]", "f()", "item 1 is 2 instead of 3"),
        ),
        (
            "DID NOT RAISE <class 'ValueError'>",
            "with pytest.raises(ValueError):",
            ("no exception", "raises", "ValueError", "", ""),
        ),
        (
            "Expected values to be strictly equal:\n\n1 !== 0\n",
            "assert.strictEqual(total([]), 0);",
            ("1", "==", "0", "total([])", "one too many"),
        ),
        (
            "expect(received).toBe(expected) // Object.is equality\n\nExpected: 0\nReceived: 1",
            "expect(total([])).toBe(0);",
            ("1", "==", "0", "total([])", "one too many"),
        ),
        (
            "expected 'a' to be 'b' // Object.is equality",
            "expect(letter()).toBe('b');",
            ("'a'", "==", "'b'", "letter()", "the texts part at character 0: 'a' instead of 'b'"),
        ),
    ],
)
def test_expected_and_actual_are_told_apart(
    message: str, code: str, expected: tuple[str, ...]
) -> None:
    """In the words of pytest, unittest, Node, Jest and Vitest, wherever the literal stands."""
    found = expectation(crash("AssertionError", message, frame("t.py:1", "t", code)))

    assert found is not None
    assert (found.actual, found.relation, found.expected, found.call, found.parting) == expected


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            (
                "assert [0, 1, 2, 3, 4, 5, ...] == [0, 1, 2, 3, 4, 5, ...]\n"
                "  Right contains one more item: 40"
            ),
            ("[0, 1, 2, 3, 4, 5, …]", "[0, 1, 2, 3, 4, 5, …]", "Right contains one more item: 40"),
        ),
        (
            "assert [0, 1, 2, 3, 4, 5, ...] == [0, 1, 2]\n  Left contains 37 more items",
            ("[0, 1, 2, 3, 4, 5, …]", "[0, 1, 2]", "Left contains 37 more items"),
        ),
        (
            "assert {'0': 0, '1':..., '3': 3, ...} == {}\n  Left contains 20 more items:",
            ("{'0': 0, '1':…, '3': 3, …}", "{}", "Left contains 20 more items:"),
        ),
        ("assert 'aaaaaaaaaaaa...ccccccccccccc' == ''", ("'aaaaaaaaaaaa…ccccccccccccc'", "''", "")),
        (
            "assert 'wait...' == 'wait'",
            ("'wait...'", "'wait'", "it continues with '...'"),
        ),
        (
            "assert ['so on ...'] == []",
            ("['so on ...']", "[]", "1 too many at the end: ['so on ...']"),
        ),
    ],
)
def test_where_pytest_cuts_a_value_the_cut_is_no_part_of_it(
    message: str, told: tuple[str, str, str]
) -> None:
    """Its `...` looks like three dots of a text, or like an item."""
    found = expectation(crash("AssertionError", message))

    assert found
    assert told == (found.actual, found.expected, found.parting)


def test_a_long_argument_is_cut_in_a_call_too() -> None:
    long = f"'{'a' * 118}...{'b' * 118}'"
    message = f"assert 1 == 2\n +  where 1 = count({long}, 3)"

    found = expectation(crash("AssertionError", message))

    assert found
    assert "..." not in found.call


def test_the_line_that_asserts_is_the_project_s_own() -> None:
    """The frames of unittest within it do not count."""
    found = expectation(
        crash(
            "AssertionError",
            "4 != 3",
            frame("t.py:1", "t", "self.assertEqual(4, add(1, 2))"),
            Frame(path="/usr/lib/unittest/case.py", line=9, function="fail", code="raise x"),
        )
    )

    assert found is not None
    assert (found.actual, found.expected, found.call) == ("3", "4", "add(1, 2)")


def test_a_call_is_shown_as_written_where_its_values_say_nothing() -> None:
    """`<Item object at 0x…>` tells nobody what was passed."""
    message = "assert 3 == 4\n +  where 3 = total([<shop.Item object at 0x7f5ceb6b1710>])"
    found = expectation(
        crash("AssertionError", message, frame("t.py:1", "t", "assert total([Item(5)]) == 4"))
    )

    assert found is not None
    assert found.call == "total([Item(5)])"


@pytest.mark.parametrize(
    "message",
    [
        "expect(received).not.toBe(expected)\n\nExpected: not 1",
        "expected 1 not to be 1 // Object.is equality",
        "The expression evaluated to a falsy value:\n\n  assert.ok(false)\n",
    ],
)
def test_what_javascript_says_otherwise_is_left_as_it_is(message: str) -> None:
    """Two values are not made of words that are none."""
    assert expectation(crash("AssertionError", message)) is None


def test_a_crash_that_is_no_assertion_expects_nothing() -> None:
    """A KeyError has no expected value."""
    assert expectation(crash("KeyError", "'a'")) is None


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ("'Hello'", "'hello'", "only upper and lower case differ"),
        ("'a '", "'a'", "only the white space around the text differs"),
        ("'abc'", "'abd'", "the texts part at character 2: 'c' instead of 'd'"),
        ("'ab'", "'abc'", "it ends early: 'c' is missing"),
        ("'abc'", "'ab'", "it continues with 'c'"),
        ("[2, 1]", "[1, 2]", "the items are right, their order is not"),
        ("[1]", "[1, 2]", "1 missing at the end: [2]"),
        ("(1, 2, 3)", "(1,)", "2 too many at the end: (2, 3)"),
        ("{'a': 1}", "{'a': 2, 'b': 3}", "it lacks 'b'; 'a' is 1 instead of 2"),
        ("{1, 2}", "{2, 3}", "it lacks 3; it adds 1"),
        ("-3", "3", "the sign is reversed"),
        ("2.5", "1.25", "1.25 too large"),
        ("None", "3", "None instead of int 3"),
        ("'3'", "3", "str '3' instead of int 3"),
        ("<object>", "3", ""),
    ],
)
def test_the_place_where_two_values_part_is_named(actual: str, expected: str, words: str) -> None:
    """In words a reader needs no diff for."""
    assert parting(actual, expected) == words


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(values, values)
def test_any_two_values_can_be_compared(left: object, right: object) -> None:
    """And equal ones do not part."""
    assert isinstance(parting(repr(left), repr(right)), str)
    assert parting(repr(left), repr(left)) == ""


@given(st.text())
def test_any_message_can_be_read(text: str) -> None:
    """Whatever a test printed, nothing is raised."""
    expectation(crash("AssertionError", text, frame("t.py:1", "t", text)))
    expectation(crash("AssertionError", f"assert {text}", frame("t.py:1", "t", f"assert {text}")))


def test_two_tests_that_want_different_answers_contradict_each_other() -> None:
    """The call and both answers are named; equal answers are no contradiction."""
    one = failed("a", crash("AssertionError", "", frame("t.py:1", "a", "assert add(1, 2) == 3")))
    two = failed("b", crash("AssertionError", "", frame("t.py:4", "b", "assert 4 == add(1, 2)")))

    (pair,) = contradictions(run(one, two))

    assert (pair.call, pair.first_expects, pair.second_expects) == ("add(1, 2)", "3", "4")
    assert contradictions(run(one)) == ()
