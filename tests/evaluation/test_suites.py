"""Suites are read in the layouts that they are published in."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.evaluation.suites import open_suite
from clew.evaluation.tasks import Task, TaskSuite, Version, digest, lay, surroundings
from clew.sandbox import processes
from clew.sandbox.confinement import clean_environment
from clew.words.errors import UsageError
from projects import write
from suiteplay import GREET, MOST, bugsinpy, humanevalpack, json_lines, quixbugs


def verdict(task: Task, version: Version, folder: Path) -> int | None:
    """Exit code of pytest on one version of a task, run as the task says."""
    root = lay(task, version, folder)
    words = task.test_command.split()[1:] if task.test_command else ["-m", "pytest"]
    done = processes.run(
        [sys.executable, *words, "-q", "-p", "no:cacheprovider"],
        cwd=root,
        env=clean_environment(
            {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        ),
        timeout=60,
    )
    return done.exit_code


def versions(suite: TaskSuite, name: str, folder: Path) -> tuple[int | None, int | None]:
    task = suite.task(name)
    buggy = verdict(task, Version.BUGGY, folder / "buggy")
    return buggy, verdict(task, Version.FIXED, folder / "fixed")


def test_json_lines_name_their_tasks(tmp_path: Path) -> None:
    """One task a line; its two versions differ in what their own files say."""
    suite = open_suite(json_lines(tmp_path / "mine.jsonl", MOST))
    assert ("mine", ("most",)) == (suite.name, suite.ids)
    task = suite.task("most")
    buggy = lay(task, Version.BUGGY, tmp_path / "buggy")
    assert "value < best" in (buggy / "most.py").read_text()
    assert (buggy / "test_most.py").exists()
    assert "value > best" in (lay(task, Version.FIXED, tmp_path / "f") / "most.py").read_text()


def test_a_task_is_known_again(tmp_path: Path) -> None:
    """By what it holds, wherever its suite lies; text that is no UTF-8 is no matter."""
    odd = MOST | {"folder": "base"}
    one = open_suite(json_lines(tmp_path / "here" / "mine.jsonl", odd)).task("most")
    other = open_suite(json_lines(tmp_path / "there" / "mine.jsonl", odd)).task("most")
    assert one.folder != other.folder
    assert digest(one) == digest(other)
    assert digest(one) != digest(replace(one, buggy={"most.py": "\udce9"}))


def test_a_line_that_is_no_task_is_named(tmp_path: Path) -> None:
    """The message has file, line and what is wrong with it."""
    path = json_lines(tmp_path / "mine.jsonl", MOST, {"buggy": {}})
    with pytest.raises(UsageError, match=r"mine\.jsonl, line 2: .*`id`"):
        open_suite(path)
    with pytest.raises(UsageError, match="two tasks 'most'"):
        open_suite(json_lines(path, MOST, MOST))
    with pytest.raises(UsageError, match=r"line 1: .*`held-out`"):
        open_suite(json_lines(path, MOST | {"held-out": {}}))


@pytest.mark.parametrize("write_suite", [lambda p: json_lines(p, MOST), humanevalpack])
def test_a_file_from_another_editor_holds_the_same_tasks(
    write_suite: Callable[[Path], Path], tmp_path: Path
) -> None:
    """A byte order mark, lines that end in CRLF and empty ones are no matter."""
    path = write_suite(tmp_path / "mine.jsonl")
    ids = open_suite(path).ids
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert ids == open_suite(path).ids


@pytest.mark.parametrize("path", ["../out.py", "/etc/out.py", "link/out.py"])
def test_a_task_stays_in_its_project(path: str, tmp_path: Path) -> None:
    """A path that leads elsewhere, by itself or through a link, is refused."""
    base = write(tmp_path / "base", {"a.py": ""})
    (base / "link").symlink_to(tmp_path)
    task = Task(id="x", folder=str(base), buggy={path: "x"})
    with pytest.raises(UsageError, match="project"):
        lay(task, Version.BUGGY, tmp_path / "laid")
    assert not (tmp_path / "out.py").exists()


@pytest.mark.parametrize("folder", ["gone", "file"])
def test_a_task_without_its_folder_says_so(folder: str, tmp_path: Path) -> None:
    """Task and folder are named; it is a matter of the suite, no breakdown."""
    (tmp_path / "file").touch()
    task = Task(id="mine", folder=str(tmp_path / folder), buggy={"a.py": "x"})
    with pytest.raises(UsageError, match=rf"'mine' .*/{folder}"):
        lay(task, Version.BUGGY, tmp_path / "laid")


def test_a_folder_holds_a_task(tmp_path: Path) -> None:
    """`buggy`, `fixed`, `tests`, `held-out`, a description; each file as it was, byte by byte."""
    write(
        tmp_path / "mine" / "one",
        {
            "buggy/a.py": "A = 1\n",
            "buggy/gone.py": "",
            "fixed/a.py": "A = 2\r\n",
            "tests/test_a.py": "import a\n",
            "held-out/test_b.py": "import a\n",
            "task.toml": 'kind = "constant"\nentry = "a.py::f"\n',
        },
    )
    (tmp_path / "mine" / "one" / "buggy" / "data.bin").write_bytes(b"\xff\x00")
    suite = open_suite(tmp_path / "mine")
    assert ("mine", ("one",)) == (suite.name, suite.ids)
    task = suite.task("one")
    assert ("constant", "a.py::f") == (task.kind, task.entry)
    buggy = lay(task, Version.BUGGY, tmp_path / "b")
    assert b"\xff\x00" == (buggy / "data.bin").read_bytes()
    assert not (buggy / "test_b.py").exists()
    fixed = lay(task, Version.FIXED, tmp_path / "f", held_out=True)
    assert ["a.py", "test_a.py", "test_b.py"] == sorted(p.name for p in fixed.iterdir())
    assert b"A = 2\r\n" == (fixed / "a.py").read_bytes()


def test_humanevalpack_asserts_become_tests(tmp_path: Path) -> None:
    """Each assert is a test of its own, with the statements before it; a bare `True` is none."""
    suite = open_suite(humanevalpack(tmp_path / "pack.jsonl"))
    assert ("Python/0", "Python/1") == suite.ids
    task = suite.task("Python/0")
    assert ("value misuse", "solution.py::half") == (task.kind, task.entry)
    test = task.tests["test_solution.py"]
    assert 2 == test.count("def test_")
    assert "    candidate = half\n    start = 8\n    assert candidate(start) == 4\n" in test
    assert (1, 0) == versions(suite, "Python/0", tmp_path)


def test_humanevalpack_is_found_in_the_folder_of_the_data_set(tmp_path: Path) -> None:
    """The folder is enough, as it is published."""
    humanevalpack(tmp_path / "data" / "python" / "data" / "humanevalpack.jsonl")
    assert "humanevalpack" == open_suite(tmp_path).name


def test_humanevalpack_lines_are_named(tmp_path: Path) -> None:
    """A second task of one name, a line that is none, and a test that is no `check`."""
    path = humanevalpack(tmp_path / "pack.jsonl")
    lines = path.read_text()
    path.write_text(lines + lines)
    with pytest.raises(UsageError, match="line 3: there are two tasks 'Python/0'"):
        open_suite(path)
    path.write_text(lines + "{oops\n")
    with pytest.raises(UsageError, match="line 3: JSON is malformed") as raised:
        open_suite(path)
    assert raised.value.hint.startswith("Mend that line")
    path.write_text(lines.replace("def check(candidate)", "def check()"))
    with pytest.raises(
        UsageError, match=r"test of Python/0 is not a function `check\(candidate\)`$"
    ):
        open_suite(path).task("Python/0")


def test_humanevalpack_of_another_language_is_refused(tmp_path: Path) -> None:
    """What could not be run is said before anything is."""
    path = humanevalpack(tmp_path / "pack.jsonl")
    path.write_text(path.read_text().replace("Python/1", "JavaScript/1"))
    with pytest.raises(UsageError, match="line 2: JavaScript/1 is not a Python task"):
        open_suite(path)


@pytest.mark.parametrize(
    "name",
    ["add", *(pytest.param(n, marks=pytest.mark.slow) for n in ("chain", "count"))],
)
def test_quixbugs_programs_are_tested_alone(name: str, tmp_path: Path) -> None:
    """By their pytest file or their JSON cases: red as they are, green as they should be."""
    suite = open_suite(quixbugs(tmp_path / "QuixBugs"))
    assert ("quixbugs", ("add", "chain", "count")) == (suite.name, suite.ids)
    assert f"python_programs/{name}.py::{name}" == suite.task(name).entry
    assert (1, 0) == versions(suite, name, tmp_path)
    assert not (tmp_path / "buggy" / "python_programs" / "graph.py").exists()


def test_bugsinpy_takes_commits_from_the_clone(tmp_path: Path) -> None:
    """The faulty commit with the tests of the fix; a project without a clone is left out."""
    suite = open_suite(bugsinpy(tmp_path / "BugsInPy"))
    assert ("greeter-1", "greeter-2", "greeter-10") == suite.ids
    task = suite.task("greeter-1")
    assert {"greet.py", "old.txt"} == task.buggy.keys()
    assert {"greet.py", "added.py"} == task.fixed.keys()
    assert GREET == task.fixed["greet.py"]
    both = "tests/test_greet.py::test_greet tests/test_greet.py::test_shout"
    assert f"python -m pytest {both}" == task.test_command
    assert (1, 0) == versions(suite, "greeter-1", tmp_path)
    assert not (tmp_path / "fixed" / "old.txt").exists()


def test_bugsinpy_says_how_a_bug_of_its_own_way_is_run(tmp_path: Path) -> None:
    """By its script as it stands, with the folders that its modules are found in."""
    root = bugsinpy(tmp_path / "BugsInPy")
    task = open_suite(root).task("greeter-2")
    assert "sh bugsinpy_run_test.sh" == task.test_command
    assert "python tests/test_greet.py Greet.test_greet\n" == task.tests["bugsinpy_run_test.sh"]
    assert ("build/lib", "test") == task.python_path
    with surroundings(task, root):
        found = os.environ["PYTHONPATH"].split(os.pathsep)
    assert [f"{root}/build/lib", f"{root}/test"] == found[-2:]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("tox tests/test_a.py::test_x\ntox tests/test_a.py::test_y", "pytest {}x {}y"),
        ("#!/bin/bash\n\npython3.6 -m pytest -q -s  tests/test_a.py::test_x\n", "pytest -q -s {}x"),
        ("pytest tests/test_a.py::test_x[don't]", "pytest '{}x[don'\"'\"'t]'"),
        ("pytest tests/test_a.py::test_x[#1]\r\n", "pytest '{}x[#1]'"),
        ("python3 -m unittest -q tests.a.A.test_x", "unittest -q tests.a.A.test_x"),
    ],
)
def test_bugsinpy_scripts_are_read_as_its_own_framework_does(
    script: str, command: str, tmp_path: Path
) -> None:
    """Words are parted at blanks alone; what tox is given is for the project's pytest."""
    root = bugsinpy(tmp_path / "BugsInPy")
    (root / "projects/greeter/bugs/1/run_test.sh").write_bytes(script.encode())
    expected = "python -m " + command.replace("{}", "tests/test_a.py::test_")
    assert expected == open_suite(root).task("greeter-1").test_command


def test_bugsinpy_names_folders_from_above_the_project_or_from_it(tmp_path: Path) -> None:
    """`NAME/build/lib/`, and in some bugs `build/lib/`."""
    root = bugsinpy(tmp_path / "BugsInPy")
    info = root / "projects/greeter/bugs/1/bug.info"
    info.write_text(f'pythonpath="build/lib/;greeter/;greeter/test/"\n{info.read_text()}')
    assert ("build/lib", "test") == open_suite(root).task("greeter-1").python_path


def test_bugsinpy_misses_a_commit_that_the_clone_lacks(tmp_path: Path) -> None:
    """A clone of a part of the history is no project without files."""
    suite = open_suite(bugsinpy(tmp_path / "BugsInPy"))
    with pytest.raises(UsageError, match="checkouts/greeter has no commit fffffff") as refused:
        suite.task("greeter-10")
    assert "fetch origin ffffff" in refused.value.hint


def test_what_is_no_suite_is_said(tmp_path: Path) -> None:
    """A path that is not there, and a folder without tasks."""
    with pytest.raises(UsageError, match="there is no suite"):
        open_suite(tmp_path / "absent")
    with pytest.raises(UsageError, match="no suite of a known layout"):
        open_suite(tmp_path)
