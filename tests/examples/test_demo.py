"""The demo does what the README says of it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "docs" / "sample-report.md"


@pytest.mark.slow
def test_the_demo_ends_green_after_two_iterations(tmp_path: Path) -> None:
    """Both faults are fixed, the proof holds, the tree gains reports alone; one is the sample."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "demo")],
        # With the plug-ins of this environment, as whoever types `make demo` has them.
        env=os.environ | {"TMPDIR": str(tmp_path), "CLEW_STATE_HOME": str(tmp_path / "state")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert re.findall(r"iteration (\d) of 3", said) == ["1", "2"]
    assert "proof: proven" in said
    assert set(re.findall(r"^[+-] *\S.*$", done.stdout, re.MULTILINE)) >= {
        "-from harbour.tides import TideTable, next_highwater",
        "+from harbour.tides import TideTable, next_high_water",
        "-        return self.start <= other.end and other.start < self.end",
        "+        return self.start < other.end and other.start < self.end",
    }
    assert re.findall(r"^\?\? (\S+)$", done.stdout, re.MULTILINE) == ["debug/"]
    (second,) = tmp_path.glob("*/harbour/debug/*/002_*.md")
    sample, written = SAMPLE.read_text("utf-8"), second.read_text("utf-8")
    for held in (
        r"^# .+$",
        r"^## .+$",
        r"^- \*\*Status.+$",
        r"^\*\*Recommended.+$",
        r"^Location.+$",
    ):
        assert re.findall(held, sample, re.MULTILINE) == re.findall(held, written, re.MULTILINE)
