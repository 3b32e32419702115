"""Several changes pass: how sure the repairer has to be before it decides alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, write

FILES = {
    "stats.py": "def mean(xs):\n    return sum(xs) / (len(xs) + 1)\n",
    "test_stats.py": "from stats import mean\n\n\ndef test_one():\n    assert mean([4]) == 4\n\n\n"
    "def test_three():\n    assert mean([1, 2, 6]) == 3\n",
}


@pytest.mark.slow
def test_a_person_is_shown_the_input_on_which_they_part_and_decides(tmp_path: Path) -> None:
    """`--accept high`: what is only likely waits; accepted, it is proven, and who said so told."""
    clew = CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")

    asked = clew.run("fix", "--json", "--accept", "high")
    answered = clew.run("answer", asked.summary["session_id"], "accept-1")

    assert 1 == asked.code
    said = asked.out + asked.err
    assert "the tests do not settle which change is right" in said
    part = "`mean([1, 2])` gives `1.5` with this change, and gives `1.0` with: replace `+` by `|`"
    assert part in said
    assert 1 == asked.summary["iterations"]
    assert 0 == answered.code, answered.out + answered.err
    assert "a person settled the doubt" in answered.out


@pytest.mark.slow
def test_by_default_what_is_likely_is_taken(tmp_path: Path) -> None:
    clew = CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")

    fixed = clew.run("fix")
    diff = clew.run("diff")

    assert 0 == fixed.code, fixed.out + fixed.err
    assert "+    return sum(xs) / len(xs)" in diff.out or "(len(xs))" in diff.out
