from __future__ import annotations

import subprocess
import sys

import pytest

from clew.runners import Request
from projectplay import PYTEST, Play

TESTS = """\
import random
import time
from datetime import date, datetime, timezone
from unittest import TestCase

DRAWN = random.random()


class TestAll(TestCase):
    def test_chance(self):
        assert False, random.random()

    def test_import(self):
        assert False, DRAWN

    def test_sets(self):
        assert False, list({"alpha", "beta", "gamma", "delta", "epsilon"})

    def test_clock(self):
        now = time.time()
        told = [
            datetime.now().timestamp(),
            datetime.now(timezone.utc).timestamp(),
            datetime.utcnow().replace(tzinfo=timezone.utc).timestamp(),
            time.time_ns() / 1e9,
            time.clock_gettime(time.CLOCK_REALTIME),
            time.mktime(time.localtime()) + now % 1,
        ]
        assert all(abs(each - now) < 1 for each in told), told
        assert date.today() == datetime.now().date()
        assert str(date.today().year) in (time.strftime("%Y"), time.ctime()[-4:])
        assert type(datetime.now()) is datetime
        assert False, int(now)
"""


@pytest.mark.parametrize("flag", [PYTEST, f"{sys.executable} -m unittest"])
def test_what_is_settled_is_the_same_in_every_run(play: Play, flag: str) -> None:
    """Chance, the order of sets and the time; with another seed and no clock it is otherwise."""
    play.write({"test_all.py": TESTS})

    def said(request: Request) -> dict[str, str]:
        report = play.report(request, flag=flag)
        assert report.held
        return {r.id: r.crash.message for r in report.run.red if r.crash}

    once, again = (said(Request(seed=3, clock=1e9)) for _ in range(2))
    assert 4 == len(once)
    assert once == again
    assert "1000000000" in str(once)
    other = said(Request(seed=4))
    assert all(once[name] != other[name] for name in once)


SLOW = """\
import itertools, time
from clew.probe import levers
real, lost = time.time_ns, itertools.count(0, 2 * levers.BILLION)
time.time_ns = lambda: real() + next(lost)
print(levers.Levers(None, 1e9).held)
"""


def test_a_clock_that_is_set_on_a_slow_machine_is_held() -> None:
    """Two seconds pass between any two looks at the time."""
    done = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, check=True)
    assert "True\n" == done.stdout
