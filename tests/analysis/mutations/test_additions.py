"""Slips in what a fix adds."""

from __future__ import annotations

import pytest

from clew.analysis.mutations import added

BEFORE = "def f(x):\n    return x[:3] if x else 0\n"


def words(after: str, path: str = "a.py", before: str = BEFORE) -> list[str]:
    return [f"{slip.operator}, {slip.words}" for slip in added(path, before, after)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "    if x > 10:\n        return x\n",
            [
                "always so, `True` for `x > 10`",
                "never so, `False` for `x > 10`",
                "other number, `(10 + 1)` for `10`",
            ],
        ),
        ("    while x:\n        x = g(x)\n", ["never so, `False` for `x`"]),
        ("    y = [z for z in x if g(z)]\n", ["always so, `True` for `g(z)`"]),
        (
            "    try:\n        g(x)\n    except E:\n        g()\n",
            ["passed on, `raise` for `g()`"],
        ),
        ("    try:\n        g(x)\n    except E:\n        raise\n", []),
        (
            "    try:\n        g(x)\n    except (E, F):\n        raise\n",
            ["lost part, `F` for `(E, F)`", "lost part, `E` for `(E, F)`"],
        ),
        (
            "    y = g(x) and x\n",
            ["lost part, `x` for `g(x) and x`", "lost part, `g(x)` for `g(x) and x`"],
        ),
        ("    if len(x) > 1:\n        x = 7\n", ["always so, `True` for `len(x) > 1`"]),
        ("    y = f'{x[7]}'\n", []),
        ("    y = True\n", []),
        ("    for y in range(1, 9):\n        x = x[2]\n", ["other number, `(9 + 1)` for `9`"]),
        ("    x = 0.0\n", ["other number, `(0.0 + 1)` for `0.0`"]),
    ],
)
def test_what_is_new_is_moved(body: str, said: list[str]) -> None:
    """A condition both ways, a handler, a number; a limit of 0, 1 or 2 stays, texts too."""
    found = words(BEFORE.replace("    return", f"{body}    return"))

    assert said == [each for each in found if each in said]
    assert len(found) == len(said) + 2 * ("len(x)" in body)


def test_what_was_there_before_is_left_alone() -> None:
    """On a line that the fix changed, and where it moved; twice what stood once is new."""
    moved = BEFORE.replace("return x[:3]", "return g(x)[:3]")
    twice = BEFORE.replace("x[:3]", "x[:3] + x[:3]")

    assert [] == words(moved)
    assert ["other number, `(3 + 1)` for `3`"] * 2 == words(twice)


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("a.py", "def f(:\n"),
        ("a.js", "if (x > 10 {}\n"),
        ("a.txt", "9\n"),
        ("a.py", "1\n" * 300_000),
    ],
)
def test_what_cannot_be_read_has_none(path: str, after: str) -> None:
    """No Python, or more of it than a person writes."""
    assert [] == words(after, path)
    assert [] == words(BEFORE, before=after) or path != "a.py"


@pytest.mark.parametrize(
    ("path", "before", "after", "said"),
    [
        (
            "a.js",
            "function f(x) {\n  return x;\n}\n",
            "function f(x) {\n  if (x > 10) return x + 1;\n  return x;\n}\n",
            [
                "always so, `(true)` for `(x > 10)`",
                "never so, `(false)` for `(x > 10)`",
                "other number, `11` for `10`",
            ],
        ),
        (
            "a.c",
            "int f(int x) {\n  return x;\n}\n",
            "int f(int x) {\n  while (g(x)) x--;\n  return x;\n}\n",
            ["never so, `(0)` for `(g(x))`"],
        ),
        (
            "a.rs",
            "fn f(x: i32) -> i32 {\n    x\n}\n",
            "fn f(x: i32) -> i32 {\n    if g(x) { return 7; }\n    x\n}\n",
            [
                "always so, `true` for `g(x)`",
                "never so, `false` for `g(x)`",
                "other number, `8` for `7`",
            ],
        ),
    ],
)
def test_other_languages_say_such_things_too(
    path: str, before: str, after: str, said: list[str]
) -> None:
    """Each with its own words for what is true, and in its brackets."""
    assert said == words(after, path, before)
