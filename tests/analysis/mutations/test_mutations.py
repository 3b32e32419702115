"""Faults that are seeded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from clew.analysis.mutations import OPERATORS, SLIPS, mutations

BEFORE_AND_AFTER = {
    "lost statement": ("def f(a):\n    a.sort()\n    return a\n", "def f(a):\n    return a\n"),
    "lost branch": (
        "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
        "def f(a):\n    if a:\n        return 1\n    else:\n        pass\n",
    ),
    "open guard": (
        "def f(a):\n    if a > 1:\n        return 1\n",
        "def f(a):\n    if True:\n        return 1\n",
    ),
    "unsaved state": ("def f(self):\n    self.a = 1\n", "def f(self):\n    a = 1\n"),
    "lost keyword": (
        "def f(é):\n    return g(é, key=1, b=2)\n",
        "def f(é):\n    return g(é, b=2)\n",
    ),
    "cut chain": (
        "def f(a):\n    return a.strip().lower()\n",
        "def f(a):\n    return a.strip()\n",
    ),
    "reraising handler": (
        "def f():\n    try:\n        g()\n    except KeyError:\n        return 1\n",
        "def f():\n    try:\n        g()\n    except KeyError:\n        raise\n",
    ),
    "bare element": (
        "def f(a):\n    return [x + 1 for x in a]\n",
        "def f(a):\n    return [x for x in a]\n",
    ),
    "lost default": ("def f(a):\n    return a.get(1, 2)\n", "def f(a):\n    return a.get(1)\n"),
    "one choice": ("def f(a):\n    return 1 if a else 2\n", "def f(a):\n    return 2\n"),
    "lost fallback": ("def f(a, b):\n    return a or b\n", "def f(a, b):\n    return a\n"),
    "merged branches": (
        "def f(a):\n    if a:\n        g('é')\n    elif a:\n        g()\n    else:\n        h()\n",
        "def f(a):\n    if a or a:\n        g('é')\n    else:\n        h()\n",
    ),
    "lost entry": (
        "def f():\n    return {1: 'a', 2: 'b', 3: 'c'}\n",
        "def f():\n    return {1: 'a', 3: 'c'}\n",
    ),
    "lost cleanup": (
        "def f(a):\n    try:\n        a.b()\n    finally:\n        a.c()\n        a.d()\n",
        "def f(a):\n    try:\n        a.b()\n    finally:\n        pass\n",
    ),
    "shallow walk": (
        "def f(a):\n    for b in a:\n        yield from f(b)\n",
        "def f(a):\n    for b in a:\n        yield b\n",
    ),
    "lost kind": (
        "def f(a):\n    return isinstance(a, (int, str))\n",
        "def f(a):\n    return isinstance(a, int)\n",
    ),
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_makes_its_fault(operator: str) -> None:
    """One place changes, all else stays, byte by byte."""
    before, after = BEFORE_AND_AFTER[operator]
    assert after in {m.text for m in mutations(before) if m.operator == operator}


SLIPPED = {
    "other comparison": ("def f(a):\n    return a < 1\n", "def f(a):\n    return (a <= 1)\n"),
    "other constant": ("A = 1\n", "A = (1 + 1)\n"),
    "other arithmetic": ("def f(a):\n    return a + 1\n", "def f(a):\n    return (a - 1)\n"),
    "turned condition": ("if a:\n    b()\n", "if (not (a)):\n    b()\n"),
    "no answer": ("def f(a):\n    return a\n", "def f(a):\n    return None\n"),
    "lost branch": BEFORE_AND_AFTER["lost branch"],
    "lost keyword": BEFORE_AND_AFTER["lost keyword"],
    "cut chain": BEFORE_AND_AFTER["cut chain"],
    "lost line": ("import a\nb = 1\n", "import a\npass\n"),
    "lost import": ("import a\nb = 1\n", "pass\nb = 1\n"),
}


@pytest.mark.parametrize("operator", SLIPS)
def test_every_slip_is_made_on_the_lines_that_are_named(operator: str) -> None:
    """Inside of functions and outside, there and nowhere else."""
    before, after = SLIPPED[operator]
    every = range(1, 20)
    assert after in {m.text for m in mutations(before, SLIPS, every) if m.operator == operator}
    assert [] == list(mutations(before, SLIPS, [20]))


def test_faults_parse_differ_and_name_their_line() -> None:
    """In a module of some size, every fault is a program of its own."""
    text = ast.unparse(ast.parse(Path(ast.__file__).read_text("utf-8")))[:20_000]
    text = text[: text.rindex("\ndef ")]
    found = list(mutations(text))
    assert len({m.text for m in found} | {text}) == len(found) + 1
    lines = text.splitlines()
    for mutation in found[::25]:
        ast.parse(mutation.text)
        changed = mutation.text.splitlines()
        parting = next(n for n, (a, b) in enumerate(zip(lines, changed, strict=False), 1) if a != b)
        assert mutation.line <= parting
        assert lines[: mutation.line - 1] == changed[: mutation.line - 1]


def test_what_does_not_parse_has_no_faults() -> None:
    """It has one already."""
    assert [] == list(mutations("def f(:\n"))


def test_code_outside_of_functions_is_left_alone() -> None:
    """What runs at import would hide every test at once."""
    assert [] == list(mutations("import os\nA = os.environ.get('a', 1)\nif A > 1:\n    A = 2\n"))
