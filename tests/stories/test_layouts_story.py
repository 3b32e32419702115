"""Plans where another tool keeps them, from the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from builder import PRICES, ROUNDING, Builder, plan_text, till
from clew.documents.phases import read
from clew.words.phases import OverallStatus
from commandline import CommandLine

ACTIVE = ".gemini/state/active-session.md"
UPDATED = re.compile(r"(?m)^updated: .*$")
KEPT = ("# kept by hand", "owner: Grace", "Words of a person.")
FOREIGN = f"""\
---
{KEPT[0]}
session_id: till-2026
status: in_progress
{KEPT[1]}
phases:
  - id: 2
    name: Prices
    status: pending
    agents: [coder]
    planned_files: [src/till/prices.py, tests/test_prices.py]
---

{KEPT[2]}
"""


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person whose project has Maestro's files."""
    clew = CommandLine(till(tmp_path / "till"), tmp_path / "state")
    (clew.project / "clew.toml").write_text('layout = "maestro"\n')
    return clew


@pytest.mark.slow
def test_a_session_of_maestro_goes_on_in_its_own_file(clew: CommandLine, tmp_path: Path) -> None:
    """Its keys and words stay, and archiving it makes room for the next one."""
    script = {"Prices": [PRICES], "Rounding": [ROUNDING]}
    agent = ("--agent", Builder(tmp_path / "agent", script).name)
    active = clew.project / ACTIVE
    active.parent.mkdir(parents=True)
    active.write_text(FOREIGN)
    (clew.project / "plan.md").write_text(plan_text(("Rounding", "rounding", ())))
    refused = clew.run("run", "plan.md", *agent)
    assert 2 == refused.code
    assert "is active: till-2026" in refused.err
    assert 0 == clew.run("import", ACTIVE, *agent).code
    assert FOREIGN == active.read_text()
    said = clew.run("resume", "till-2026")
    assert 0 == said.code, said.out + said.err
    text = active.read_text()
    assert all(each in text for each in KEPT)
    assert OverallStatus.COMPLETED is read(text.encode()).status
    assert 0 == clew.run("archive", "till-2026").code
    kept = (active.parent / "archive" / "till-2026.md").read_text()
    assert UPDATED.sub("", text) == UPDATED.sub("", kept)  # archiving it is later, perhaps
    again = clew.run("run", "plan.md", *agent)
    assert 0 == again.code, again.out + again.err
    assert "Rounding" in active.read_text()


@pytest.mark.slow
def test_a_new_plan_is_named_as_its_tool_names_plans(clew: CommandLine) -> None:
    """And found wrong, or right, as any other."""
    assert 0 == clew.run("plan", "new", "a word counter").code
    (plan,) = (clew.project / ".gemini/plans").iterdir()
    assert plan.name.endswith("-a-word-counter-impl-plan.md")
    assert "# A word counter\n" in plan.read_text()
