from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.runners import detect
from clew.runners.interpreters import find, own
from clew.words.errors import TestsDidNotRun, UsageError
from clew.words.facts import Runner, TestCommand
from projectplay import Play
from projects import commit_all

TESTCASE = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"


@pytest.fixture
def with_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the interpreter that runs these tests be the one that a project finds."""
    monkeypatch.setattr("clew.runners.interpreters.find", lambda *_: Path(sys.executable))


@pytest.fixture
def without_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the project's interpreter have nothing but Python."""
    bare = tmp_path / "bare" / "python"
    bare.parent.mkdir()
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr("clew.runners.interpreters.find", lambda *_: bare)


def found(play: Play, *, flag: str | None = None, settings: str | None = None) -> TestCommand:
    return detect(
        play.root, play.root, flag=flag, settings=settings, root=play.root, scratch=play.scratch
    )


def test_the_nearest_word_wins(play: Play, with_pytest: None) -> None:
    """Flag, then settings, then notes, then configuration, then what is there."""
    play.write({"test_a.py": "def test_a(): pass\n"})
    sources = [found(play).source]
    play.write({"pytest.ini": "[pytest]\n"})
    sources.append(found(play).source)
    play.write({"AGENTS.md": "## Testing\n`pytest -q`\n"})
    sources.append(found(play).source)
    play.write({"CLAUDE.md": "## Tests\n```\ncd web && npm test\npython -m pytest -v\n```\n"})
    sources.append(found(play).source)
    assert ("python", "-m", "pytest", "-v") == found(play).argv
    sources.append(found(play, settings="pytest -x").source)
    sources.append(found(play, flag="make test", settings="pytest -x").source)

    assert ["detected", "pytest.ini", "AGENTS.md", "CLAUDE.md", "settings", "flag"] == sources


def test_settings_of_pytest_above_the_project_are_said_to_be_left_out(
    play: Play, with_pytest: None
) -> None:
    """pytest takes them when a person runs it; those of the project itself go before them."""
    play.write({"test_a.py": "def test_a(): pass\n"})
    above = play.root.parent / "tox.ini"
    above.write_text("[pytest]\npythonpath = src\n")
    reasons = [found(play).reason]
    play.write({"pytest.ini": "[pytest]\n"})
    reasons.append(found(play).reason)

    assert [f"without {above}: what tests need of it belongs in {play.root.name}", ""] == reasons


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", ""),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("setup.cfg", "[tool:pytest]\n"),
        ("tox.ini", "[pytest]\n"),
    ],
)
def test_configuration_of_pytest_means_pytest(
    play: Play, with_pytest: None, name: str, text: str
) -> None:
    """Wherever pytest reads its settings, they say which runner it is."""
    play.write({name: text})

    assert (("python", "-m", "pytest"), name) == (found(play).argv, found(play).source)
    assert sys.executable == found(play).interpreter


@pytest.mark.parametrize(
    ("files", "argv"),
    [
        ({"test_a.py": TESTCASE}, ("python", "-m", "unittest")),
        (
            {"tests/test_a.py": TESTCASE},
            ("python", "-m", "unittest", "discover", "-s", "tests"),
        ),
        (
            {"tests/__init__.py": "", "tests/test_a.py": TESTCASE},
            ("python", "-m", "unittest"),
        ),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, ("npm", "test")),
        ({"go.mod": ""}, ("go", "test", "./...")),
        ({"Cargo.toml": ""}, ("cargo", "test")),
        ({"Makefile": "all:\n\ntest: all\n\tfalse\n"}, ("make", "test")),
        ({"GNUmakefile": "test:\n\tfalse\n", "Makefile": "all:\n"}, ("make", "test")),
    ],
)
def test_without_pytest_there_are_other_ways(
    play: Play, without_pytest: None, files: dict[str, str], argv: tuple[str, ...]
) -> None:
    """unittest serves test cases; other languages have their own runner."""
    play.write(files)

    assert argv == found(play).argv


