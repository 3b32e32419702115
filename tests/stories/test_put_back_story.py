"""A regression over several lines is mended offline, by what a commit took away."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, git, write

PROJECT = {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'}
RIGHT = """def grouped(rows):
    totals = {}
    for name, amount in rows:
        if amount < 0:
            continue
        key = name.strip().lower()
        totals[key] = totals.get(key, 0) + amount
    return totals
"""
WRONG = """def grouped(rows):
    totals = {}
    for name, amount in rows:
        totals.setdefault(name.strip(), amount)
    return totals
"""
NEWER = "\n\ndef names(rows):\n    return sorted(grouped(rows))\n"
TEST = """from prices import grouped, names


def test_names():
    assert names([("b", 1), ("a", 2)]) == ["a", "b"]


def test_refunds_do_not_count():
    assert grouped([("Ann", 9), ("Bob", 4), ("bob", 4), ("Bob", -9)]) == {"ann": 9, "bob": 8}
"""


@pytest.mark.slow
def test_a_regression_is_mended_by_what_was_there_before(tmp_path: Path) -> None:
    """The test is newer than the fault, and what came after the fault stays."""
    root = commit_all(write(tmp_path / "prices", PROJECT | {"prices.py": RIGHT}))
    commit_all(write(root, {"prices.py": WRONG}))
    commit_all(write(root, {"prices.py": WRONG + NEWER, "test_prices.py": TEST}))
    clew = CommandLine(root, tmp_path / "state")

    said = clew.run("fix", "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said
    assert clew.run("apply").code == 0
    assert RIGHT + NEWER == (root / "prices.py").read_text("utf-8")
    report = next((root / "debug").rglob("001_*.md")).read_text("utf-8")
    assert "put back `grouped` as it was before" in report


LOST = """def rate(year, rates):
    return rates[1]
"""
KEPT = """def rate(year, rates):
    return rates[0] if year < 2007 else rates[1]
"""
RATE_TEST = """from tax import rate


def test_rate():
    assert rate(2007, (16, 19)) == 19


def test_rate_of_long_ago():
    assert rate(2006, (16, 19)) == 16
"""


@pytest.mark.slow
def test_what_stood_there_is_not_doubted_for_its_constants(tmp_path: Path) -> None:
    """A person wrote it, and not for this test: nobody is asked."""
    project = commit_all(write(tmp_path / "shop", PROJECT | {"tax.py": KEPT}))
    write(project, {"tax.py": LOST})
    git(project, "commit", "-qam", "Read the rate of today")
    commit_all(write(project, {"tests/test_tax.py": RATE_TEST}))
    clew = CommandLine(project, tmp_path / "state")
    said = clew.run("fix", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert 0 == clew.run("apply").code
    assert KEPT == (project / "tax.py").read_text()
