"""What an escalation advises: of the tests only where something points at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine
from projects import NO_HELP, TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing

CODE = TWO_FAULTS | {
    "sums/area.py": TWO_FAULTS["sums/area.py"].replace("import ad\n", "import add as ad\n")
}
OWN = TWO_FAULTS | {
    "sums/area.py": CODE["sums/area.py"].replace(" + 1", ""),
    "tests/test_own.py": "def test_half():\n    assert half(4) == 2\n",
}
USELESS = {
    "file": "sums/add.py",
    "line": 1,
    "current": "def add(a, b):\n",
    "should_be": "def add(a, b, c=0):\n",
}
THERE = diagnosing("the wrong sum is asked for", NO_HELP)
THERE["says"]["root_cause_location"] = {"file": "tests/test_area.py", "line": 5}
WRONG = diagnosing("no area is zero", NO_HELP)
WRONG["says"]["failure_classification"] = "task_spec_error"


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("files", "turn", "advice"),
    [
        (CODE, diagnosing("seven too many", NO_HELP), ""),
        (
            CODE,
            THERE,
            "The diagnosis of iteration 1 finds the fault in `tests/test_area.py`",
        ),
        (CODE, WRONG, "The diagnosis of iteration 1 "),
        (
            OWN,
            diagnosing("half is not to be found", USELESS),
            "The failing tests fail in their own code, as `tests/test_own.py` does",
        ),
    ],
)
def test_the_tests_are_doubted_only_where_something_points_at_them(
    tmp_path: Path, files: dict[str, str], turn: dict[str, Any], advice: str
) -> None:
    """That all red tests lie in one file says nothing against them."""
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    said = Scripted(tmp_path / "agent", diagnose=[turn], fix=[DONE]).fix(
        clew, "--max-iterations", "1"
    )
    assert (1, "waiting") == (said.code, said.summary["status"]), said
    shown = clew.run("show").out
    assert "check that its tests are right" not in shown
    (*_, steps) = shown.partition("next steps:")
    assert bool(advice) == ("check that the tests demand what you want" in steps), steps
    assert advice in steps


@pytest.mark.slow
def test_the_line_of_a_test_that_cannot_import_speaks_against_no_test(tmp_path: Path) -> None:
    """The built-in repairer names it as the place where it fails, and finds no fault in it."""
    files = {
        "src/shop/__init__.py": "",
        "src/shop/cart.py": "def total(prices):\n    return sum(prices)\n",
        "tests/test_cart.py": "import shop.cart\n\n\ndef test_all():\n    shop.cart.total([])\n",
    }
    clew = CommandLine(commit_all(write(tmp_path / "shop", files)), tmp_path / "state")
    said = clew.run("fix")
    assert 1 == said.code, said.err
    assert "(tests/test_cart.py:1)" in said.err
    assert "next steps:" in said.out
    assert "check that the tests demand what you want" not in said.out
