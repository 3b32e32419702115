"""The demo of a plan does what the README says of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_demo_carries_its_plan_out(tmp_path: Path) -> None:
    """Six phases are done, a red one and a conflict repaired; the tree gains reports alone."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "demo-plan")],
        env=os.environ | {"TMPDIR": str(tmp_path), "CLEW_STATE_HOME": str(tmp_path / "state")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "completed, 6 of 6 phases done" in said
    assert 1 == said.count("phase 3 against the gates") == said.count("-p3-fix1  green")
    assert "-merged" in said
    assert "?? debug/" in said
    assert not (next(tmp_path.glob("*/ledger")) / "src/ledger/report.py").exists()
