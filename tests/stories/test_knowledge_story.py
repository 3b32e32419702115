"""What a proven fix taught: written once, linked both ways, and brought to mind again."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.documents import knowledge
from clew.git.project import locate
from commandline import CommandLine
from projects import two_fixes
from treestate import fingerprint

PLACE = Path("debug") / "knowledge-base.md"
OWN = "# Ours\r\n\r\n## older — Something older\n- **Fix:** none\n\n```\nleft open"


def entries(clew: CommandLine) -> tuple[knowledge.ParsedEntry, ...]:
    return knowledge.parse((clew.project / PLACE).read_bytes().decode())


def linked(document: Path) -> set[Path]:
    """Every file that a document links."""
    text = document.read_text()
    targets = [part.partition(")")[0] for part in text.split("](")[1:]]
    return {(document.parent / target.partition("#")[0]).resolve() for target in targets}


@pytest.mark.slow
def test_a_proven_fix_is_written_down_and_linked_both_ways(
    clew: CommandLine, tmp_path: Path
) -> None:
    """An entry behind what a person wrote; entry, summary and reports lead to one another."""
    (clew.project / "debug").mkdir()
    (clew.project / PLACE).write_bytes(OWN.encode())
    before = fingerprint(locate(clew.project))
    said = clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    assert 0 == said.code, said.err
    assert before == fingerprint(locate(clew.project))
    assert (clew.project / PLACE).read_bytes().startswith(OWN.encode())
    older, ours = entries(clew)
    assert ("older", "sums/area.py" in ours.files) == (older.slug, True)
    assert "a name that does not exist" in ours.cause
    assert "one too many" in ours.cause
    session = said.summary["session_id"]
    summary = clew.project / ".clew" / "sessions" / session / "summary.md"
    reports = {(clew.project / path).resolve() for path in said.summary["reports"]}
    place = (clew.project / PLACE).resolve()
    assert {summary.resolve(), *reports} <= linked(place)
    assert {place, *reports} <= linked(summary)
    assert f"[{ours.slug}]" in summary.read_text()
    assert all({summary.resolve()} <= linked(report) for report in reports)
