"""Patches whose functions give back what their annotations rule out."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from searchplay import DebugRun

TESTS = (
    "from calc import asked\n\n\ndef test_many():\n    assert asked(5) == {many}\n\n\n"
    "def test_one():\n    assert asked(1) == {one}\n"
)


def results(base: Path, module: str, *, many: object, one: object) -> list[object]:
    """Return what `asked(1)` gives with each patch that passes both tests."""
    shop = DebugRun(base)
    shop.write({"calc.py": module, "test_calc.py": TESTS.format(many=many, one=one)})
    answer = shop.search("test_calc.py::test_many", "test_calc.py::test_one", keep=30)
    found = []
    for number, each in enumerate(each for each in answer.candidates if each["complete"]):
        file = base / f"repaired_{number}.py"
        file.write_text(shop.repaired(each)["calc.py"], encoding="utf-8")
        found.append(runpy.run_path(str(file))["asked"](1))
    assert found, answer
    return found


TRUTH = """\
def asked(count){}:
    if count > 7:
        return True
    else:
        return count[0]
"""
HALF = """\
def asked(count){}:
    half = (count + 1) * 2
    return half
"""
COUNT = """\
def asked(count){}:
    return count == sum(count > 2)
"""
LOOSE = """\
def asked(count){}:
    half = (count + 1) / 2
    return half - 1
"""


@pytest.mark.slow
@pytest.mark.parametrize("annotation", [" -> bool", ' -> "bool"'])
def test_a_number_for_a_truth_is_no_candidate(tmp_path: Path, annotation: str) -> None:
    """A test that expects False is content with 0."""
    found = results(tmp_path, TRUTH.format(annotation), many=True, one=False)
    assert {bool} == {type(each) for each in found}


def test_a_fraction_for_a_whole_number_is_no_candidate(tmp_path: Path) -> None:
    assert {int} == {type(e) for e in results(tmp_path, HALF.format(" -> int"), many=3, one=1)}
    other = tmp_path / "other"
    assert float in {type(e) for e in results(other, HALF.format(""), many=3, one=1)}


def test_a_truth_for_a_number_is_no_candidate(tmp_path: Path) -> None:
    """A test that expects 1 is content with True."""
    found = results(tmp_path, COUNT.format(" -> int"), many=1, one=0)
    assert {int} == {type(each) for each in found}


def test_an_annotation_that_was_broken_before_counts_for_nothing(tmp_path: Path) -> None:
    """Its author did not mean it."""
    assert float in {type(e) for e in results(tmp_path, LOOSE.format(" -> int"), many=3, one=1)}
