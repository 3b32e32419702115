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


LOADED = """\
import sys


def test_loaded():
    assert "hypothesis.internal.observability" in sys.modules
"""


def test_what_hypothesis_loads_at_the_end_is_loaded_once_for_all_copies(play: Play) -> None:
    """Each copy took a second to load it for itself, however short the test was."""
    play.write({"test_thing.py": LOADED})
    report = play.report(Request(copies=2, timeout=100.0), flag=PYTEST)
    assert [frozenset({"test_thing.py::test_loaded"})] * 2 == [r.passed for r in report.copies]
