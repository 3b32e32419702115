import pytest

from clew.runners.commands import recognise, split
from clew.words.errors import UsageError
from clew.words.facts import Runner

RECOGNISED = {
    "pytest": (Runner.PYTEST, False, ()),
    "py.test -q": (Runner.PYTEST, False, ("-q",)),
    ".venv/bin/pytest tests -k 'a and (b or c)'": (
        Runner.PYTEST,
        False,
        ("tests", "-k", "a and (b or c)"),
    ),
    "python -m pytest -x": (Runner.PYTEST, True, ("-x",)),
    "/usr/bin/python3.11 -W error -Bm pytest": (Runner.PYTEST, True, ()),
    "PYTHONPATH=src DEBUG=1 pytest": (Runner.PYTEST, False, ()),
    "uv run pytest -q": (Runner.PYTEST, False, ("-q",)),
    "poetry run python -m unittest": (Runner.UNITTEST, True, ()),
    "coverage run --source=app -m pytest tests": (Runner.PYTEST, True, ("tests",)),
    "python3 -m unittest discover -s tests": (Runner.UNITTEST, True, ("discover", "-s", "tests")),
    "tox -e py311": (Runner.COMMAND, False, ("-e", "py311")),
    "make test": (Runner.COMMAND, False, ("test",)),
    "python run_tests.py": (Runner.COMMAND, False, ("run_tests.py",)),
    "python -c pass": (Runner.COMMAND, False, ("-c", "pass")),
    "uv run --extra dev pytest": (Runner.COMMAND, False, ("run", "--extra", "dev", "pytest")),
    "coverage report": (Runner.COMMAND, False, ("report",)),
}


@pytest.mark.parametrize("text", RECOGNISED)
def test_usual_spellings_are_recognised(text: str) -> None:
    """pytest and unittest are known in every usual spelling; all else is a command."""
    found = recognise(split(text))

    assert RECOGNISED[text] == (found.runner, found.as_module, found.arguments)


def test_variables_and_interpreter_options_are_kept() -> None:
    """Leading assignments become the environment, options before `-m` stay the interpreter's."""
    found = recognise(split("A=1 B='x y' python -X dev -m pytest"))

    assert {"A": "1", "B": "x y"} == found.environment
    assert ("-X", "dev") == found.options
    assert "python" == found.program


@pytest.mark.parametrize(
    "text", ["cd a && pytest", "pytest | tee log", "pytest > log", "pytest; true", "pytest `x`"]
)
def test_what_needs_a_shell_is_refused(text: str) -> None:
    """No shell is used behind a person's back; how to ask for one is said."""
    with pytest.raises(UsageError) as caught:
        split(text)

    assert "sh -c" in caught.value.hint


@pytest.mark.parametrize("text", ["", "  ", "pytest 'open"])
def test_what_is_no_command_is_refused(text: str) -> None:
    """An empty or torn command is a usage error."""
    with pytest.raises(UsageError):
        split(text)
