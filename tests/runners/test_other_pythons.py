"""The project's Python need not be Clew's: from 3.9 on, with pytest or without."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import pytest

from clew.facts import Verdict
from clew.runners import Request
from projectplay import Play, outcomes

SUITE = """\
import unittest
import shop

class Plain(unittest.TestCase):
    def test_green(self):
        self.assertEqual(2, shop.share(4, 2))
    def test_red(self):
        self.assertEqual(3, shop.share(4, 2))
    def test_raises(self):
        shop.share(1, 0)
    def test_hang(self):
        while True:
            pass
"""
FILES = {"shop.py": "def share(a, b):\n    return a / b\n", "test_shop.py": SUITE}
ASK = "import importlib.util as u; print(u.find_spec('pytest') is not None)"


@functools.cache
def others() -> dict[str, bool]:
    """Pythons of other versions on this machine, and whether each has pytest."""
    places = [Path("/usr/bin"), Path("/usr/local/bin"), *Path.home().glob(".pyenv/versions/*/bin")]
    found = {}
    for version in ("3.9", "3.10", "3.11", "3.12", "3.13"):
        for place in places:
            python = place / f"python{version}"
            if python.exists() and version != f"{sys.version_info[0]}.{sys.version_info[1]}":
                done = subprocess.run(
                    [python, "-c", ASK], capture_output=True, text=True, check=True
                )
                found[str(python)] = done.stdout.strip() == "True"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["unittest", "pytest"])
def test_other_versions_report_the_same(play: Play, runner: str) -> None:
    """Outcomes, frames, lines and hangs are recorded alike by every Python there is."""
    play.write(FILES)
    for python, has_pytest in others().items():
        if runner == "pytest" and not has_pytest:
            continue
        request = Request(test_timeout=1, trace=True)

        report = play.report(request, flag=f"{python} -m {runner}")

        assert Verdict.FAILED is report.run.verdict, report.run.reason
        assert {"green": "passed", "red": "failed", "raises": "failed", "hang": "failed"} == {
            name.rpartition("test_")[2]: outcome for name, outcome in outcomes(report.run).items()
        }
        (crash,) = [r.crash for r in report.run.results if r.id.endswith("test_raises")]
        assert crash is not None
        assert ("shop.py", 2, {"a": "1", "b": "0"}) == (
            crash.frames[-1].path,
            crash.frames[-1].line,
            crash.frames[-1].values,
        )
        assert report.coverage is not None
        (lines,) = [v for k, v in report.coverage.lines.items() if k.endswith("test_green")]
        assert (2,) == lines["shop.py"]
