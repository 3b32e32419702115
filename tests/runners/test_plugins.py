"""Plug-ins and habits of projects that get in the way of a naive observer."""

from __future__ import annotations

import pytest

from clew.analysis.failures.assertions import expectation
from clew.runners import Request
from clew.words.facts import Verdict
from projectplay import Play, named, outcomes


def test_a_test_that_stops_the_runner_costs_only_itself(play: Play) -> None:
    """KeyboardInterrupt and `pytest.exit` inside a test are that test's failure."""
    play.write(
        {
            "test_a.py": "import pytest\n"
            "def test_1(): raise KeyboardInterrupt\n"
            "def test_2(): pytest.exit('no')\n"
            "def test_3(): pass\n"
        }
    )

    assert ["failed", "failed", "passed"] == list(outcomes(play.run()).values())


def test_a_fixture_that_stops_the_runner_is_infrastructure(play: Play) -> None:
    """A project that calls `pytest.exit` before its tests says itself why they cannot run."""
    play.write(
        {
            "conftest.py": "import pytest\n"
            "@pytest.fixture(scope='session', autouse=True)\n"
            "def database():\n"
            "    pytest.exit('start the database first')\n",
            "test_a.py": "def test_a(): pass\n",
        }
    )

    run = play.run()

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)
    assert "start the database first" in run.reason


def test_a_crash_of_the_interpreter_has_a_stack(play: Play) -> None:
    """A segmentation fault leaves faulthandler's words, and they become frames."""
    play.write(
        {
            "shop.py": "import os\ndef crash():\n    os.kill(os.getpid(), 11)\n",
            "test_a.py": "import shop\ndef test_a(): shop.crash()\ndef test_b(): pass\n",
        }
    )

    run = play.run()

    assert {"test_a.py::test_a": "failed", "test_a.py::test_b": "passed"} == outcomes(run)
    crash = named(run, "test_a").crash
    assert crash is not None
    assert "signal 11" in crash.message
    assert ("shop.py", 3) == (crash.frames[-1].path, crash.frames[-1].line)


def test_stdout_may_be_replaced(play: Play) -> None:
    """Results do not travel by stdout: a project may do with it what it likes."""
    play.write(
        {
            "conftest.py": "import io, sys\nsys.stdout = sys.stderr = io.StringIO()\n",
            "test_a.py": "import os\ndef test_a(): os.close(1)\ndef test_b(): assert 0\n",
        }
    )

    assert {"test_a.py::test_a": "passed", "test_a.py::test_b": "failed"} == outcomes(play.run())


@pytest.mark.parametrize("flags", [(), ("--doctest-continue-on-failure",)])
def test_an_example_in_a_docstring_has_a_place(play: Play, flags: tuple[str, ...]) -> None:
    """Its own line, with what it gave; the first one where several fail."""
    play.write({"shop.py": 'def f():\n    """\n    >>> a = 1\n    >>> sum([a])\n    3\n    """\n'})
    play.write({"guide.txt": "So:\n\n>>> 1 / 0\n2\n"})
    extra = ("--doctest-modules", "--doctest-glob=*.txt", *flags)
    run = play.run(Request(extra=extra))
    crash, other = named(run, "shop.f").crash, named(run, "guide.txt").crash

    assert crash is not None
    last = crash.frames[-1]
    assert ("shop.py", 4, True) == (last.path, last.line, last.project)
    assert "sum([a]) returned 1, expected 3" == crash.message
    told = expectation(crash)
    assert told is not None
    assert ("sum([a])", "1", "==", "3") == (told.call, told.actual, told.relation, told.expected)
    assert other is not None
    assert ("ZeroDivisionError", 3) == (other.type, other.frames[0].line)


def test_a_waiting_coroutine_is_part_of_a_hang(play: Play) -> None:
    """An event loop that waits for ever shows what it waits in."""
    play.write(
        {
            "shop.py": "import asyncio\nasync def stuck():\n    await asyncio.Event().wait()\n",
            "test_a.py": "import asyncio, shop\ndef test_a(): asyncio.run(shop.stuck())\n",
        }
    )

    crash = named(play.run(Request(test_timeout=1)), "test_a").crash

    assert crash is not None
    assert ("shop.py", 3) in [(frame.path, frame.line) for frame in crash.frames]


def test_a_hang_at_import_is_a_file_that_does_not_load(play: Play) -> None:
    """A hang while a file is collected is told as that file's failure to load."""
    play.write(
        {
            "shop.py": "while True:\n    pass\n",
            "tests/test_a.py": "import shop\n",
        }
    )

    run = play.run(Request(test_timeout=1))

    assert (Verdict.FAILED, {"tests/test_a.py": "error"}) == (run.verdict, outcomes(run))
    crash = run.results[0].crash
    assert crash is not None
    assert ("Timeout", "shop.py") == (crash.type, crash.frames[-1].path)


def test_a_report_that_cannot_be_written_is_not_asked_for(play: Play) -> None:
    """Reports to files go where the person's machine has them, and no test is red without them."""
    play.write({"test_a.py": "def test_a(): pass\n"})

    run = play.run(Request(extra=("--junitxml=/proc/reports/all.xml",)))

    assert (Verdict.PASSED, "") == (run.verdict, run.reason)


