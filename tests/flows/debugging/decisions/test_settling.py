"""What a person says a call has to give, as a test."""

from __future__ import annotations

import shlex

import pytest
from msgspec.structs import replace

from clew.flows.debugging.decisions.settling import can_ask, given_value, literal, value_test
from clew.words.edits import apply
from clew.words.errors import UsageError
from clew.words.facts import Unsettled

TESTS = "from stats import mean\n\n\ndef test_one():\n    assert mean([4]) == 4\n"


def told(call: str = "mean([1, 2])", module: str = "stats") -> Unsettled:
    return Unsettled(
        call=call,
        module=module,
        gives="1.5",
        other="replace `+` by `|`",
        other_gives="1.0",
        edits=(),
    )


def with_test(text: str, value: str, *, of_unittest: bool = False) -> str:
    edit = value_test("test_stats.py", text, told(), value, of_unittest=of_unittest).edit
    assert edit
    return apply({"test_stats.py": text}, (edit,))["test_stats.py"]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1.5", "1.5"),
        ("-1", "-1"),
        (" [1,2] ", "[1, 2]"),
        ("None", "None"),
        ('{"a": (1,)}', "{'a': (1,)}"),
        ("b'x'", "b'x'"),
    ],
)
def test_a_literal_is_taken_as_code_writes_it(typed: str, value: str) -> None:
    assert value == literal(typed)


@pytest.mark.parametrize(
    "typed",
    ["", " ", "x()", "x", "1 +", "__import__('os').getcwd()", "[" * 5000, "1;2", "1\n2", "{[]}"],
)
def test_what_is_no_literal_is_refused_and_nothing_is_run(typed: str) -> None:
    with pytest.raises(UsageError, match=r"literal of Python"):
        literal(typed)


@pytest.mark.parametrize(
    ("gives", "other_gives", "typed", "value"),
    [
        ("1.5", "1.0", "9", "9"),
        ("1", "2", "1.5", "1.5"),
        ("1.5", "1.0", "None", "None"),
        ("1.5", "1.0", "(1,5)", "(1, 5)"),
        ("'a'", "'b'", " (12)", "12"),
        ("1.5", "'a'", "'1,5'", "'1,5'"),
        ("None", "None", "1,5", "(1, 5)"),
        ("Decimal('1')", "1", "'a'", "'a'"),
        ("raises KeyError", "raises ValueError", "'a'", "'a'"),
    ],
)
def test_a_value_is_taken_that_is_of_a_type_that_the_changes_give(
    gives: str, other_gives: str, typed: str, value: str
) -> None:
    """None is, of any; so are what stands in brackets, and all where a type is not known."""
    offered = replace(told(), gives=gives, other_gives=other_gives)
    assert value == given_value(typed, offered, "ID")


@pytest.mark.parametrize(
    ("gives", "other_gives", "typed", "read", "given"),
    [
        ("1.5", "1.0", "1,5", "'1,5' is the tuple (1, 5), but", "1.5 (float) and 1.0 (float)"),
        ("1.5", "1", "'a'", "is the str 'a', but", "1.5 (float) and 1 (int)"),
        ("'a'", "'b'", "12", "'12' is the int 12, but", "'a' (str) and 'b' (str)"),
        ("1", "0", "True", "'True' is the bool True, but", "1 (int) and 0 (int)"),
        ("[1]", "raises KeyError", "(1,),", "is the tuple ((1,),), but", "[1] (list)"),
        ("1", "None", '"$a\'s"', 'is the str "$a\'s", but', "1 (int) and None (NoneType)"),
    ],
)
def test_a_value_of_another_type_is_refused(
    gives: str, other_gives: str, typed: str, read: str, given: str
) -> None:
    """It is told as it was understood, with what says it all the same."""
    offered = replace(told(), gives=gives, other_gives=other_gives)
    with pytest.raises(UsageError) as refused:
        given_value(typed, offered, "ID")
    assert read in refused.value.message
    assert refused.value.message.endswith(f"for `mean([1, 2])` the changes give {given}")
    meant = shlex.split(refused.value.hint.rpartition("`clew ")[2].partition("`")[0])
    assert ["answer", "ID", "value"] == meant[:3]
    assert literal(typed) == given_value(meant[3], offered, "ID")