def test_django_s_own_command_brings_its_settings(
    play: Play, with_pytest: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them no other runner can load the tests; where pytest is told of them it may."""
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    manage = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")\nimport django\n'
    play.write({"manage.py": manage, "shop/tests.py": TESTCASE})
    alone = found(play)
    play.write({"conftest.py": ""})
    beside = found(play)
    (play.root / "conftest.py").unlink()
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "web.settings")

    assert (("python", "manage.py", "test", "--noinput"), "manage.py") == (alone.argv, alone.source)
    assert (Runner.COMMAND, True) == (alone.runner, "pytest-django" in alone.reason)
    assert [Runner.PYTEST] * 2 == [beside.runner, found(play).runner]


def test_missing_pytest_is_said_with_what_to_do(play: Play, without_pytest: None) -> None:
    """Tests for pytest without pytest did not run, and the way out is named."""
    play.write({"test_a.py": "def test_a(): pass\n"})

    with pytest.raises(TestsDidNotRun) as caught:
        found(play)

    assert "pytest is not installed" in caught.value.message
    assert "pip install pytest" in caught.value.hint


def test_a_project_without_tests_is_said(play: Play, with_pytest: None) -> None:
    """Nothing to run is no pass."""
    play.write({"shop.py": ""})

    with pytest.raises(TestsDidNotRun, match="no tests were found"):
        found(play)


def test_where_a_folder_has_no_tests_the_nearest_below_that_has_some_is_named(play: Play) -> None:
    """Not one that is hidden, installed, or far away."""
    scripts = '{"scripts": {"test": "node --test"}}'
    strange = (".hidden", "node_modules/left", "far/off/as/can/be", "a/deep/one")
    play.write({f"{each}/package.json": scripts for each in strange})
    play.write({"a/package.json": "{}", "b/venv/pyvenv.cfg": "", "b/venv/package.json": scripts})

    def told() -> str:
        with pytest.raises(TestsDidNotRun, match="no tests were found") as caught:
            found(play)
        return caught.value.whole

    assert f"{play.root}/a/deep/one has tests: name that folder, or the command" in told()
    play.write({"web/go.mod": "module web\n"})
    assert f"{play.root}/web has tests" in told()
    play.write({f"a{number}/b.txt": "" for number in range(3)})
    play.write({f"Many/{number}": "" for number in range(2_001)})
    assert "has tests" not in told()


def test_a_flag_for_a_shell_is_refused(play: Play) -> None:
    """A command that a person typed is never passed over in silence."""
    play.write({"a": ""})

    with pytest.raises(UsageError):
        found(play, flag="cd web && npm test")


def test_a_command_that_is_no_runner_is_a_command(play: Play) -> None:
    """What the probe cannot reach has no interpreter."""
    play.write({"a": ""})

    command = found(play, flag="tox -e py311")

    assert (Runner.COMMAND, None) == (command.runner, command.interpreter)


def test_paths_in_a_command_start_at_the_project(play: Play) -> None:
    """A relative program is the project's, and a script means the Python beside it."""
    (play.root / "env" / "bin").mkdir(parents=True)
    (play.root / "env" / "bin" / "python").symlink_to(sys.executable)
    (play.root / "env" / "bin" / "pytest").write_text("")

    command = found(play, flag="env/bin/pytest -q")

    assert Runner.PYTEST is command.runner
    assert command.interpreter is not None


def test_the_project_s_own_environment_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its `.venv`, here or above; then the active one; Clew's own if active, or without another."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    active = tmp_path / "active" / "bin" / "python"
    venv = tmp_path / ".venv" / "bin" / "python"
    for python in (active, venv):
        python.parent.mkdir(parents=True)
        python.touch(mode=0o755)
    monkeypatch.setenv("VIRTUAL_ENV", str(active.parents[1]))
    monkeypatch.delenv("CONDA_PREFIX", raising=False)

    assert active == find(inner, tmp_path)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    assert venv == find(inner, tmp_path)

    other = tmp_path / "other" / "python3"
    other.parent.mkdir()
    other.touch(mode=0o755)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.setenv("PATH", f"{Path(sys.prefix, 'bin')}:{other.parent}")
    (tmp_path / ".venv" / "pyvenv.cfg").unlink()
    assert own(find(inner, tmp_path))

    monkeypatch.delenv("VIRTUAL_ENV")
    assert other == find(inner, tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.prefix, "bin")))
    assert own(find(inner, tmp_path))


LED = ("AGENTS.md", "`make test` runs it")
RECIPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "plain": ("test:\n\tpytest -q tests\n", ("pytest", "-q", "tests")),
    "named": (
        "PY ?= python3\nARGS := -x\n.PHONY: test\ntest: #\n\t@echo\n\t$(PY) -m pytest $(ARGS)\n",
        ("python3", "-m", "pytest", "-x"),
    ),
    "behind another": (
        "test: unit\nunit: install\n\tpytest \\\n\t  -q\ninstall:\n\tpip install -e .\n",
        ("pytest", "-q"),
    ),
    "with variables": (
        "export MODE = dry\ntest:\n\tPYTHONPATH=src pytest\n",
        ("MODE=dry", "PYTHONPATH=src", "pytest"),
    ),
    "measured": (
        "test:\n\tcoverage run -m pytest\n\tcoverage report\n",
        ("coverage", "run", "-m", "pytest"),
    ),
    "told elsewhere": ("export TOKEN\ntest:\n\tpytest\n", ("pytest",)),
    "needed twice": ("test: a b\na: b\nb:\n\tpytest\n", ("pytest",)),
}


