import pytest

from clew.runners.infrastructure import NotLoaded, Seen, judge
from clew.words.facts import Crash, Frame, Verdict

TEST = Frame(path="tests/test_a.py", line=1, function="<module>", project=True)
CODE = Frame(path="src/shop/cart.py", line=3, function="<module>", project=True)
LIBRARY = Frame(path="/usr/lib/python3/x.py", line=9, function="x")


def broken(*frames: Frame, missing: str = "") -> NotLoaded:
    crash = Crash(type="ImportError", message="no", frames=frames)
    return NotLoaded(id="tests/test_a.py", crash=crash, missing=missing)


FAILED = [
    Seen(started=True, status=1, ran=3, red=1),
    Seen(started=True, status=1, not_loaded=(broken(TEST, CODE),)),
    Seen(started=True, status=1, not_loaded=(broken(TEST, CODE, LIBRARY, missing="numpy"),)),
    Seen(started=True, status=1, not_loaded=(broken(TEST, missing="shop.prices"),)),
    Seen(started=True, timed_out=True, ran=3, red=1, unreached=2),
]
DID_NOT_RUN = [
    Seen(),
    Seen(started=True, status=5),
    Seen(started=True, status=0),
    Seen(status=4, broken="no such option"),
    Seen(started=True, status=1, ran=3),
    Seen(started=True, status=2, ran=3),
    Seen(started=True, exit_code=-11, ran=3),
    Seen(started=True, timed_out=True, ran=3),
    Seen(started=True, status=1, red=4, ran=4, not_loaded=(broken(TEST),)),
    Seen(started=True, status=1, not_loaded=(broken(TEST, LIBRARY, missing="numpy"),)),
    Seen(started=True, status=1, not_loaded=(broken(missing="numpy"),)),
    Seen(started=True, status=0, ran=3, foreign=(("shop", "/usr/lib/shop.py"),)),
]


@pytest.mark.parametrize("seen", FAILED)
def test_red_tests_and_unloadable_code_are_failures(seen: Seen) -> None:
    """The code is at fault when a test is red, or when loading stops in code or for want of it."""
    assert (Verdict.FAILED, False) == (
        judge(seen, {"shop"}).verdict,
        judge(seen, {"shop"}).infrastructure,
    )


@pytest.mark.parametrize("seen", DID_NOT_RUN)
def test_all_other_trouble_is_infrastructure(seen: Seen) -> None:
    """Nothing is known about the code, and a person is told why."""
    found = judge(seen, {"shop"})

    assert (Verdict.DID_NOT_RUN, True) == (found.verdict, found.infrastructure)
    assert found.reason


def test_a_green_run_passes() -> None:
    """Only a runner that came to its end without a red test says passed."""
    assert Verdict.PASSED is judge(Seen(started=True, status=0, ran=1), ()).verdict


def test_words_that_chose_no_test_are_named() -> None:
    """Whoever narrowed a run down to nothing is told by which words."""
    found = judge(Seen(started=True, status=5, words=("-k", "nothing")), ())

    assert found.misused
    assert "no test was collected by the words after --: -k nothing" == found.reason


@pytest.mark.parametrize(
    ("words", "said", "misused"),
    [
        (("--nosuch",), "error: unrecognized arguments: --nosuch", True),
        (("-n", "4"), "error: unrecognized arguments: -n", True),
        (("--maxfail=x",), "error: argument --maxfail: invalid int value: 'x'", True),
        (("test_a.py::test_b",), "ERROR: not found: /place/test_a.py::test_b", True),
        (("-n",), "error: unrecognized arguments: --no-such", False),
        (("", "-x"), "error: unrecognized arguments: --nosuch", False),
        ((), "error: unrecognized arguments: --nosuch", False),
    ],
)
def test_words_that_the_runner_refuses_are_told_from_its_configuration(
    words: tuple[str, ...], said: str, *, misused: bool
) -> None:
    """They are at fault where the runner names one of them."""
    found = judge(Seen(status=4, words=words, last_words=said), ())
    whose = "the words after --" if misused else "its command line or its configuration"

    assert misused == found.misused
    assert found.reason.startswith(f"the runner refused {whose}")


@pytest.mark.parametrize(
    ("said", "told"),
    [("no such option", " in tox.ini: no such option"), ("/a/tox.ini: no", ": /a/tox.ini: no")],
)
def test_the_file_of_settings_is_named_once(said: str, told: str) -> None:
    """By the runner itself, or else before what it said."""
    found = judge(Seen(status=4, broken=said, settings="tox.ini"), ())
    assert f"the runner refused its command line or its configuration{told}" == found.reason


def test_a_run_without_tests_names_the_next_step() -> None:
    """The command may be another than the project's own."""
    found = judge(Seen(started=True, status=5), ())

    assert "no test was collected; `--test-command` names another command" == found.reason


def test_twins_among_files_of_tests_are_told_what_they_need() -> None:
    """Python loads one of them, and pytest's own words for that are those of its insides."""
    crash = Crash(type="_pytest.pathlib.ImportPathMismatchError", message="('test_a', 'a', 'b')")
    twin = NotLoaded(id="b/test_a.py", crash=crash)

    assert "--import-mode=importlib" in judge(Seen(started=True, not_loaded=(twin,)), ()).reason


def test_a_file_that_does_not_load_is_named_with_the_line() -> None:
    """The innermost place in the project: the message of an exception often names none."""
    seen = Seen(started=True, status=1, not_loaded=(broken(TEST),))
    assert judge(seen, ()).reason.endswith("ImportError: no (tests/test_a.py:1)")
