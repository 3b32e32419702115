"""What the clock alone cut off is tried once more; what is many quick tests is not cut off."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.probe.search.suites import TimeUp
from clew.probe.search.workers import GREEN, LATE, LIBC, RED, SUBREAPER, Bounds, Pool, limited
from searchplay import DebugRun

ONCE = (
    "import os\nimport pathlib\nimport signal\n\n"
    "MARK = pathlib.Path(__file__).with_name('mark')\n\n\n"
    "def once(what):\n    if not MARK.exists():\n        MARK.touch()\n        what()\n\n\n"
    "def stop():\n    os.kill(os.getpid(), signal.SIGSTOP)\n"
)
SUMS = "def double(n):\n    return n * 3\n"
TESTS = {
    "pytest": "from sums import double\nfrom once import once, signal, stop\n\n\n"
    "def test_double():\n    got = double(4)\n    if got == 8:\n        once({what})\n"
    "    assert got == 8\n\n\n"
    "def test_more():\n    assert [double(n) for n in (1, 2, 5)] == [2, 4, 10]\n",
    "unittest": "import unittest\nfrom sums import double\n"
    "from once import once, signal, stop\n\n\n"
    "class Sums(unittest.TestCase):\n"
    "    @classmethod\n    def setUpClass(cls):\n        pass\n\n"
    "    def test_double(self):\n        got = double(4)\n        if got == 8:\n"
    "            once({what})\n        self.assertEqual(got, 8)\n\n"
    "    def test_more(self):\n"
    "        self.assertEqual([double(n) for n in (1, 2, 5)], [2, 4, 10])\n",
}


@pytest.mark.parametrize("what", ["signal.pause", "stop"])
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_a_fix_whose_test_did_not_get_to_work_is_tried_again(
    tmp_path: Path, runner: str, what: str
) -> None:
    """The test waits the first time that it would pass: the fix is found, and it is whole."""
    shop = DebugRun(tmp_path)
    shop.write({"sums.py": SUMS, "once.py": ONCE, "test_sums.py": TESTS[runner].format(what=what)})
    join = "test_sums.Sums." if runner == "unittest" else "test_sums.py::"

    answer = shop.search(join + "test_double", join + "test_more", runner=runner)

    assert (shop.root / "mark").exists()
    assert ("replace `3` by `2`", True) == tuple(
        answer.first[key] for key in ("description", "complete")
    )


@pytest.mark.slow
def test_a_fix_may_have_to_pass_more_tests_than_one_may_take(tmp_path: Path) -> None:
    """Each test has its limit, and a fix is not cut off for their number."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "sums.py": "def add(n, more):\n    return sum(range(n)) - more\n",
            "test_sums.py": "import pytest\nfrom sums import add\n\n\n"
            "def test_more():\n    assert add(3, 1) == 4\n\n\n"
            "@pytest.mark.parametrize('n', range(100))\n"
            "def test_none(n):\n    n += 1_200_000\n    assert add(n, 0) == n * (n - 1) // 2\n",
        }
    )

    answer = shop.search("test_sums.py::test_more", seconds=60)

    assert "replace `-` by `+`" == answer.first["description"]


def patient(times: int, path: Path) -> Callable[[int, Callable[[Any], None]], int]:
    """Return work of which one item stops its process so many times, before it is green."""

    def work(item: int, _tell: Callable[[Any], None]) -> int:
        with limited(1.0):
            if item == 1 and len(list(path.iterdir())) < times:
                (path / str(time.monotonic_ns())).touch()
                os.kill(os.getpid(), signal.SIGSTOP)
        return GREEN if item == 1 else RED

    return work


@pytest.fixture
def adopting() -> Iterator[None]:
    """A pool adopts what loses its parent; that of other tests would stay, dead, until the end."""
    yield
    LIBC.prctl(SUBREAPER, 0, 0, 0, 0)


@pytest.mark.usefixtures("adopting")
def test_what_was_stopped_is_tried_once_more_and_no_oftener(tmp_path: Path) -> None:
    """The second time it is alone and has more time; after that it is given up."""
    for times, outcome in ((0, GREEN), (1, GREEN), (3, LATE)):
        folder = tmp_path / str(times)
        folder.mkdir()
        pool = Pool(2, Bounds(wall=0.2))

        outcomes, _ = pool.run([0, 1, 2], patient(times, folder), time.monotonic() + 60)

        assert {0: RED, 1: outcome, 2: RED} == outcomes
        assert min(times, 2) == len(list(folder.iterdir()))


def test_the_clock_and_processor_time_are_told_apart() -> None:
    """The same exception ends both, and says which it was."""
    with pytest.raises(TimeUp) as waited, limited(5.0, 0.01):
        signal.pause()
    with pytest.raises(TimeUp) as worked, limited(0.01, 60.0):
        list(iter(lambda: None, True))

    assert [True, False] == [waited.value.waited, worked.value.waited]
