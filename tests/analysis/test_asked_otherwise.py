"""A test asks something else when its own text changed, or that of what it uses."""

from __future__ import annotations

import pytest

from clew.analysis.asked_otherwise import (
    asks_otherwise,
    expects_otherwise,
    stood,
    values_alone,
)

FILE = "tests/test_cart.py"
OLD = """
RATE = 7

@pytest.fixture
def order():
    return Order(2)

def made(count):
    return Order(count)

def test_goods(order):
    assert order.goods() == 3

def test_rate():
    assert rate() == RATE

def test_made():
    assert made(1).goods() == 1

class TestCart:
    def setUp(self):
        self.cart = Cart()

    def helper(self):
        return 1

    def test_empty(self):
        assert not self.cart

    def test_one(self):
        assert self.cart.add(self.helper()) == 1
"""
IDS = [
    f"{FILE}::test_goods",
    f"{FILE}::test_rate",
    f"{FILE}::test_made",
    f"{FILE}::TestCart::test_empty",
    f"{FILE}::TestCart::test_one",
]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("== 3", "== 4", [0]),
        ("Order(2)", "Order(3)", [0]),
        ("RATE = 7", "RATE = 8", [1]),
        ("Order(count)", "Order(count + 1)", [2]),
        ("Cart()", "Cart(1)", [3, 4]),
        ("return 1\n", "return 2\n", [4]),
        ("assert not", "# a comment\n        assert not", []),
    ],
)
def test_what_a_test_uses_is_followed(old: str, new: str, expected: list[int]) -> None:
    found = asks_otherwise(IDS, {FILE: OLD}, {FILE: OLD.replace(old, new)})
    assert [IDS[each] for each in expected] == list(found)


def test_a_new_test_asks_nothing_otherwise() -> None:
    new = OLD.replace("Order(2)", "Order(3)") + "\ndef test_new(order):\n    assert order\n"
    assert () == asks_otherwise([f"{FILE}::test_new"], {FILE: OLD}, {FILE: new})


def test_a_fixture_of_a_conftest_counts() -> None:
    old, new = ({"tests/conftest.py": f"def order():\n    return {n}\n"} for n in (1, 2))
    both = {FILE: "def test_goods(order):\n    assert order\n"}
    red = [f"{FILE}::test_goods"]
    assert tuple(red) == asks_otherwise(red, old | both, new | both)


def test_ids_of_unittest_and_of_a_folder_are_read() -> None:
    new = OLD.replace("== 1\n\nclass", "== 2\n\nclass")
    shown = ["tests.test_cart.TestCart.test_one", "test_cart.py::test_made[1]"]
    assert tuple(shown[1:]) == asks_otherwise(shown, {FILE: OLD}, {FILE: new})


def test_what_cannot_be_read_tells_nothing() -> None:
    assert () == asks_otherwise(IDS, {FILE: "def broken("}, {FILE: OLD})


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("== 3", "== 4", [f"{FILE}::test_goods"]),
        ("== 3", "== 4 - 1", []),
        ("order.goods() ==", "order.sum() ==", []),
        ("self.helper()) == 1", "self.helper()) == 2", [f"{FILE}::TestCart::test_one"]),
        ("Order(2)", "Order(3)", []),
    ],
)
def test_other_values_of_the_same_calls_are_meant(old: str, new: str, expected: list[str]) -> None:
    changed = {FILE: OLD.replace(old, new)}
    assert tuple(expected) == expects_otherwise({FILE: OLD}, changed)
    assert () == expects_otherwise({FILE: OLD}, changed, besides=expected)


def test_whether_a_test_stood_is_told_by_its_file() -> None:
    there = ("sums/tests/test_cart.py", "sums/cart.py")
    assert stood("tests/test_cart.py::test_goods", {}, there)
    assert stood("tests.test_cart.TestCart.test_one", {f"sums/{FILE}": OLD}, there)
    assert not stood("tests/test_cart.py::test_new", {f"sums/{FILE}": OLD}, there)
    assert not stood("tests/test_other.py::test_goods", {}, there)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("FREE = 15  # minutes\n\n\ndef fee(m):\n    return m > FREE\n", ("FREE",)),
        ('FREE = 15\n\n\ndef fee(m):\n    """15."""\n    return m > FREE\n', ("FREE",)),
        ("FREE = 10\n\n\ndef fee(m):\n    return m >= FREE\n", ()),
        ("FREE = 15\n\n\ndef fee(m):\n    return m > FREE + 1\n", ()),
        ("FREE = 15\nMORE = 1\n\n\ndef fee(m):\n    return m > FREE\n", ()),
        ("import os\nFREE = 15\n\n\ndef fee(m):\n    return m > FREE\n", ()),
        ("FREE = 15 * HOURS\n\n\ndef fee(m):\n    return m > FREE\n", ()),
    ],
)
def test_a_commit_that_gives_names_other_values_and_does_no_more(
    new: str, expected: tuple[str, ...]
) -> None:
    """Comments and docstrings aside; a file that came or went is more."""
    old = "FREE = 10\n\n\ndef fee(m):\n    return m > FREE\n"
    assert expected == values_alone({"fees.py": old}, {"fees.py": new})
    assert () == values_alone({"fees.py": old, "more.py": "A = 1\n"}, {"fees.py": new})
    assert () == values_alone({"fees.py": old}, {"fees.py": new, "more.py": "A = 1\n"})