def test_a_hook_that_raises_at_the_end_is_named(play: Play) -> None:
    """The runner's trouble after the last test is told once, with its place."""
    play.write(
        {
            "conftest.py": "def pytest_sessionfinish():\n    raise OSError('no room')\n",
            "test_a.py": "def test_a(): pass\n",
        }
    )

    run = play.run()

    assert Verdict.DID_NOT_RUN is run.verdict
    assert run.reason.endswith("the runner crashed: conftest.py:2: OSError: no room")
    assert 1 == run.output.count("collected 1 item")


def test_a_part_that_is_skipped_leaves_the_whole_as_it_is(play: Play) -> None:
    """A skipped part does not make a test skipped; a red one makes it red."""
    play.write(
        {
            "test_a.py": "import pytest\n"
            "def test_skips(subtests):\n"
            "    with subtests.test('a'): pytest.skip('not here')\n"
            "    with subtests.test('b'): pass\n"
            "def test_fails(subtests):\n"
            "    with subtests.test('a'): assert 0\n"
            "    with subtests.test('b'): pass\n"
        }
    )

    run = play.run()

    assert ["passed", "failed"] == list(outcomes(run).values())
    crash = named(run, "test_fails").crash
    assert crash is not None
    assert ("AssertionError", 6) == (crash.type, crash.frames[-1].line)


def test_very_long_ids_are_told_apart(play: Play) -> None:
    """Ids are shortened, and stay different where only what is left out differs."""
    ends = "x" * 4_000
    play.write(
        {
            "test_a.py": "import pytest\n"
            f"@pytest.mark.parametrize('n', [0, 1], ids=['{ends}0{ends}', '{ends}1{ends}'])\n"
            "def test_long(n): assert n\n"
        }
    )

    run = play.run()

    assert ["failed", "passed"] == list(outcomes(run).values())
    assert all(len(result.id) < 4_100 for result in run.results)
    (red,) = [result.id for result in run.results if result.outcome.red]
    assert {red: "failed"} == outcomes(play.run(Request(only=(red,))))


def test_a_warning_in_a_hook_of_configuration_is_named(play: Play) -> None:
    """Where a hook raises the file that holds it loaded: told are place, warning and next step."""
    play.write(
        {
            "conftest.py": "import warnings\n"
            "def pytest_configure():\n    warnings.warn('set a scope', DeprecationWarning)\n",
            "pytest.ini": "[pytest]\nfilterwarnings = error\n",
            "test_a.py": "def test_a(): pass\n",
        }
    )

    run = play.run()

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)
    assert "does not load" not in run.reason
    assert "conftest.py:3: DeprecationWarning: set a scope" in run.reason
    assert "filterwarnings" in run.reason


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("pytest.ini", "[pytest]\naddopts = -k 'x\n"),
        ("tox.ini", "[pytest]\naddopts = -k 'x\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = -k 'x\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-k \'x"\n'),
    ],
)
def test_a_quote_that_is_not_closed_is_named_with_its_setting(
    play: Play, name: str, section: str
) -> None:
    """The option and the file: pytest names neither."""
    play.write({name: section, "test_a.py": "def test_a(): pass\n"})

    run = play.run()

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)
    assert run.reason.endswith(f"addopts in {name}: ValueError: No closing quotation")


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("pytest.ini", "[pytest]\nminversion = x\n"),
        ("tox.ini", "[pytest]\naddopts = -p nosuch\n"),
        ("setup.cfg", "[tool:pytest]\nlog_level = x\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\ntmp_path_retention_count = "x"\n'),
    ],
)
def test_settings_that_pytest_refuses_are_named_with_their_file(
    play: Play, name: str, section: str
) -> None:
    """pytest itself raises, says so, or stops: each time it is what the file says."""
    play.write({name: section, "test_a.py": "def test_a(): pass\n"})

    run = play.run()

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)
    assert run.reason.startswith(
        f"the runner refused its command line or its configuration in {name}: "
    )


def test_a_plug_in_that_raises_is_not_what_pytest_refuses(play: Play) -> None:
    """The project's own is named with its line, although a file of settings asks for it."""
    play.write(
        {
            "mine.py": "def pytest_addoption():\n    raise ValueError('broken')\n",
            "pytest.ini": "[pytest]\naddopts = -p mine\n",
            "test_a.py": "def test_a(): pass\n",
        }
    )
    assert play.run().reason.endswith("the runner crashed: mine.py:2: ValueError: broken")


def test_a_quote_that_is_not_closed_in_the_environment_is_named(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pytest reads that variable before any file."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k 'x")
    play.write({"test_a.py": "def test_a(): pass\n"})
    assert play.run().reason.endswith("PYTEST_ADDOPTS: ValueError: No closing quotation")


def test_a_time_out_does_not_end_the_run(play: Play) -> None:
    """pytest-timeout's `thread`, here by a stand-in, would take the other tests along."""
    play.write(
        {
            "conftest.py": "def pytest_addoption(parser):\n"
            "    parser.addoption('--timeout-method', dest='timeout_method')\n",
            "pytest.ini": "[pytest]\naddopts = --timeout-method=thread\n",
            "test_a.py": "def test_a(request):\n"
            "    assert request.config.getoption('timeout_method') == 'signal'\n",
        }
    )

    assert Verdict.PASSED is play.run().verdict