@pytest.mark.parametrize(("makefile", "argv"), RECIPES.values(), ids=RECIPES)
def test_what_make_leads_to_is_heard_test_by_test(
    play: Play, with_pytest: None, makefile: str, argv: tuple[str, ...]
) -> None:
    """Where a target runs one known runner, that runs, with its words; and it is said why."""
    play.write({"AGENTS.md": "## Tests\n`make test`\n", "Makefile": makefile})

    command = found(play)

    assert (Runner.PYTEST, argv) == (command.runner, command.argv)
    assert LED == (command.source, command.reason)
    assert ("make", "test") == found(play, flag="make test").argv
    assert ("make", "test") == found(play, settings="make test").argv


KEPT = {
    "judged by more": ("test:\n\truff check .\n\tpytest\n", "`ruff check .` as well"),
    "twice": ("test:\n\tpytest a\n\tpytest b\n", "`pytest b` as well"),
    "of a shell": ("test:\n\tpytest || true\n", "needs a shell"),
    "of a pattern": ("test:\n\tpytest tests/test_*.py\n", "needs a shell"),
    "worked out": ("test:\n\tpytest $(shell ls)\n", "make works out"),
    "conditional": ("ifdef CI\nARGS = -x\nendif\ntest:\n\tpytest $(ARGS)\n", "make works out"),
    "a branch": ("test:\nifdef CI\n\tpytest\nendif\n", "more ways than one"),
    "of its target": ("test: X = 1\ntest:\n\tpytest\n", "more ways than one"),
    "elsewhere": ("include common.mk\ntest:\n\t$(PYTEST)\n", "includes others"),
    "needs elsewhere": ("-include lint.mk\ntest: lint\n\tpytest\n", "includes others"),
    "needs of a pattern": ("test: lint-a\n\tpytest\nlint-%:\n\truff $*\n", "more ways than one"),
    "overridden": ("override ARGS = -x\ntest:\n\tpytest $(ARGS)\n", "make works out"),
    "of many lines": ("define lint\nruff .\nendef\ntest:\n\t$(lint)\n\tpytest\n", "works out"),
    "of the person": ("test:\n\tpytest --rootdir $(HOME)/x\n", "make works out"),
    "of make": ("export CC\ntest:\n\tCC=$(CC) pytest\n", "make works out"),
    "round": ("test: unit\nunit: test\n", "no runner"),
    "variables round": ("A = $(B)\nB = $(A)\ntest:\n\tpytest $(A)\n", "on and on"),
    "without a module": ("test:\n\tpython -m\n\tpytest\n", "`python -m` as well"),
    "too long": ("# " + "x" * 100_000 + "\ntest:\n\tpytest\n", "too long"),
    "multiplied": (
        "".join(f"A{n} = {f'$(A{n + 1})' * 90}\n" for n in range(8)) + "test:\n\tpytest $(A0)\n",
        "on and on",
    ),
    "unheard": ("test:\n\ttox\n", "no runner"),
    "a gate": ("test:\n\tcoverage run -m pytest\n\tcoverage report --fail-under=90\n", "as well"),
    "absent": ("all:\n\tpytest\n", "more ways than one"),
    "not here": ("test:\n\tenv/bin/pytest\n", "does not exist"),
}


@pytest.mark.parametrize("line", ["tox", "nox -s tests", "just test", "make -C app test"])
def test_what_is_not_looked_through_says_so(play: Play, with_pytest: None, line: str) -> None:
    """And what a person can do to have each test heard."""
    play.write({"AGENTS.md": f"## Tests\n`{line}`\n"})

    command = found(play)

    assert (Runner.COMMAND, line) == (command.runner, " ".join(command.argv))
    assert "name what it runs with --test-command" in command.reason


@pytest.mark.parametrize(("makefile", "why"), KEPT.values(), ids=KEPT)
def test_a_target_that_is_not_plain_stays_one_fact(
    play: Play, with_pytest: None, makefile: str, why: str
) -> None:
    """Whatever else decides how it ends would be lost; so it runs as it is named."""
    play.write({"AGENTS.md": "## Tests\n`make test`\n", "Makefile": makefile})

    command = found(play)

    assert (Runner.COMMAND, ("make", "test")) == (command.runner, command.argv)
    assert why in command.reason


@pytest.mark.parametrize("how", ["notes", "Makefile", "a link"])
def test_notes_name_no_python_that_came_with_the_repository(play: Play, how: str) -> None:
    """It would be asked about itself before there is a sandbox around it."""
    marker = play.root / "ran"
    program = "tool" if how == "a link" else "tools"
    line = f"{program}/python -m pytest"
    named = "make test" if how == "Makefile" else line
    play.write(
        {
            "AGENTS.md": f"## Tests\n`{named}`\n",
            "Makefile": f"test:\n\t{line}\n",
            "tools/python": f"#!/bin/sh\ntouch {marker}\n",
        }
    )
    (play.root / "tools" / "python").chmod(0o755)
    (play.root / "tool").symlink_to("tools")
    commit_all(play.root)

    if how == "Makefile":
        assert "part of the repository" in found(play).reason
    else:
        with pytest.raises(TestsDidNotRun, match="is part of the repository"):
            found(play)

    assert not marker.exists()
