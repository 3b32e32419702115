from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.runners import Disguise, Request, places_of_hangs, rounds
from clew.words.facts import CaseOutcome, Phase, Verdict
from projectplay import Play, named, outcomes

CODE = """\
def share(total, people):
    part = total / people
    return part
"""

EVERY_OUTCOME = """\
import sys
import unittest
import pytest
from shop import share

def test_green():
    assert share(4, 2) == 2

def test_red():
    print("seen on stdout")
    assert share(4, 2) == 3, "half of four"

def test_raises():
    share(1, 0)

@pytest.fixture
def broken():
    raise KeyError("set-up")

def test_setup(broken):
    pass

@pytest.fixture
def brittle():
    yield
    raise OSError("tear-down")

def test_teardown(brittle):
    pass

@pytest.mark.skip(reason="later")
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert False

@pytest.mark.xfail
def test_surprise():
    pass

@pytest.mark.xfail(strict=True)
def test_strict():
    pass

def test_leaves():
    sys.exit(3)

@pytest.mark.parametrize("text", ["a/b::c [d]", "é", "\\0", "\\udc80"])
def test_odd(text):
    assert text

class TestCase(unittest.TestCase):
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(1, n)
"""


def test_every_outcome_is_told_apart(
    play: Play,
) -> None:
    """Each way a test can end has its own outcome, phase and exception, whatever pytest prints."""
    play.write({"shop.py": CODE, "test_shop.py": EVERY_OUTCOME})

    run = play.run()

    assert {
        "green": "passed",
        "red": "failed",
        "raises": "failed",
        "setup": "error",
        "teardown": "error",
        "skipped": "skipped",
        "expected": "xfailed",
        "surprise": "xpassed",
        "strict": "failed",
        "leaves": "failed",
    } == {
        name.removeprefix("test_shop.py::test_"): outcome
        for name, outcome in outcomes(run).items()
        if "odd" not in name and "TestCase" not in name
    }
    assert 4 == sum("test_odd" in name for name in outcomes(run))
    assert "failed" == named(run, "test_parts").outcome
    assert Verdict.FAILED is run.verdict
    assert 1 == run.exit_code
    assert (Phase.SETUP, "KeyError") == (
        named(run, "test_setup").phase,
        named(run, "test_setup").crash.type,  # type: ignore[union-attr]
    )
    assert Phase.TEARDOWN is named(run, "test_teardown").phase
    assert "seen on stdout" in named(run, "test_red").output


def test_every_result_tells_its_file(play: Play) -> None:
    """Also of a file that does not load, and of a test that ended the process."""
    ending = "import os\n\ndef test_ends():\n    os._exit(3)\n"
    play.write({"tests/test_shop.py": "def test_a():\n    pass\n", "tests/test_z.py": ending})
    play.write({"tests/test_torn.py": "def test_b(:\n"})

    run = play.run()

    assert {
        "tests/test_shop.py::test_a": "tests/test_shop.py",
        "tests/test_torn.py": "tests/test_torn.py",
        "tests/test_z.py::test_ends": "tests/test_z.py",
    } == {result.id: result.file for result in run.results}


def test_a_crash_has_frames_with_values(play: Play) -> None:
    """Frames run from the test to where it broke, with the locals there, relative to the root."""
    play.write({"shop.py": CODE, "test_shop.py": EVERY_OUTCOME})

    crash = named(play.run(), "test_raises").crash

    assert crash is not None
    assert ("ZeroDivisionError", "division by zero") == (crash.type, crash.message)
    assert [("test_shop.py", "test_raises"), ("shop.py", "share")] == [
        (frame.path, frame.function) for frame in crash.frames
    ]
    assert all(frame.project for frame in crash.frames)
    assert {"total": "1", "people": "0"} == crash.frames[-1].values
    assert "part = total / people" == crash.frames[-1].code
    assert 2 == crash.frames[-1].line


def test_a_green_suite_passes(play: Play) -> None:
    """All green is one of three states."""
    play.write({"test_a.py": "def test_a(): pass\n"})

    assert Verdict.PASSED is play.run().verdict


def test_options_that_hide_failures_have_no_effect(play: Play) -> None:
    """Every failing test is seen though the project stops at the first, and warnings are errors."""
    play.write(
        {
            "pytest.ini": "[pytest]\naddopts = -x --sw -p xdist.plugin -n 2\n"
            "filterwarnings = error\n",
            "test_a.py": "import os\n"
            "def test_1(): assert 0\n"
            "def test_2(): assert 0\n"
            "def test_3():\n"
            "    if os.fork() == 0: os._exit(0)\n",
        }
    )

    run = play.run()

    assert {
        "test_a.py::test_1": "failed",
        "test_a.py::test_2": "failed",
        "test_a.py::test_3": "passed",
    } == outcomes(run)
    assert not (play.worktree / ".pytest_cache").exists()


