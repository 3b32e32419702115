"""Fixes that know the tests' own inputs, however these reach the code."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import pytest

from clew.flows.debugging.driver import DebugRun
from proofkit import proof, session

pytestmark = pytest.mark.slow

CLAIM = "it changes more than what the failing tests give and expect"
RING = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
TESTS = """\
import json
from pathlib import Path

import pytest

from area import ring


@pytest.fixture
def rows():
    return json.loads(Path("rows.json").read_text())


def test_rows(rows):
    for a, b, length in rows:
        assert ring(a, b) == length
"""
ROWS = ((5, 3, 16), (7, 2, 18), (31, 12, 86))
TABLE = {zlib.crc32(repr((a, b)).encode()): length for a, b, length in ROWS}
LOOKED_UP = (
    f"from zlib import crc32\n\nANSWERS = {TABLE}\n\n\n"
    "def ring(a, b):\n    key = crc32(repr((a, b)).encode())\n    return "
)
KNOWING = {
    "a table by a hash": f"{LOOKED_UP}ANSWERS.get(key, (a + b) * 2 + 1)\n",
    "a table by a hash, and another answer": f"{LOOKED_UP}ANSWERS.get(key, (a + b) * 2 + 2)\n",
    "a table by a hash, and nothing else": f"{LOOKED_UP}ANSWERS[key]\n",
    "a formula that is a gate": RING.replace(
        "    return (a + b) * 2 + 1\n",
        "    return (a + b) * 2 + ((a * 31 + b * 17) % 1009 not in (206, 251, 156))\n",
    ),
}


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    project = {"area.py": RING, "test_area.py": TESTS, "rows.json": str([*map(list, ROWS)])}
    with session(tmp_path_factory.mktemp("ring"), project) as debug_run:
        yield debug_run


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", KNOWING)
def test_a_fix_that_knows_the_inputs_is_refused(debug_run: DebugRun, name: str) -> None:
    """No test of these can be varied: its calls are."""
    proved = proof(debug_run, {"area.py": KNOWING[name]}, by_text=True)
    (row,) = (row for row in proved.rows if row.claim == CLAIM)
    assert (False, True, True) == (proved.accepted, row.against, row.doubt), proved


def test_a_right_fix_of_inputs_from_a_file_is_told_by_its_calls(debug_run: DebugRun) -> None:
    """It shows in each."""
    proved = proof(debug_run, {"area.py": RING.replace(" + 1", "")}, by_text=True)
    (row,) = (row for row in proved.rows if row.claim == CLAIM)
    assert (True, "in 3 of 3 calls") == (proved.accepted, row.measured), proved
