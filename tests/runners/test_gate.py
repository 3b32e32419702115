from __future__ import annotations

import sys

import pytest

from clew.runners import Request
from clew.words.facts import Verdict
from projectplay import PYTEST, Play, outcomes

TESTS = """\
import pathlib
from unittest import TestCase


class TestAll(TestCase):
    @classmethod
    def tearDownClass(cls):
        pathlib.Path("ended").touch()

    def test_a(self):
        pass

    def test_b(self):
        assert False

    def test_c(self):
        assert False

    def test_d(self):
        pass
"""
FLAGS = [PYTEST, f"{sys.executable} -m unittest"]
NAMES = {PYTEST: "test_all.py::TestAll::test_{}", FLAGS[1]: "test_all.TestAll.test_{}"}


@pytest.mark.parametrize("flag", FLAGS, ids=["pytest", "unittest"])
def test_a_run_ends_at_its_gate_when_all_of_it_is_red(play: Play, flag: str) -> None:
    """What is open is torn down, and the verdict is that of the tests that ran."""
    play.write({"test_all.py": TESTS})
    gate = tuple(NAMES[flag].format(letter) for letter in "cb")
    report = play.report(Request(first=gate, gate=gate), flag=flag)
    assert report.stopped
    assert (Verdict.FAILED, "") == (report.run.verdict, report.run.reason)
    assert dict.fromkeys(gate, "failed") == outcomes(report.run)
    assert list(gate) == [r.id for r in report.run.results]
    assert (play.worktree / "ended").exists()


@pytest.mark.parametrize("flag", FLAGS, ids=["pytest", "unittest"])
def test_one_green_test_opens_the_gate(play: Play, flag: str) -> None:
    """Then the run is as any other, but for its order."""
    play.write({"test_all.py": TESTS})
    gate = tuple(NAMES[flag].format(letter) for letter in "ba")
    report = play.report(Request(first=gate, gate=gate), flag=flag)
    assert not report.stopped
    assert 4 == len(report.run.results)


def test_what_is_done_is_not_run_again(play: Play) -> None:
    """The rest of a run that ended at its gate."""
    play.write({"test_all.py": TESTS})
    done = tuple(NAMES[PYTEST].format(letter) for letter in "bc")
    report = play.report(Request(done=done))
    assert Verdict.PASSED is report.run.verdict
    assert 2 == len(report.run.results)


@pytest.mark.parametrize("flag", FLAGS, ids=["pytest", "unittest"])
def test_a_run_ends_near_the_change_when_a_test_is_red_there(play: Play, flag: str) -> None:
    """Not before the last of them has run; where all are green it goes on."""
    play.write({"test_all.py": TESTS})
    b, a, d = (NAMES[flag].format(letter) for letter in "bad")
    report = play.report(Request(first=(a, b, d), gate=(a,), near=(b, d)), flag=flag)
    assert (True, [a, b, d]) == (report.stopped, [r.id for r in report.run.results])
    report = play.report(Request(first=(b, a, d), gate=(b, a), near=(a, d)), flag=flag)
    assert (False, 4) == (report.stopped, len(report.run.results))
