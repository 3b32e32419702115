"""The project's Python need not be Clew's: from 3.9 on, with pytest or without."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.runners import Request
from clew.words.facts import Verdict
from matrix import environment
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
DEBIAN = Path("/usr/bin/python3")


@pytest.mark.slow
@pytest.mark.sweep(5)
@pytest.mark.parametrize("major", ["7", "8", "9"])
@pytest.mark.parametrize("words", ["-p nosuch", "-c nosuch.ini", "-W error::NoSuch", "--nosuch"])
def test_words_that_pytest_refuses_are_told_alike(play: Play, major: str, words: str) -> None:
    """Older ones raise where newer ones say so; nobody is shown where."""
    play.write(FILES)
    program = environment(play.root, "3.11", major=major) / "bin" / "python"

    run = play.run(Request(extra=tuple(words.split())), flag=f"{program} -m pytest")

    assert run.misused
    assert run.reason.startswith(f"the runner refused the words after --: {words}: ")
    assert "site-packages" not in run.reason


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("python", "runner", "major"),
    [
        ("3.9", "unittest", ""),
        ("3.10", "pytest", "7"),
        ("3.12", "unittest", ""),
        ("3.13", "pytest", "9"),
        ("system", "unittest", ""),
    ],
)
def test_other_versions_report_the_same(play: Play, python: str, runner: str, major: str) -> None:
    """Outcomes, frames, values, lines and hangs are recorded alike by every Python."""
    play.write(FILES)
    if python == "system":
        if not DEBIAN.exists():
            pytest.skip("this machine has no Python of its own")
        program = DEBIAN
    else:
        program = environment(play.root, python, major=major) / "bin" / "python"
    request = Request(test_timeout=1, trace=True)

    report = play.report(request, flag=f"{program} -m {runner}")

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