def test_hanging_and_exiting_tests_are_failures_and_the_rest_goes_on(
    play: Play,
) -> None:
    """A hang yields the stack it was found in; a test that ends the process costs only itself."""
    play.write(
        {
            "loop.py": "def spin(limit):\n    n = 0\n    while n < limit:\n        n += 0\n",
            "test_a.py": "import os\nfrom loop import spin\n"
            "def test_1(): pass\n"
            "def test_hang(): spin(3)\n"
            "def test_gone(): os._exit(0)\n"
            "def test_last(): pass\n",
        }
    )

    run = play.run(Request(test_timeout=1))

    assert {
        "test_a.py::test_1": "passed",
        "test_a.py::test_hang": "failed",
        "test_a.py::test_gone": "failed",
        "test_a.py::test_last": "passed",
    } == outcomes(run)
    hang = named(run, "test_hang").crash
    assert hang is not None
    assert "Timeout" == hang.type
    assert ("loop.py", "spin", "3") == (
        hang.frames[-1].path,
        hang.frames[-1].function,
        hang.frames[-1].values["limit"],
    )
    gone = named(run, "test_gone").crash
    assert gone is not None
    assert "ProcessExit" == gone.type


@pytest.mark.slow
def test_a_hang_inside_c_code_has_a_stack_too(play: Play) -> None:
    """Where the interpreter itself gets no word in, the bare stack is still recorded."""
    play.write(
        {"test_a.py": 'import re\ndef test_hang():\n    re.match("(a+)+$", "a" * 60 + "b")\n'}
    )

    crash = named(play.run(Request(test_timeout=1)), "test_hang").crash

    assert crash is not None
    assert "Timeout" == crash.type
    assert ("test_a.py", 3) in [(f.path, f.line) for f in crash.frames if f.project]


def test_all_hanging_tests_are_named_in_one_run(play: Play) -> None:
    """What runs after them is not lost."""
    lines = [f"def test_{n}():\n    while True: pass" for n in range(5)]
    play.write({"test_a.py": "\n".join([*lines, "def test_last(): pass", ""])})

    run = play.run(Request(test_timeout=0.3))

    assert [f"test_a.py::test_{n}" for n in range(5)] == [result.id for result in run.red]
    assert (Verdict.FAILED, "") == (run.verdict, run.reason)
    assert CaseOutcome.PASSED is named(run, "test_last").outcome


