"""What people do and do not write, counted in one function."""

from __future__ import annotations

import ast

import pytest

from clew.probe.search.idioms import idle, neat, slips


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("a > self.b", 0),
        ("self.b < a", 0),
        ("a > self.c", 1),
        ("a >= self.c", 1),
        ("a == self.c", 0),
    ],
)
def test_what_is_the_best_so_far_is_compared_with_the_best_so_far(test: str, found: int) -> None:
    text = f"def f(self, a):\n    if {test}:\n        self.b = a\n"

    assert found == slips(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sorted(sorted(xs))", 1),
        ("sorted(set(xs))", 0),
        ("sorted(sorted(xs), key=len)", 0),
        ("sorted(sorted(xs, key=len))", 0),
        ("len(len(xs))", 0),
        ("a - a", 1),
    ],
)
def test_what_is_done_twice_at_once_does_nothing_more(text: str, found: int) -> None:
    assert found == idle(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("xs[i - 1] + xs[i + 1]", 1),
        ("xs[i - 1] + xs[i + 2]", 0),
        ("xs[i - 2] + xs[i - 1]", 0),
        ("xs[i - 1] + ys[i + 1]", 0),
        ("grid[y - 1][x] + grid[y + 1][x] + grid[y][x - k] + grid[y][x + k]", 2),
        ("xs[i] + xs[i - 1:]", 0),
    ],
)
def test_elements_face_each_other_at_a_place(text: str, found: int) -> None:
    assert found == neat(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("list(set(xs))", 1),
        ("', '.join({x.name for x in xs})", 1),
        ("tuple(frozenset(xs))", 1),
        ("sorted(set(xs))", 0),
        ("list(dict.fromkeys(xs))", 0),
        ("len(set(xs))", 0),
    ],
)
def test_a_list_of_a_set_has_no_order_of_its_own(text: str, found: int) -> None:
    assert found == slips(ast.parse(text))
