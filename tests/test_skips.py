"""A skipped test is a failure in CI, unless its reason is listed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

def test_runs():
    pass

def test_unlisted():
    pytest.skip("no such machine")

def test_listed():
    pytest.skip("python3.9 is not installed")

@pytest.mark.xfail
def test_expected_to_fail():
    assert False
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A small suite under the same rules, with a list of its own."""
    for rules in ("conftest.py", "sweeps.py"):
        shutil.copy(Path(__file__).with_name(rules), tmp_path)
    (tmp_path / "allowed_skips.txt").write_text("# known\npython3.* is not installed\n")
    (tmp_path / "test_tests.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def closing_line(suite: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "COLUMNS"}}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(suite)]
    run = subprocess.run(
        command, env=kept | environment, cwd=suite, capture_output=True, text=True, check=False
    )
    return run.stdout.splitlines()[-1].rpartition(" in ")[0]


def test_a_skip_is_a_skip_on_a_developers_machine(suite: Path) -> None:
    """Without CI nothing changes."""
    assert closing_line(suite) == "1 passed, 2 skipped, 1 xfailed"


def test_an_unlisted_skip_fails_in_ci(suite: Path) -> None:
    """With CI set, only listed reasons may skip; an expected failure stays one."""
    assert closing_line(suite, CI="true") == "1 failed, 1 passed, 1 skipped, 1 xfailed"


def test_a_file_that_skips_itself_fails_in_ci(suite: Path) -> None:
    """Nor can a whole file leave unseen."""
    (suite / "test_tests.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    assert closing_line(suite, CI="true") == "1 error"
