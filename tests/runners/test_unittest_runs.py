import sys

import pytest

from clew.runners import Request
from clew.words.facts import Phase, Verdict
from projectplay import Play, named, outcomes

UNITTEST = f"{sys.executable} -m unittest"
SUITE = """\
import time
import unittest
import shop

class Plain(unittest.TestCase):
    def test_green(self):
        self.assertEqual(2, shop.share(4, 2))
    def test_red(self):
        print("seen on stdout")
        self.assertEqual(3, shop.share(4, 2))
    def test_raises(self):
        shop.share(1, 0)
    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(1, n)
    @unittest.skip("later")
    def test_skipped(self):
        pass
    @unittest.expectedFailure
    def test_expected(self):
        self.fail()
    @unittest.expectedFailure
    def test_surprise(self):
        pass

class SetUp(unittest.TestCase):
    def setUp(self):
        raise ValueError("set-up")
    def test_setup(self):
        pass

class SetUpClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError("class")
    def test_class(self):
        pass

class Hangs(unittest.TestCase):
    def test_hang(self):
        time.sleep(60)
"""
FILES = {"shop.py": "def share(a, b):\n    return a / b\n", "test_shop.py": SUITE}


def test_every_outcome_is_told_apart(play: Play) -> None:
    """unittest's results are as rich as pytest's, and a hang costs only itself."""
    play.write(FILES)

    run = play.run(Request(test_timeout=1), flag=UNITTEST)

    assert {
        "green": "passed",
        "red": "failed",
        "raises": "failed",
        "parts": "failed",
        "skipped": "skipped",
        "expected": "xfailed",
        "surprise": "failed",
        "setup": "error",
        "class": "error",
        "hang": "failed",
    } == {name.rpartition("test_")[2]: outcome for name, outcome in outcomes(run).items()}
    assert "seen on stdout" in named(run, "test_red").output
    crash = named(run, "test_raises").crash
    assert crash is not None
    assert ("shop.py", 2) == (crash.frames[-1].path, crash.frames[-1].line)
    assert "test_shop.Plain.test_red" in outcomes(run)
    assert {"test_shop.py"} == {result.file for result in run.results}


def test_chosen_tests_run_alone(play: Play) -> None:
    """`only` takes the ids that results have; lines are traced here as well."""
    play.write(FILES)
    name = "test_shop.Plain.test_raises"

    report = play.report(Request(only=(name,), trace=True), flag=UNITTEST)

    assert [name] == list(outcomes(report.run))
    assert report.coverage is not None
    assert (2,) == report.coverage.lines[name]["shop.py"]


def test_what_does_not_load_is_judged_like_under_pytest(play: Play) -> None:
    """Code that cannot be parsed is a failure, a test that cannot is infrastructure."""
    play.write({"shop.py": "def f(:\n", "test_a.py": "import shop\n"})
    run = play.run(flag=UNITTEST)

    assert Verdict.FAILED is run.verdict
    assert [Phase.COLLECT] == [result.phase for result in run.results]

    (play.worktree / "shop.py").write_text("")
    (play.worktree / "test_a.py").write_text("def f(:\n")
    run = play.run(flag=UNITTEST)

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)


def test_no_tests_is_no_pass(play: Play) -> None:
    """A run that found nothing says nothing."""
    play.write({"shop.py": ""})

    assert Verdict.DID_NOT_RUN is play.run(flag=UNITTEST).verdict


def test_the_pattern_of_a_discovery_names_tests(play: Play) -> None:
    """The usual one need not be told."""
    play.write({"check_shop.py": SUITE.partition("class SetUp(")[0], "shop.py": FILES["shop.py"]})

    found = [play.run(flag=f"{UNITTEST} discover{words}") for words in (" -p check_*.py", "")]

    assert [("check_*.py",), ()] == [run.named for run in found]


@pytest.mark.parametrize(
    "words",
    [
        "--nosuch",
        "-k",
        "nosuch",
        "test_shop.Nosuch",
        "test_shop.Plain.nosuch",
        "test_shop nosuch.py",
        "discover -s nosuch",
    ],
)
def test_words_that_unittest_does_not_take_are_told_as_such(play: Play, words: str) -> None:
    """No file of tests is blamed, and none runs that was asked for beside them."""
    play.write(FILES)

    run = play.run(Request(extra=tuple(words.split())), flag=UNITTEST)

    assert (Verdict.DID_NOT_RUN, True, ()) == (run.verdict, run.misused, run.results)
    assert run.reason.startswith(f"the runner refused the words after --: {words}: ")


def test_a_question_put_to_unittest_runs_no_test(play: Play) -> None:
    """As with pytest: its help is no account of the tests."""
    play.write(FILES)
    run = play.run(Request(extra=("--help",)), flag=UNITTEST)
    assert "no test was collected by the words after --: --help" == run.reason


def test_a_named_file_that_does_not_load_is_to_blame_itself(play: Play) -> None:
    """Whatever it raises, or ends the process with: it is there, so the words are right."""
    play.write({"test_a.py": "import nosuch\n", "test_b.py": "import sys\nsys.exit(2)\n"})
    for name, why in (("test_a", "ModuleNotFoundError"), ("test_b", "exit code 2")):
        run = play.run(Request(extra=(name,)), flag=UNITTEST)
        assert not run.misused
        assert why in run.reason
        assert "does not load" in run.reason
