"""A run of the tests that takes more than it may is ended, and says which setting allows more."""

from __future__ import annotations

import sys

import pytest

from clew.runners import Request, build, run
from clew.sandbox import limits, resource_usage
from clew.words.facts import Verdict
from clew.words.settings import load
from projectplay import PYTEST, Folder, Play

# The kernel's bound on them is a little further up.
FORKS = "import contextlib, os, time\n    with contextlib.suppress(OSError):\n"
FORKS += "        for _ in range(6): os.fork()\n    time.sleep(60)"
FILLS = "[open(f'{n}', 'wb').write(bytes(1_000_000)) for n in range(50)]\n    import time"
EXCESSES = {
    "total_memory": ("b = b'x' * 600_000_000\n    import time; time.sleep(60)", 0.4),
    "processes": (FORKS, 40),
    "file_size": ("open('big', 'wb').write(b'x' * 9_000_000)", 0.005),
    "disk": (f"{FILLS}; time.sleep(60)", 0.02),
}


@pytest.mark.parametrize("setting", EXCESSES)
def test_a_run_over_its_limit_is_ended(
    play: Play, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """The test that took too much is red, and names the limit, whose it is, and the setting."""
    monkeypatch.setattr(
        resource_usage, "WEIGHED", 1
    )  # whatever others on this machine give back meanwhile
    monkeypatch.setattr(resource_usage, "COUNTED", 1)
    code, bound = EXCESSES[setting]
    play.write({"test_it.py": f"def test_much():\n    {code}\n\ndef test_other(): pass\n"})
    command = play.detect(PYTEST)
    play.site(command)
    site = build(
        Folder(play.root, play.root),
        play.worktree,
        command,
        scratch=play.scratch,
        limits=limits.for_tests(load((), {}, {setting: bound})),
    )
    found = run(site, command, Request(test_timeout=50), play.scratch).run
    (red,) = found.red

    assert (Verdict.FAILED, False, 2) == (found.verdict, found.timed_out, len(found.results))
    told = f"allow the tests more with the setting `{setting}`"
    assert (True, True) == (
        told in found.reason,
        red.crash is not None and told in red.crash.message,
    )


def test_a_command_over_its_limit_is_ended(play: Play) -> None:
    """The one fact that it is says so."""
    play.write({"it.py": "while True: pass"})
    command = play.detect(f"{sys.executable} it.py")
    play.site(command)
    site = build(
        Folder(play.root, play.root),
        play.worktree,
        command,
        scratch=play.scratch,
        limits=limits.for_tests(load((), {}, {"cpu_seconds": 1})),
    )

    found = run(site, command, Request(), play.scratch).run

    assert (Verdict.FAILED, True) == (found.verdict, "`cpu_seconds`" in found.reason)


def test_a_test_says_what_it_misses_here(play: Play) -> None:
    """Git's history and places to write are not kept from tests without a word."""
    play.write(
        {
            "test_it.py": "import subprocess, sqlite3\n\ndef test_git():\n"
            "    subprocess.check_output(['git', 'ls-files'])\n\n"
            "def test_db():\n"
            "    raise sqlite3.OperationalError('attempt to write a readonly database')\n\n"
            "def test_own():\n    raise OSError('no such ship')\n"
        }
    )

    crashes = {r.id[-3:]: r.crash.message for r in play.run().results if r.crash is not None}

    assert "tests have no git repository around them" in crashes["git"]
    assert "too big to be copied" in crashes["_db"]
    assert crashes["own"].endswith("no such ship")


def test_a_test_says_which_variable_it_misses_here(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that the person has, and tests are not given; of those that nobody has, nothing."""
    monkeypatch.setenv("SHOP_STEP", "1")
    told = "Set the SHOP_STEP environment variable"
    play.write(
        {
            "test_it.py": "import os\n\ndef test_key():\n    os.environ['SHOP_STEP']\n\n"
            f"def test_told():\n    raise ValueError({told!r})\n\n"
            "def test_other():\n    os.environ['SHOP_OTHER']\n"
        }
    )

    crashes = {r.id[-3:]: r.crash.message for r in play.run().results if r.crash is not None}

    remark = (
        "; tests are not given your variable SHOP_STEP: start a new session with it in `pass_env`"
    )
    expected = {"key": f"'SHOP_STEP'{remark}", "old": f"{told}{remark}", "her": "'SHOP_OTHER'"}
    assert expected == crashes
