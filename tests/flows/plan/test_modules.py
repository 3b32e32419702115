"""Which modules an output misses, as Python says it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clew.flows.plan.modules import is_module, missed


@pytest.mark.parametrize(
    "line", ["import till.receipt", "from till import receipt", "from till.receipt import print_it"]
)
def test_a_module_that_is_not_there_is_missed_however_it_is_imported(
    line: str, tmp_path: Path
) -> None:
    """The words are those of the interpreter itself."""
    (tmp_path / "till").mkdir()
    (tmp_path / "till/__init__.py").touch()
    ran = subprocess.run(
        [sys.executable, "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ("till.receipt",) == missed(ran.stderr)


def test_a_file_or_a_package_may_be_the_module() -> None:
    """Below any folder that is on the path; a module of another package is not it."""
    assert is_module("src/till/receipt.py", "till.receipt")
    assert is_module("till/receipt/__init__.py", "till.receipt")
    assert not is_module("shop/receipt.py", "till.receipt")
