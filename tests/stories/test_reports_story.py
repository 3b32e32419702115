from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import NO_HELP, diagnosis, recording, two_fixes

LOOPS = 3


@pytest.mark.slow
def test_loops_side_by_side_share_the_numbers_of_a_topic(clew: CommandLine, tmp_path: Path) -> None:
    """No gap, no twin, nothing overwritten; each session knows its own reports."""
    agent = two_fixes(tmp_path / "r.jsonl")
    loops = [clew.start("fix", "--again", "--json", "--agent", agent) for _ in range(LOOPS)]
    ends = [loop.communicate(timeout=300) for loop in loops]
    assert [0] * LOOPS == [loop.returncode for loop in loops], ends
    reports = sorted((clew.project / "debug").rglob("[0-9]*.md"))
    assert list(range(1, 2 * LOOPS + 1)) == [int(r.name[:3]) for r in reports]
    sessions = clew.run("list", "--json").events
    assert LOOPS == len(sessions) == len({s["session"] for s in sessions})
    for session in sessions:
        said = clew.run("show", session["session"], "--json").summary
        for path in said["reports"]:
            assert session["session"] in (clew.project / path).read_text()


@pytest.mark.slow
def test_the_number_of_a_deleted_report_is_not_given_again(
    clew: CommandLine, tmp_path: Path
) -> None:
    """What was said of report 003 yesterday is not said of another one today."""
    agent = recording(tmp_path / "r.jsonl", diagnosis("ring adds one too many", NO_HELP))
    words = ("fix", "--again", "--json", "--max-iterations", "1", "--agent", agent)
    clew.run(*words)
    first = next((clew.project / "debug").rglob("001_*.md"))
    content = first.read_bytes()
    clew.run(*words)
    next((clew.project / "debug").rglob("002_*.md")).unlink()
    clew.run(*words)
    names = sorted(path.name[:3] for path in (clew.project / "debug").rglob("[0-9]*.md"))
    assert (["001", "003"], content) == (names, first.read_bytes())
