"""Runs in copies of one process."""

from __future__ import annotations

import sys

import pytest

from clew.runners import Request
from clew.words.facts import Verdict
from projectplay import PYTEST, Play

CODE = """\
import os, random, unittest

AT_LOAD = random.random()
PLACE = {"a", "b", "c", "d", "e", "f", "g"}


class TestThings(unittest.TestCase):
    def test_steady(self):
        self.assertTrue(True)

    def test_red(self):
        self.assertTrue(False)

    def test_chance(self):
        self.assertTrue(random.random() < 0.5)

    def test_chance_at_load(self):
        self.assertTrue(AT_LOAD < 0.5)

    def test_module_is_new(self):
        PLACE.add("used")
        self.assertTrue(len(PLACE) == 8)

    def test_leaves(self):
        self.assertTrue(not os.environ.get("LEFT"))
        os.environ["LEFT"] = "1"

    def test_z_ends_the_process(self):
        os._exit(7)
"""


@pytest.mark.parametrize("flag", [PYTEST, f"{sys.executable} -m unittest"])
def test_every_copy_is_like_a_new_process(play: Play, flag: str) -> None:
    """Chance is its own, also when the code loads; nothing of one is left to the next."""
    play.write({"test_thing.py": CODE})
    report = play.report(Request(copies=12, timeout=100.0), flag=flag)
    assert Verdict.FAILED is report.run.verdict
    assert 12 == len(report.copies)

    def ends(name: str) -> set[str]:
        return {
            word
            for each in report.copies
            for word, tests in (("red", each.red), ("green", each.passed))
            if any(test.endswith(name) for test in tests)
        }

    assert {"green"} == ends("test_steady") == ends("test_module_is_new") == ends("test_leaves")
    assert {"red"} == ends("test_red") == ends("test_z_ends_the_process")
    assert {"red", "green"} == ends("test_chance") == ends("test_chance_at_load")


LEFT = """\
import pathlib, sys

HERE = pathlib.Path(__file__).parent


def pytest_unconfigure():
    with (HERE / "loaded.txt").open("a") as file:
        file.write("hypothesis\\n" if "hypothesis" in sys.modules else "nothing\\n")
"""
UNUSED = "def test_green():\n    pass\n"
USED = """\
from hypothesis import given, strategies


@given(strategies.booleans())
def test_green(value):
    pass
"""


@pytest.mark.parametrize(("code", "loaded"), [(UNUSED, "nothing"), (USED, "hypothesis")])
@pytest.mark.parametrize("copies", [0, 2])
def test_hypothesis_is_not_loaded_for_a_run_that_does_not_use_it(
    play: Play, code: str, loaded: str, copies: int
) -> None:
    """Its plug-in loads it to sum up, which took longer than most tests, in each copy anew.

    Warnings are errors: what is loaded before pytest is would end the run.
    """
    settings = "[pytest]\nfilterwarnings = error\naddopts = -p _hypothesis_pytestplugin\n"
    play.write({"test_thing.py": code, "conftest.py": LEFT, "pytest.ini": settings})
    report = play.report(Request(copies=copies, timeout=100.0), flag=PYTEST)
    assert Verdict.PASSED is report.run.verdict, report.run.reason
    assert copies == len(report.copies)
    told = (play.worktree / "loaded.txt").read_text().split()
    assert [loaded] * (copies or 1) == told


def test_a_plug_in_that_is_switched_off_is_none_to_take_away(play: Play) -> None:
    """pytest keeps a blocked one as nothing, and Hypothesis's plug-in was nothing as well."""
    play.write({"test_thing.py": UNUSED, "pytest.ini": "[pytest]\naddopts = -p no:cacheprovider\n"})
    report = play.report(Request(timeout=100.0), flag=PYTEST)
    assert Verdict.PASSED is report.run.verdict, report.run.reason
