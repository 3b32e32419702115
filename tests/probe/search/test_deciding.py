"""A condition that is changed, and decides nothing any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.search.deciding import condition
from clew.probe.search.source import Patch, Source, Splice
from searchplay import DebugRun

RATES = """class Rates:
    found = {}

    def __init__(self, table):
        self.table = table

    def rate(self, one, other):
        key = one + other
        if key not in self.found:
            self.found[key] = self.table[key]
        return self.found[key]
"""
TESTS = """from rates import Rates


def test_twice():
    rates = Rates({'ab': 2})
    assert rates.rate('a', 'b') == 2
    assert rates.rate('a', 'b') == 2


def test_two_tables():
    assert Rates({'ab': 3}).rate('a', 'b') == 3
    assert Rates({'ab': 4}).rate('a', 'b') == 4
"""


@pytest.mark.slow
def test_what_goes_around_a_condition_stands_behind(tmp_path: Path) -> None:
    """Without the memory all tests pass: the one that is shared is what is wrong."""
    shop = DebugRun(tmp_path)
    shop.write({"rates.py": RATES, "test_rates.py": TESTS})

    answer = shop.search("test_rates.py::test_two_tables")

    assert "self.found = {}" in shop.repaired(answer.first)["rates.py"]


def test_a_condition_that_goes_one_way_with_a_change_is_named(tmp_path: Path) -> None:
    """The tests took it both ways."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "grade.py": "def grade(n, ok):\n    if n and ok:\n        return 1\n    return 0\n",
            "test_grade.py": "from grade import grade\n\n\n"
            "def test_ok():\n    assert grade(7, True) == 1\n\n\n"
            "def test_more():\n    assert grade(8, False) == 1\n",
        }
    )

    answer = shop.search("test_grade.py::test_more")

    families = [each["family"] for each in answer.candidates]
    assert "one way" in families[1:]
    assert "one way" != families[0]


def test_a_condition_that_goes_both_ways_keeps_its_kind(tmp_path: Path) -> None:
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "grade.py": "def grade(n):\n    if n > 5:\n        return 'good'\n    return 'bad'\n",
            "test_grade.py": "from grade import grade\n\n\n"
            "def test_good():\n    assert grade(7) == 'good'\n\n\n"
            "def test_bad():\n    assert grade(4) == 'bad'\n\n\n"
            "def test_five():\n    assert grade(5) == 'good'\n",
        }
    )

    answer = shop.search("test_grade.py::test_five")

    assert "comparison" == answer.first["family"]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("n > 5", "n >= 5", {2, 3}),
        ("'good'", "'bad'", set()),
        ("if (n > 5", "if (n", set()),
        ("n > 5", "n >\n5", set()),
    ],
)
def test_the_lines_of_the_condition_that_a_change_lies_in(
    old: str, new: str, lines: set[int]
) -> None:
    text = "def grade(n):\n    if (n > 5\n            or not n):\n        return 'good'\n"
    assert old in text
    source = Source("a.py", text)
    at = text.index(old)
    patch = Patch("a.py", 2, "comparison", 1.0, "words", (Splice(at, at + len(old), new),))

    assert lines == condition(patch, source)
    assert frozenset() == condition(patch._replace(parts=(patch,)), source)
