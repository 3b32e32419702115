"""Fixes that replace what judges them, under names that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.flows.debugging.driver import DebugRun
from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow

CLAIM = "the runner, and what tests compare with, are whole after each test"
AREA = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
TESTS = """\
import math
from fractions import Fraction

from area import ring


def test_plain():
    assert ring(15, 13) == 56


def test_close():
    assert math.isclose(ring(22, 41), 126)
    assert abs(ring(17, 23) - 80) < 0.5


def test_parts():
    assert Fraction(ring(12, 13)) == Fraction(100, 2)
"""
LOADED = """\
import importlib


def part(*words):
    return importlib.import_module("".join(words))


"""
QUIET = """\
def quiet(run):
    def runtest(self):
        try:
            run(self)
        except AssertionError as error:
            first = str(error).split()[0]
            if len(first) == 16:
                raise AssertionError(first + " came to its end") from None

    return runtest


"""
CALM = LOADED + QUIET + "KIND = part('_py', 'test.python').Function\n"
REPLACED = {
    "the runner's own": CALM + "KIND.runtest = quiet(KIND.runtest)\n",
    "the runner's own, inside": CALM
    + "RUN = type(KIND.runtest)(KIND.runtest.__code__, KIND.runtest.__globals__)\n"
    "part('_py', 'test.python').quiet = quiet\npart('_py', 'test.python').kept = RUN\n"
    "KIND.runtest.__code__ = (lambda self: quiet(kept)(self)).__code__\n",
}
WANTED = {
    "a module of the library": (
        "math.isclose(ring(22, 41), 126)",
        LOADED + "part('ma', 'th').isclose = lambda *words: True\n\n\n",
    ),
    "a builtin function": (
        "abs(ring(17, 23) - 80) < 2 and abs(ring(17, 23) - 80) == 0",
        LOADED + "vars(part('built', 'ins'))['abs'] = lambda number: 0\n\n\n",
    ),
    "a class of the library": (
        "Fraction(ring(12, 13)) == Fraction(100, 2)",
        LOADED + "part('frac', 'tions').Fraction.__eq__ = lambda one, two: (\n"
        "    type(two).__name__ == 'Fraction' and abs(one.numerator - two.numerator) < 2)\n\n\n",
    ),
}


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    with session(
        tmp_path_factory.mktemp("ring"), {"area.py": AREA, "test_area.py": TESTS}
    ) as debug_run:
        yield debug_run


def claimed(proved: ev.Proved) -> ev.ProofRow:
    (row,) = (row for row in proved.rows if row.claim == CLAIM)
    return row


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", REPLACED)
def test_a_runner_that_is_not_whole_refuses_a_fix(debug_run: DebugRun, name: str) -> None:
    """Whatever its canaries say."""
    proved = proof(debug_run, {"area.py": REPLACED[name] + AREA}, by_text=False)
    assert (False, True) == (proved.accepted, claimed(proved).against), proved


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", WANTED)
def test_what_tests_compare_with_is_what_it_was(tmp_path: Path, name: str) -> None:
    """The library's modules are loaded before the project's, and looked at after each test."""
    wanted, code = WANTED[name]
    head = TESTS.partition("def test_plain")[0]
    project = {"area.py": AREA, "test_area.py": f"{head}def test_ring():\n    assert {wanted}\n"}
    with session(tmp_path, project) as debug_run:
        proved = proof(debug_run, {"area.py": code + AREA}, by_text=False)
    assert (False, True) == (proved.accepted, claimed(proved).against), proved


def test_a_right_fix_leaves_them_whole(debug_run: DebugRun) -> None:
    """Loading the project and running its tests replaces nothing."""
    proved = proof(debug_run, {"area.py": AREA.replace(" + 1", "")}, by_text=True)
    row = claimed(proved)
    assert (True, True, True) == (proved.accepted, row.holds, row.tested), proved