@pytest.mark.parametrize(
    ("call", "module", "able"),
    [
        ("mean([1, 2])", "stats", True),
        ("mean(xs=[1], n=-2)", "pkg.stats", True),
        ("mean([1, 2])", "", False),
        ("Stack.push(<Stack>, 3)", "stats", False),
        ("mean(open('x'))", "stats", False),
        ("f()[0]", "stats", False),
        ("mean(1)", "stats; import os", False),
    ],
)
def test_only_a_call_by_name_with_literals_can_be_asked(call: str, module: str, able: bool) -> None:  # noqa: FBT001 -- a column of the table
    """What is told of a call comes from the project's own process, and is data."""
    assert able == can_ask(told(call, module))


def test_a_test_stands_behind_those_of_the_file() -> None:
    assert f"{TESTS}\n\ndef test_mean_1_2():\n    assert mean([1, 2]) == 1.5\n" == with_test(
        TESTS, "1.5"
    )


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        ("import stats\n", "    assert stats.mean([1, 2]) == 1.5\n"),
        ("import math\n", "    from stats import mean\n\n    assert mean([1, 2]) == 1.5\n"),
    ],
)
def test_the_function_is_imported_where_the_file_does_not_know_it(head: str, lines: str) -> None:
    text = f"{head}\n\ndef test_one():\n    pass\n"
    assert with_test(text, "1.5").endswith(f"def test_mean_1_2():\n{lines}")


@pytest.mark.parametrize(
    ("value", "line"),
    [("True", "mean([1, 2]) is True"), ("0.3", "abs(mean([1, 2]) - 0.3) < 1e-09")],
)
def test_a_value_is_compared_as_one_would(value: str, line: str) -> None:
    assert f"    assert {line}\n" in with_test(TESTS, value)


def test_a_test_of_unittest_stands_before_what_starts_the_file_as_a_program() -> None:
    text = (
        "import unittest\nfrom stats import mean\n\n\nclass Test(unittest.TestCase):\n"
        "    def test_one(self):\n        self.assertEqual(mean([4]), 4)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n'
    )
    made = with_test(text, "1.5", of_unittest=True)
    assert made.endswith(
        "\n\n\nclass TestMean12(unittest.TestCase):\n    def test_mean_1_2(self):\n"
        "        self.assertEqual(mean([1, 2]), 1.5)\n\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n'
    )


def test_the_same_answer_twice_is_one_test_and_another_one_is_a_second() -> None:
    """A process that ended between writing and telling is gone on from."""
    once = with_test(TESTS, "1.5")
    assert value_test("test_stats.py", once, told(), "1.5").edit is None
    assert "test_mean_1_2_2" == value_test("test_stats.py", once, told(), "1.0").name


@pytest.mark.parametrize("typed", ["raises ValueError", " ValueError ", "raises  ValueError"])
def test_an_error_may_be_what_a_call_has_to_end_in(typed: str) -> None:
    """One of Python's own: others would have to be imported from somewhere."""
    assert "raises ValueError" == given_value(typed, told(), "s")


@pytest.mark.parametrize("typed", ["raises Refused", "raises", "raises print", "raises x.Error"])
def test_what_is_no_error_of_python_is_no_value(typed: str) -> None:
    with pytest.raises(UsageError, match=r"literal of Python"):
        given_value(typed, told(), "s")


def test_an_error_is_asked_for_as_the_runner_asks() -> None:
    raising = with_test(TESTS, "raises ValueError")
    assert raising.endswith(
        "def test_mean_1_2():\n    import pytest\n\n"
        "    with pytest.raises(ValueError):\n        mean([1, 2])\n"
    )
    assert "    import pytest" not in with_test(f"import pytest\n{TESTS}", "raises ValueError")
    of_unittest = with_test("import unittest\n", "raises ValueError", of_unittest=True)
    assert of_unittest.endswith(
        "    def test_mean_1_2(self):\n        from stats import mean\n\n"
        "        with self.assertRaises(ValueError):\n            mean([1, 2])\n"
    )
