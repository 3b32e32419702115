"""The demo project: two faults, the second hidden by the first."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HARBOUR = Path(__file__).parents[2] / "examples" / "harbour"
HIDDEN = {"tests/test_board.py", "tests/test_dues.py", "tests/test_planner.py"}


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    return shutil.copytree(
        HARBOUR, tmp_path / "harbour", ignore=shutil.ignore_patterns("__pycache__", ".*")
    )


def run(project: Path) -> tuple[str, set[str]]:
    """Plain pytest in a project that is not installed: its closing line, and what is red."""
    quiet = ["-q", "-p", "no:cacheprovider", "--color=no"]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "COLUMNS": "200",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *quiet],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    red = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return done.stdout.splitlines()[-1].rpartition(" in ")[0], set(red)


def mend(project: Path, path: str, current: str, should_be: str) -> None:
    file = project / path
    source = file.read_text(encoding="utf-8")
    assert source.count(current) == 1
    file.write_text(source.replace(current, should_be), encoding="utf-8")


def mend_import(project: Path) -> None:
    mend(project, "harbour/planner.py", "TideTable, next_highwater", "TideTable, next_high_water")


def mend_comparison(project: Path) -> None:
    mend(project, "harbour/berths.py", "self.start <= other.end", "self.start < other.end")


def test_at_first_three_files_cannot_be_collected(harbour: Path) -> None:
    """A name that its module no longer has hides the tests of three files."""
    assert run(harbour) == ("3 errors", HIDDEN)


def test_the_first_fix_uncovers_other_failures(harbour: Path) -> None:
    """With the import mended the suite is red for another reason, in another module."""
    mend_import(harbour)
    assert run(harbour) == (
        "3 failed, 33 passed",
        {
            "tests/test_board.py::test_the_board_lists_a_handover_at_one_berth",
            "tests/test_planner.py::test_a_berth_is_free_from_the_minute_it_is_left",
            "tests/test_planner.py::test_one_ship_may_come_as_another_leaves",
        },
    )


def test_the_second_fault_does_not_show_by_itself(harbour: Path) -> None:
    """Mending only the comparison changes nothing that can be seen."""
    mend_comparison(harbour)
    assert run(harbour) == ("3 errors", HIDDEN)


def test_with_both_mended_it_is_green(harbour: Path) -> None:
    """There are two faults and no third."""
    mend_import(harbour)
    mend_comparison(harbour)
    assert run(harbour) == ("36 passed", set())
