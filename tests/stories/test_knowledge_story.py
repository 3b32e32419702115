"""What a proven fix taught: written once, linked both ways, and brought to mind again."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.documents import knowledge
from clew.git.project import locate
from commandline import CommandLine
from projects import git, two_fixes
from treestate import fingerprint

PLACE = Path("debug") / "knowledge-base.md"
OWN = "# Ours\r\n\r\n## older — Something older\n- **Fix:** none\n\n```\nleft open"


def entries(clew: CommandLine) -> tuple[knowledge.ParsedEntry, ...]:
    return knowledge.parse((clew.project / PLACE).read_bytes().decode())


def why_not_caught(clew: CommandLine) -> list[str]:
    lines = (clew.project / PLACE).read_text().splitlines()
    return [line for line in lines if line.startswith("- **Why not caught**")]


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


@pytest.mark.slow
def test_a_run_with_a_fix_is_none_of_the_code_without(clew: CommandLine, tmp_path: Path) -> None:
    """Not in its worktree, and not where it was applied, seen green, and taken out again."""
    for again in range(2):
        agent = two_fixes(tmp_path / f"{again}.jsonl")
        said = clew.run("fix", "--json", "--again", "--agent", agent)
        assert 0 == said.code, said.err
        assert 0 == clew.run("apply").code
        if not again:
            assert "nothing_to_do" == clew.run("fix", "--json").summary["status"]
            git(clew.project, "checkout", "--", "sums")

    told = "- **Why not caught**: No passing run of these tests on the code without a fix"
    assert [f"{told} is on record."] * 2 == why_not_caught(clew)


@pytest.mark.slow
def test_a_run_of_the_code_without_a_fix_tells_when_the_tests_last_passed(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Whoever reads it knows when to look for what broke them."""
    area = clew.project / "sums" / "area.py"
    faulty = area.read_text()
    area.write_text(
        "from sums.add import add as ad\n\n\ndef ring(w, h):\n    return ad(w, h) * 2\n"
    )
    green = clew.run("fix", "--json").summary
    assert "nothing_to_do" == green["status"]
    area.write_text(faulty)
    assert 0 == clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl")).code

    (told,) = why_not_caught(clew)
    assert "The tests last passed, as far as Clew ran them, on 20" in told
    assert f"({green['session_id']}); what broke them came later." in told
