"""What a report and a fixer are told of a proposal: all of it, with a second way or why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine
from projects import TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing, happened

HIDDEN = TWO_FAULTS["sums/area.py"].replace("import ad\n", "import add as ad\n")
LONG = {
    "file": "sums/area.py",
    "line": 5,
    "current": "    return ad(width, height) * 2 + 1\n",
    "should_be": "    sides = ad(width, height)  # of a rectangle, as wide and high as told\n"
    "    return sides * 2\n",
}


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a project with one fault, in sums/area.py."""
    files = TWO_FAULTS | {"sums/area.py": HIDDEN}
    return CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")


@pytest.mark.slow
def test_a_lone_option_is_sent_back_once_for_a_second(clew: CommandLine, tmp_path: Path) -> None:
    """The counter stands still meanwhile; the report has what the second answer names."""
    turns = [diagnosing("the seam", LONG, others=0), diagnosing("the seam", LONG)]
    agent = Scripted(tmp_path / "agent", diagnose=turns, fix=[DONE])
    said = agent.fix(clew)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    first, second = agent.sent("diagnose")
    assert (False, True) == ("only one way" in first, "only one way" in second)
    (report,) = (clew.project / path for path in said.summary["reports"])
    text = report.read_text()
    assert "### Option 2: another way 0" in text
    (prompt,) = agent.sent("fix")
    assert str(LONG["should_be"]) in prompt
    for line in str(LONG["should_be"]).splitlines():
        assert f"+{line}" in text


@pytest.mark.slow
def test_where_there_is_no_second_way_the_report_says_so(clew: CommandLine, tmp_path: Path) -> None:
    """Nothing is made up to fill the place."""
    turns = [diagnosing("the seam", LONG, others=0)]
    agent = Scripted(tmp_path / "agent", diagnose=turns, fix=[DONE])
    said = agent.fix(clew)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert ["lone_option"] == [e["kind"] for e in happened(said, "AgentErred")]
    (report,) = (clew.project / path for path in said.summary["reports"])
    text = report.read_text()
    assert (True, False) == ("named no second way" in text, "by hand" in text), text


@pytest.mark.slow
@pytest.mark.parametrize("fails", [{"says": {"root_cause": 1}}, {"says": {}, "status": 9}])
def test_a_lone_option_counts_where_the_second_cannot_be_had(
    clew: CommandLine, tmp_path: Path, fails: dict[str, Any]
) -> None:
    """Each call after the first fails: the diagnosis is taken as it was, and counted once."""
    turns = [diagnosing("the seam", LONG, others=0), fails]
    agent = Scripted(tmp_path / "agent", diagnose=turns, fix=[DONE])
    said = agent.fix(clew)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    kinds = [e["kind"] for e in happened(said, "AgentErred")]
    assert ("lone_option", 3) == (kinds[0], len(kinds))
    assert 4 == said.summary["spent"]["total"]["calls"]
    (report,) = (clew.project / path for path in said.summary["reports"])
    assert "named no second way" in report.read_text()
    calls = tmp_path / "calls.jsonl"
    calls.write_text(clew.run("show", "--recording").out)
    again = clew.run("fix", "--json", "--again", "--agent", f"replay:{calls}")
    assert (0, "green", 1) == (again.code, again.summary["status"], again.summary["iterations"])