def test_too_many_ends_of_the_process_end_the_run_and_that_is_said(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last that is borne the rest is left alone; what failed stays."""
    monkeypatch.setattr(rounds, "CASUALTIES", 3)
    lines = [f"def test_{n}(): os._exit(1)" for n in range(5)]
    play.write({"test_a.py": "\n".join(["import os", *lines, ""])})

    run = play.run()

    assert 3 == len(run.red)
    assert Verdict.FAILED is run.verdict
    assert "2 tests did not run" in run.reason


def test_chosen_tests_run_alone_and_in_order(play: Play) -> None:
    """`only` runs those ids, odd ones too; `first` moves some to the front."""
    play.write(
        {"shop.py": CODE, "test_shop.py": EVERY_OUTCOME, "test_b.py": "def test_b(): pass\n"}
    )
    odd = [name for name in outcomes(play.run()) if "test_odd" in name]

    only = play.run(Request(only=tuple(odd)))
    first = play.run(Request(first=("test_shop.py::test_green",)))

    assert odd == list(outcomes(only))
    assert "test_shop.py::test_green" == next(iter(outcomes(first)))
    assert "test_b.py::test_b" in outcomes(first)


def test_lines_of_each_test_are_traced(play: Play) -> None:
    """Coverage names the lines that each test ran, by path relative to the root."""
    play.write({"shop.py": CODE, "test_shop.py": EVERY_OUTCOME})

    coverage = play.report(Request(only=("test_shop.py::test_raises",), trace=True)).coverage

    assert coverage is not None

    assert {"test_shop.py::test_raises": {"shop.py": (2,), "test_shop.py": (14,)}} == coverage.lines
    assert "failed" == coverage.outcomes["test_shop.py::test_raises"]


def test_both_forms_of_the_command_keep_their_import_path(play: Play) -> None:
    """`python -m pytest` has the current folder on its import path, `pytest` has not."""
    play.write({"shop.py": CODE, "tests/test_a.py": "import shop\ndef test_a(): pass\n"})
    script = Path(sys.executable).with_name("pytest")

    assert Verdict.PASSED is play.run().verdict
    assert "tests/test_a.py" == play.run(flag=f"{script} -q").results[0].id


def test_a_run_out_of_time_did_not_run(play: Play) -> None:
    """Without a red test, time-out of the whole run says nothing about the code."""
    each = "import pytest, time\n@pytest.mark.parametrize('n', range(99))\n"
    play.write({"test_a.py": f"{each}def test_a(n): time.sleep(0.3)\n"})

    run = play.run(Request(timeout=2))

    assert Verdict.DID_NOT_RUN is run.verdict
    assert (True, True) == (run.timed_out, run.infrastructure)


@pytest.mark.slow
def test_each_test_that_hangs_is_named_before_the_run_is_out_of_time(play: Play) -> None:
    """A limit of one test that is longer than the run's own is lowered, and what it was is said."""
    hangs = "def test_{}(): time.sleep(60)\n"
    play.write({"test_a.py": "import time\n" + "".join(map(hangs.format, "ab"))})

    run = play.run(Request(timeout=12, test_timeout=60))

    assert Verdict.FAILED is run.verdict
    assert ["Timeout"] * 2 == [each.crash.type for each in run.red if each.crash]
    assert not run.timed_out
    (first, *_) = run.red
    assert first.crash is not None
    assert "still running after 6" in first.crash.message or "after 5.9" in first.crash.message


@pytest.mark.slow
def test_a_test_that_stands_where_another_hung_is_not_waited_for_as_long(play: Play) -> None:
    """Each of many tests of one endless loop would take its whole time; others still have it."""
    play.write(
        {
            "steps.py": "import time\n\n\n"
            "def pause(seconds):\n    time.sleep(seconds)\n\n\n"
            "def until(end):\n    n = 1\n    while n != end:\n        n += 2\n    return n\n",
            "test_a.py": "from steps import pause, until\n\n\n"
            "def test_first():\n    assert until(8) == 8\n\n\n"
            "def test_second():\n    assert until(6) == 6\n\n\n"
            "def test_slow():\n    pause(4)\n\n\n"
            "def test_odd():\n    assert until(7) == 7\n",
        }
    )

    run = play.run(Request(test_timeout=6))

    first, second = (each.crash for each in run.red)
    assert first is not None
    assert second is not None
    assert first.message == "still running after 6 s"
    assert second.message == "still running after 2 s, where tests hung for 6 s"
    assert {each.id.split("::")[1] for each in run.results} >= {"test_slow", "test_odd"}

    again = play.run(Request(test_timeout=60, hung=places_of_hangs(run.results)))

    assert [each.id for each in again.red] == [each.id for each in run.red]
    said = "still running after 5 s, where tests hung for 60 s"
    assert [each.crash.message for each in again.red if each.crash] == [said] * 2


def test_hostile_records_are_left_out(play: Play) -> None:
    """What a test writes among the records is read as data, and only if it fits."""
    play.write(
        {
            "test_a.py": "import glob, os\n"
            "def test_a():\n"
            f"    for path in glob.glob({str(play.scratch)!r} + '/run-*/out/*.jsonl'):\n"
            "        with open(path, 'a') as file:\n"
            '            file.write(\'{"kind": "result", "id": 7}\\n\\\\xff\\n[]\\n\')\n'
        }
    )

    run = play.run()

    assert Verdict.PASSED is run.verdict
    assert ["test_a.py::test_a"] == [result.id for result in run.results]


def test_a_run_tells_which_files_its_settings_name_as_tests(play: Play) -> None:
    """Examples in the docstrings of code, and a folder that holds code, name nothing."""
    play.write(
        {
            "setup.cfg": "[tool:pytest]\npython_files = check_*.py\ntestpaths = checks app\n"
            "addopts = --doctest-modules\npythonpath = .\n",
            "app/__init__.py": "",
            "app/core.py": '"""Core.\n\n>>> 1 + 1\n2\n"""\n',
            "checks/common.py": "def same(one, other):\n    assert one == other\n",
            "checks/check_core.py": "from app import core\nfrom common import same\n\n\n"
            "def test_core():\n    same(core.__name__, 'app.core')\n",
        }
    )

    run = play.run()

    assert ("check_*.py", "checks/") == run.named
    assert {"app/core.py::app.core", "checks/check_core.py::test_core"} == run.passed


SETTLED = """\
import gc
import weakref

class Node:
    pass

def test_litter():
    node = Node()
    node.itself = node
    left = weakref.ref(node)
    del node
    gc.collect()
    assert left() is None

def test_hidden():
    assert gc.get_freeze_count() == 0
"""


def test_the_collector_passes_over_what_was_loaded_before_the_project(play: Play) -> None:
    """What tests leave is collected; a disguised run cannot be told by what is passed over."""
    play.write({"test_one.py": SETTLED})

    plain, disguised = play.run(), play.run(Request(disguise=Disguise(changed=("test_one.py",))))

    told = {
        "test_one.py::test_litter": "passed",
        "test_one.py::test_hidden": "failed",
    }
    assert told == outcomes(plain)
    assert told | {"test_one.py::test_hidden": "passed"} == outcomes(disguised)
