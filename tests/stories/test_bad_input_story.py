"""What a person may type, set or leave lying about: named, with the next step."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from leftovers import undisturbed
from projects import recording, write

pytestmark = pytest.mark.usefixtures("nothing_left")

LONG = "x" * 120_000


def told(said: Said, code: int, *words: str) -> None:
    """The exit code is the documented one; a person reads words, and not too many."""
    assert code == said.code, said
    where = said.out if code == 3 and said.out else said.err  # a question says what kept the tests
    for word in words:
        assert word in where, said
    assert "Traceback" not in said.err
    assert "bug in Clew" not in said.err
    assert len(said.err) < 4_000


def started(clew: CommandLine) -> bool:
    return (clew.project / ".clew").exists() or "No session yet" not in clew.run("list").err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("fix", ""), ("PATH", "empty")),
        (("list", "-C", ""), ("-C", "empty")),
        (("fix", "/dev/null"), ("/dev/null", "not a project")),
        (("evidence", "/no/such/place"), ("/no/such/place", "does not exist")),
        (("context", "/dev/null"), ("/dev/null", "not a project")),
        (("fix", LONG), ("xxx", "cannot be reached")),
        (("doctor", "-C", "/no/such/place"), ()),
        (("fix", "--timeout", "nan"), ("timeout", "command line")),
        (("fix", "--search-seconds", "inf"), ("search_seconds", "command line")),
        (("localize", "--top", "0"), ("--top",)),
        (("fix", "--agent", "command:/no/such/agent"), ("/no/such/agent", "PATH")),
        (("fix", "--agent", LONG), ("unknown agent", "Known")),
        (("fix", "--challenge", "someone"), ("unknown agent 'someone'", "auto, same or none")),
        (("ci", "--challenge", "someone"), ("unknown agent 'someone'", "auto, same or none")),
        (("fix", f"--{LONG}"), ("No such option",)),
        (("fix", "--test-command", ""), ("empty", "pytest")),
    ],
    ids=lambda words: " ".join(word[:24] for word in words),
)
def test_words_that_cannot_be_meant_start_nothing(
    clew: CommandLine, words: tuple[str, ...], named: tuple[str, ...]
) -> None:
    """Exit code 2, before a session is opened; a very long word is not repeated whole."""
    with undisturbed(clew.project, exempt=()):
        told(clew.run(*words), 2, *named)
    assert [] == list(clew.state.glob("projects/*"))


def test_a_file_in_the_place_of_the_reports_starts_nothing(clew: CommandLine) -> None:
    """No baseline is run for a fix of which no report can be written; `doctor` tells it as well."""
    (clew.project / "debug").write_text("mine\n")

    said = clew.run("fix")

    assert (2, True) == (said.code, f"{clew.project / 'debug'} is a file" in said.err), said
    assert "session" not in said.err.splitlines()[0]
    assert "" == clew.run("list").out
    asked = clew.run("doctor")
    assert (2, True) == (asked.code, "debug is a file, and documents" in asked.out), asked.out


def test_a_name_is_never_guessed_from_nothing(clew: CommandLine, tmp_path: Path) -> None:
    """An empty id, one with path characters and one of a megabyte are no session's."""
    agent = recording(tmp_path / "r.jsonl")
    assert 3 == clew.run("fix", "--agent", agent, "--test-command", "/no/such/runner").code
    for name in ("", "../holders", LONG):
        told(clew.run("show", name), 2, "session")
    told(clew.run("answer", "", "skip"), 2, "empty")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"\0\xff\xfe", "cannot be read"),
        (b"x = " + b"[" * 5_000, "cannot be read"),
        (b"timeout = 1e999\n", "timeout"),
        (b"commands = 3\n", "commands"),
    ],
    ids=["binary", "deep", "infinite", "unknown"],
)
def test_a_settings_file_that_is_no_use_is_named(
    clew: CommandLine, content: bytes, named: str
) -> None:
    """Exit code 2, and the file's path; `doctor` finds it before `fix` does."""
    path = clew.project / "clew.toml"
    path.write_bytes(content)
    with undisturbed(clew.project, exempt=()):
        told(clew.run("fix"), 2, str(path), named)
        found = clew.run("doctor")
    assert 2 == found.code
    [line] = [line for line in found.out.splitlines() if line.startswith("✗ settings")]
    assert str(path) in line
    assert named in line


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_settings_are_read_from_files_alone(
    clew: CommandLine, make: Callable[[Path], None]
) -> None:
    """A pipe of that name is not waited for."""
    make(clew.project / "clew.toml")
    told(clew.run("fix"), 2, "clew.toml", "not a file")


