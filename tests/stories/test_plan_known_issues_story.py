"""Tests that a person lets fail in a plan: recorded, and no hindrance from then on."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder import ROUNDING, Builder, builds, plan_text, till
from commandline import CommandLine

ODD = builds(
    "odd",
    "def odd():\n    return 1\n",
    "from till.odd import odd\n\n\ndef test_odd():\n    assert odd() == 1\n"
    "\n\ndef test_elsewhere():\n    assert __name__ == 'elsewhere'\n",
)


@pytest.mark.slow
def test_a_plan_goes_on_from_tests_that_a_person_skips(tmp_path: Path) -> None:
    """The phase is merged with its known issue, and so is one that begins after it."""
    clew = CommandLine(till(tmp_path / "till"), tmp_path / "state")
    clew.env |= {"CLEW_AGENT_RETRIES": "0", "CLEW_MAX_ITERATIONS": "1"}
    builder = Builder(tmp_path / "agent", {"Odd": [ODD], "Rounding": [ROUNDING]})
    plan = plan_text(("Odd", "odd", ()), ("Rounding", "rounding", (1,)))
    (clew.project / "plan.md").write_text(plan)
    assert 1 == clew.run("run", "plan.md", "--agent", builder.name).code
    (asking,) = (w for w in clew.run("list").out.split() if w.endswith("-p1-fix1"))
    skipped = clew.run("continue", asking, "--skip-tests")
    assert 1 == skipped.code, skipped.out + skipped.err
    session = asking.partition("-p1")[0]
    stands = clew.run("status", session).out
    assert "asks: " not in stands
    assert f"clew resume {session}" in stands
    said = clew.run("resume", session)
    assert 0 == said.code, said.out + said.err
    assert "known issue of phase 1: tests/test_odd.py::test_elsewhere" in said.out
    summary = clew.project / ".clew" / "sessions" / session / "summary.md"
    assert "known issue of phase 1" in summary.read_text()
    assert "def rounded" in clew.run("diff", session).out
