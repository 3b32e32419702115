"""What failing assertions got and wanted is brought to the text or number it came from."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.probe.search.clues import Clues, Mismatch, compared, mismatches, rewritten
from clew.probe.search.crashes import SearchCrash
from clew.probe.search.operators.constants import fitted, solved
from searchplay import DebugRun


@pytest.mark.parametrize(
    ("value", "got", "wanted", "new"),
    [
        ("Gruezi", "Gruezi", "Greetings", "Greetings"),
        ("{}, {}", "Hi, Ann", "Hi; Ann", "{}; {}"),
        ("%d itm", "3 itm", "3 items", "%d items"),
        ("Total: ", "Total: 5", "total: 5", "total: "),
        ("--colour", "usage: --colour X", "usage: --color X", "--color"),
        ("ab", "cab", "cabd", "abd"),
        (": ", "a: b", "a:b", ":"),
    ],
)
def test_a_text_is_rewritten_where_it_lies_over_the_difference(
    value: str, got: str, wanted: str, new: str
) -> None:
    assert [new] == list(rewritten(value, [Mismatch(got, wanted)]))


@pytest.mark.parametrize("value", ["", "a", "{}", "Ann", "Hi"])
def test_a_text_beside_the_difference_is_left(value: str) -> None:
    assert list(rewritten(value, [Mismatch("Hi, Ann", "Hi; Ann")])) == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("assert 562 == 90\n +  where 562 = over(5)", (562, 90)),
        ("'abc' != 'abd'\n- abc\n?   ^\n+ abd\n", ("abc", "abd")),
        ("assert 'x...' == 'x...'\n  \n    A\n  - chair 12\n  ?\n  + chair 10",
         ("chair 10", "chair 12")),
        ("assert f(1)", None),
        ("assert x == 4", None),
        ("no words", None),
        (
            "No.\n  Expected regex: 'too short \\\\(3'\n  Actual message: 'word to short (3)'",
            ("word to short (3)", "word too short (3)"),
        ),
        (
            "Regex pattern did not match.\n Regex: 'too short'\n Input: 'word to short: 3'",
            ("word to short: 3", "word too short: 3"),
        ),
        ('"too short" does not match "to short: 3"', ("to short: 3", "too short: 3")),
        ('"too [a-z]+" does not match "word to short: 3"', None),
        ("Regex pattern did not match.\n Regex: 'x'\n Input: 'abc'", None),
    ],
)  # fmt: skip
def test_both_values_are_read_from_the_message(message: str, found: tuple[Any, Any] | None) -> None:
    assert compared(message) == found


def test_values_part_within_lists_and_dicts() -> None:
    """Either side may be what was wanted."""
    crash = SearchCrash("AssertionError", "assert [1, {'a': 'x'}] == [2, {'a': 'y'}]", ())

    assert mismatches([crash, None]) == [(1, 2), (2, 1), ("x", "y"), ("y", "x")]


@given(st.text(max_size=20), st.text(max_size=30), st.text(max_size=30))
def test_any_texts_are_taken(value: str, got: str, wanted: str) -> None:
    for new in rewritten(value, [Mismatch(got, wanted)]):
        assert isinstance(new, str)


def test_numbers_are_solved_by_adding_and_multiplying() -> None:
    assert solved(8, [Mismatch(562, 90)]) == ["-464"]
    assert solved(8, [Mismatch(90, 562)]) == ["480"]
    assert solved(0.2, [Mismatch(20, 19.0)]) == ["-0.8", "0.19"]
    assert solved(5, [Mismatch("a", "b"), Mismatch(10**400, 1), Mismatch(0, 3)]) == ["8", "15"]


@pytest.mark.parametrize(
    ("code", "parted", "found"),
    [
        ("n * 400", [(400, 500), (500, 400), (800, 1000), (1000, 800)], [("500", 2), ("320", 2)]),
        ("n / 4", [(10, 8), (8, 10)], [("5", 1)]),
        ("n - 100", [(900, 890), (890, 900)], [("110", 1), ("90", 1)]),
        ("n + 0.5", [(1.5, 1.25)], [("0.25", 1)]),
        ("n * 3", [(7, 11), ("a", "b"), (0, 3), (10**400, 1)], []),
        ("f(400)", [(400, 500)], []),
    ],
)
def test_an_operand_is_fitted_to_what_was_wanted(
    code: str, parted: list[Any], found: list[tuple[str, int]]
) -> None:
    """As its sum or product asks for, by as many assertions as agree."""
    tree = ast.parse(code, mode="eval").body
    node = next(each for each in ast.walk(tree) if isinstance(each, ast.Constant))
    clues = [Mismatch(*each) for each in parted]
    assert found == fitted(node, node.value, tree, clues)  # type: ignore[arg-type]


def test_what_is_learnt_later_is_known() -> None:
    clues = Clues()
    clues.learn(["a-b", "c-d"], [["x", "y"]])

    assert (clues.marks, clues.mismatches) == (["-"], [Mismatch("x", "y")])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "call", "right"),
    [
        ("WORD = 'Gruezi'\n\n\ndef f(a):\n    return f'{WORD}, {a}'\n", "f('Ann').split(', ')[0]",
         "WORD = 'Greetings'"),
        ("LIMIT = 8\n\n\ndef f(a):\n    return max(0, a - LIMIT)\n", "f(562)", "LIMIT = 480"),
        ("def f(a):\n    return f'{a:>3} in all'\n", "f(12)", "f'{a:>3} altogether'"),
        ("def f(a):\n    return 'all: %d' % a\n", "f(12)", "'altogether: %d'"),
    ],
)  # fmt: skip
def test_a_constant_is_mended_by_what_a_test_wants(
    shop: DebugRun, code: str, call: str, right: str
) -> None:
    wanted = {"Gruezi": "'Greetings'", "LIMIT": "82", "in all": "' 12 altogether'"}
    value = next((wanted[key] for key in wanted if key in code), "'altogether: 12'")
    test = f"from code_ import f\n\n\ndef test_f():\n    assert {call} == {value}\n"
    shop.write({"code_.py": code, "test_code.py": test})

    answer = shop.search("test_code.py::test_f")

    assert right in shop.repaired(answer.first)["code_.py"]