@pytest.mark.slow
def test_variables_that_cannot_be_meant_start_nothing(clew: CommandLine) -> None:
    """A level or a point that is none, a relative state folder, and one among the code."""
    inside = str(clew.project / "state")
    for name, value, hint in (
        ("CLEW_TIMEOUT", "nan", "environment"),
        ("CLEW_SANDBOX", "steel", "landlock"),
        ("CLEW_CRASH_AT", "RunTest.intent#2", "Did you mean RunTests.intent?"),
        ("CLEW_CRASH_AT", "RunTests.effect#0", "for the second time"),
        ("CLEW_CRASH_AT", "TryCommit.before", "no such point"),
        ("CLEW_STATE_HOME", "state", "absolute path"),
        ("CLEW_STATE_HOME", inside, "ignore"),
    ):
        with undisturbed(clew.project, exempt=("state",)):
            told(clew.run("fix", env={name: value}), 2, hint)


def test_a_state_folder_that_git_ignores_may_lie_in_the_project(clew: CommandLine) -> None:
    """So it is where a home folder is a repository."""
    write(clew.project, {".git/info/exclude": "/state\n"})
    clew.env["CLEW_STATE_HOME"] = str(clew.project / "state")
    with undisturbed(clew.project, exempt=("state", ".clew")):
        assert 3 == clew.run("fix", "--test-command", "/no/such/runner").code


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({}, "no tests were found"),
        ({"thing.py": "x = 1\n", "pyproject.toml": "[tool.pytest.ini_options]\n"}, "no test was"),
        ({"test_x.py": "def test_x(:\n"}, "test_x.py does not load: SyntaxError"),
        (
            {"conftest.py": "def x(:\n", "test_x.py": "def test_x():\n    pass\n"},
            "conftest.py does not load: SyntaxError",
        ),
        ({"pyproject.toml": "[tool.pytest", "test_x.py": ""}, "pyproject.toml"),
        ({"pyproject.toml": "tool = 3\n", "test_x.py": ""}, "'int' object has no attribute"),
        ({"test_x.py": "raise KeyboardInterrupt\n"}, "test_x.py:1: KeyboardInterrupt"),
    ],
    ids=["empty", "no tests", "test", "conftest", "pyproject", "odd pyproject", "interrupt"],
)
@pytest.mark.slow
def test_tests_that_cannot_run_are_not_red(
    tmp_path: Path, files: dict[str, str], named: str
) -> None:
    """Exit code 3 and a question: what kept them, in few lines; code is not searched."""
    project = write(tmp_path / "empty", files)
    project.mkdir(exist_ok=True)
    clew = CommandLine(project, tmp_path / "state")
    with undisturbed(project):
        said = clew.run("fix")
    told(said, 3, named)
    assert "clew resume" in said.out
    assert "Traceback" not in said.out
    assert len(said.err.splitlines()) < 12


@pytest.mark.parametrize("words", ["--nosuch", "-n 4", "sums", "nosuch.py"])
def test_words_that_the_runner_does_not_take_leave_no_session_waiting(
    clew: CommandLine, words: str
) -> None:
    """Exit code 2, as a session keeps them; the page of a pipeline says so, too."""
    with undisturbed(clew.project):
        told(clew.run("ci", "--", "-p", "no:xdist", *words.split()), 2, words, "start a new one")
    page = (clew.project / ".clew" / "ci" / "report.md").read_text("utf-8")
    shown = clew.run("status")
    assert (2, True) == (shown.code, "terminated" in shown.out)
    for said in (page, shown.out):
        assert f"the words after --: -p no:xdist {words}" in said


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("localize", "--nosuch"),
        ("localize", "sums"),
        ("diagnose", "--nosuch"),
        ("evidence", "--nosuch"),
        ("context", "--nosuch"),
        ("bisect", "--nosuch"),
    ],
)
def test_words_that_the_runner_does_not_take_end_a_look_as_they_end_a_session(
    clew: CommandLine, command: str, words: str
) -> None:
    """Exit code 2 and whose words they are: the project's tests are not at fault."""
    with undisturbed(clew.project):
        told(clew.run(command, "--", *words.split()), 2, f"the words after --: {words}", "leave")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "named", "step"),
    [
        ("dangling", ".venv is broken: its Python is gone (/no/such/python)", "create it again"),
        ("unknown", ".venv/bin/python", "recreate its environment"),
    ],
)
def test_an_environment_without_its_interpreter_is_named(
    tmp_path: Path, what: str, named: str, step: str
) -> None:
    """Another Python is not taken in its place: it would have other packages."""
    files = {"test_x.py": "def test_x():\n    pass\n", ".venv/pyvenv.cfg": ""}
    project = write(tmp_path / "thing", files)
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir()
    if what == "dangling":
        python.symlink_to("/no/such/python")
    else:
        python.write_text("#!/no/such/interpreter\n")
        python.chmod(0o755)
    clew = CommandLine(project, tmp_path / "state")
    told(clew.run("fix"), 3, f"{project}/{named}", step)
