"""Tests that stand in code of the product."""

from __future__ import annotations

import ast

import pytest

from clew.analysis.tampering.hosting import asserts_of, kept
from clew.analysis.tampering.literals import built_in, functions

CODE = """\
LIMIT = 3
WANTED = 16


def ring(a, b):
    '''
    >>> ring(1, 1)
    4
    '''
    return (a + b) * LIMIT


def same(found):
    assert found == WANTED


class TestRing:
    def test_it(self):
        same(ring(5, 3))


def test_limit():
    assert LIMIT
"""
TESTS = ("TestRing.test_it", "test_limit")


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("* LIMIT", "* 2", True),
        ("LIMIT = 3", "LIMIT = 2", True),
        ("ring(5, 3)", "ring(5, 2)", False),
        ("WANTED = 16", "WANTED = 17", False),
        ("    assert found == WANTED", "    assert True", False),
        ("    same(", "    ring(", False),
        ("    assert LIMIT", "    assert 1", False),
        ("def test_limit", "def no_limit", False),
        ("    4\n", "    5\n", True),
        ("def ring(a, b):", "def ring(a, b)", False),
    ],
)
def test_what_a_test_in_the_product_is_made_of_is_told_from_the_rest(
    old: str, new: str, *, holds: bool
) -> None:
    """The test, what serves tests alone, and nothing that the product uses as well."""
    assert holds == kept(TESTS, CODE, CODE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("    4\n", "    5\n", False),
        (">>> ring(1, 1)", ">>> ring(1, 2)", False),
        ("    4\n", "    4\n    >>> ring(0, 0)\n    0\n", False),
        ("* LIMIT", "* 2", True),
        ("def same(found):\n", "def same(found):\n    '''>>> 1\n    1'''\n", True),
    ],
)
def test_an_example_is_kept_with_all_of_its_docstring(old: str, new: str, *, holds: bool) -> None:
    """What comes before it decides what it means; examples elsewhere may come."""
    assert holds == kept(("sums.area.ring",), CODE, CODE.replace(old, new))


EXAMPLES = """\
def area(w, h):
    \'\'\'The area.

    >>> area(17, 3)
    51
    >>> for w in (1, 2):
    ...     print(area(w, w))
    1
    4
    >>> area("a", 1)
    <object at 0x7f>
    \'\'\'
    return w + h
"""


def test_examples_are_read_as_a_test_that_asserts_them() -> None:
    """A value that is expected there is one that no fix may have built in."""
    (node,) = ast.parse(EXAMPLES).body

    said = asserts_of(node)

    assert "assert (area(17, 3)) == (51)" in said
    assert "print(area(w, w))" not in said
    assert "assert (area(\"a\", 1)) == '<object at 0x7f>'" in said
    assert "" == asserts_of(ast.parse("def area(w, h):\n    return w * h\n").body[0])
    table = EXAMPLES.replace("w + h", "{17: 51}[w]")
    found = built_in(EXAMPLES, table, functions(EXAMPLES, "shapes.area"))
    assert ["17"] == [each.literal for each in found]
