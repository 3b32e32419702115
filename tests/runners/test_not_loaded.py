"""What keeps tests from being loaded: the code's fault, or the tests' own."""

from __future__ import annotations

import pytest

from clew.words.facts import Phase, TestRun, Verdict
from projectplay import Play

GREEN = "def test_green(): pass\n"

FAULTS_OF_THE_CODE = {
    "syntax error in the code": {
        "shop.py": "def f(:\n",
        "test_a.py": "import shop\n",
        "test_b.py": GREEN,
    },
    "code that raises on import": {
        "shop.py": "total = undefined\n",
        "test_a.py": "import shop\n",
        "test_b.py": GREEN,
    },
    "name that the code lacks": {
        "shop.py": "",
        "test_a.py": "from shop import share\n",
        "test_b.py": GREEN,
    },
    "module that a package of the project lacks": {
        "shop/__init__.py": "",
        "test_a.py": "import shop.prices\n",
        "test_b.py": GREEN,
    },
    "third-party module that the code lacks": {
        "shop.py": "import no_such_library\n",
        "test_a.py": "import shop\n",
        "test_b.py": GREEN,
    },
    "code that a conftest imports": {
        "shop.py": "def f(:\n",
        "conftest.py": "import shop\n",
        "test_b.py": GREEN,
    },
    "code that a conftest further down imports": {
        "shop.py": "1 / 0\n",
        "sub/conftest.py": "import shop\n",
        "sub/test_a.py": GREEN,
        "test_b.py": GREEN,
    },
    "code that leaves on import": {
        "shop.py": "import sys\nsys.exit(1)\n",
        "test_a.py": "import shop\n",
    },
}
FAULTS_OF_THE_TESTS = {
    "syntax error in a test": {"test_a.py": "def f(:\n", "test_b.py": GREEN},
    "syntax error in a conftest": {"conftest.py": "def f(:\n", "test_b.py": GREEN},
    "test that raises on import": {"test_a.py": "1 / 0\n", "test_b.py": GREEN},
    "third-party module that a test lacks": {"test_a.py": "import no_such_library\n"},
    "helper that the tests lack": {
        "tests/__init__.py": "",
        "tests/test_a.py": "from tests.tools import x\n",
        "shop.py": "",
    },
    "unknown option": {"pytest.ini": "[pytest]\naddopts = --no-such-option\n", "test_b.py": GREEN},
    "unreadable configuration": {"pytest.ini": "[pytest\n", "test_b.py": GREEN},
    "no tests": {"shop.py": ""},
}


def unloaded(run: TestRun) -> list[str]:
    return [result.id for result in run.results if result.phase is Phase.COLLECT]


@pytest.mark.parametrize("case", FAULTS_OF_THE_CODE)
def test_a_fault_of_the_code_is_a_failure(play: Play, case: str) -> None:
    """When code under test keeps a file from loading, the run failed, and the place is known."""
    play.write(FAULTS_OF_THE_CODE[case])

    run = play.run()

    assert (Verdict.FAILED, False) == (run.verdict, run.infrastructure), run.reason
    assert 1 == len(unloaded(run))
    crash = run.red[0].crash
    assert crash is not None
    named = [frame.path for frame in crash.frames if frame.project]
    assert "shop.py" in named or "shop" in crash.message


@pytest.mark.parametrize("case", FAULTS_OF_THE_TESTS)
def test_a_fault_of_the_tests_is_infrastructure(play: Play, case: str) -> None:
    """When tests or their configuration are broken, nothing is known about the code."""
    play.write(FAULTS_OF_THE_TESTS[case])

    run = play.run()

    assert (Verdict.DID_NOT_RUN, True) == (run.verdict, run.infrastructure)
    assert run.reason


def test_a_broken_file_does_not_hide_the_others(play: Play) -> None:
    """Tests in sound files run though another file does not load."""
    play.write(FAULTS_OF_THE_CODE["syntax error in the code"])

    run = play.run()

    assert {"test_a.py", "test_b.py::test_green"} == {result.id for result in run.results}


def test_the_file_that_cannot_be_parsed_is_the_last_frame(play: Play) -> None:
    """A syntax error has no frame of its own; its file and line stand in for one."""
    play.write(FAULTS_OF_THE_CODE["syntax error in the code"])

    crash = play.run().red[0].crash

    assert crash is not None
    assert ("SyntaxError", "shop.py", 1) == (
        crash.type,
        crash.frames[-1].path,
        crash.frames[-1].line,
    )


@pytest.mark.parametrize(
    ("file", "said"), [("services/api/pyproject.toml", True), ("a.txt", False)]
)
def test_a_project_below_is_named_where_its_tests_do_not_load(
    play: Play, file: str, *, said: bool
) -> None:
    """One repository of several projects: run from its root, none of them finds its code."""
    test = "services/api/tests/test_a.py"
    play.write({file: "", "services/api/src/api/__init__.py": "", test: "import api\n"})

    reason = play.run().reason

    told = "; services/api is a project of its own: `clew fix services/api` runs its tests there"
    assert (told in reason) is said, reason
