"""What people do and do not write, counted in one function."""

from __future__ import annotations

import ast

import pytest

from clew.probe.search.idioms import idle, neat, slips, unheeded


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
        ("a + b + b", 1),
        ("a + b + a", 0),
        ("a + b + 1", 0),
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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for i in range(n):\n    a(xs[i - 1])", 1),
        ("for i in range(0, n):\n    a(xs[i - 1], ys[i - 2])", 2),
        ("[xs[i] - xs[i - 1] for i in range(n)]", 1),
        ("for i in range(n):\n    if xs[i] < xs[i - 1]:\n        a()", 1),
        ("for i in range(1, n):\n    a(xs[i - 1])", 0),
        ("for i in range(n):\n    a(xs[n - 1], xs[i - k], xs[i + 1])", 0),
        ("for i in range(n):\n    if i > 0:\n        a(xs[i - 1])", 0),
        ("for i in range(n):\n    if i - 1 >= 0 and xs[i - 1]:\n        a()", 0),
        ("[xs[i] - xs[i - 1] if i else 0 for i in range(n)]", 0),
        ("for i in range():\n    a(xs[i - 1])", 0),
    ],
)
def test_nothing_stands_before_the_first_element(text: str, found: int) -> None:
    """In Python that is the last one."""
    assert found == slips(ast.parse(text))


@pytest.mark.parametrize(("key", "found"), [("a", 0), ("(a, b)", 1), ("b", 1)])
def test_what_is_kept_is_found_again_by_the_same_key(key: str, found: int) -> None:
    text = f"def f(s, a, b):\n    if a in s.c:\n        return s.c[a]\n    s.c[{key}] = b\n"
    assert found == slips(ast.parse(text))


@pytest.mark.parametrize(("used", "found"), [("g", set()), ("a", {"g"})])
def test_a_function_within_a_function_is_there_to_be_used(used: str, found: set[str]) -> None:
    text = "def f(a):\n    class C:\n        def m(self): pass\n    def g(): pass\n"
    text += f"    return {used}, C\n"
    assert found == unheeded(ast.parse(text)) - {"a"}
