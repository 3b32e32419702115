"""HumanEvalPack (the bug-fixing tasks, Python): one function a task, asserts in one `check`."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec

from clew.evaluation.suites.lines import read_lines
from clew.evaluation.tasks import Task
from clew.words.errors import UsageError

__all__ = ["HumanEvalPack", "split_tests"]

MODULE, TESTS = "solution.py", "test_solution.py"
PYTHON = "Python/"


class HumanEvalLine(msgspec.Struct, frozen=True):
    """The fields of a line that are read; a data set has more."""

    task_id: str
    declaration: str
    buggy_solution: str
    canonical_solution: str
    test: str
    entry_point: str
    bug_type: str = ""
    test_setup: str = ""


class HumanEvalPack:
    """The tasks of one file; each becomes a module and one test an assert."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self._lines: dict[str, HumanEvalLine] = {}
        for number, line in read_lines(path, HumanEvalLine, lambda line: line.task_id):
            if not line.task_id.startswith(PYTHON):
                raise UsageError(
                    f"{path}, line {number}: {line.task_id} is not a Python task",
                    hint="Only the Python split can be run.",
                )
            self._lines[line.task_id] = line

    @staticmethod
    def recognises(path: Path) -> bool:
        """Whether the first line of a file is a bug-fixing task."""
        if not (path.is_file() and path.suffix == ".jsonl"):
            return False
        with path.open("rb") as file:
            first = file.readline()
        return b'"buggy_solution"' in first and b'"canonical_solution"' in first

    @property
    def ids(self) -> tuple[str, ...]:
        """All tasks, in the order of the lines."""
        return tuple(self._lines)

    def task(self, name: str) -> Task:
        """Make a small project of a line. Raises UsageError if its test is no `check` function."""
        line = self._lines[name]
        try:
            tests = split_tests(line.test, line.entry_point, line.test_setup)
        except (SyntaxError, StopIteration, IndexError) as error:
            raise UsageError(
                f"the test of {name} is not a function `check(candidate)`",
                hint="Mend `test` in its line, or leave the task out with --only.",
            ) from error
        return Task(
            id=name,
            buggy={MODULE: line.declaration + line.buggy_solution},
            fixed={MODULE: line.declaration + line.canonical_solution},
            tests={TESTS: tests, "pytest.ini": "[pytest]\n"},
            kind=line.bug_type,
            entry=f"{MODULE}::{line.entry_point}",
        )


def split_tests(test: str, entry: str, setup: str = "") -> str:
    """Return a test module: each assert of `check` is a test, with the statements before it."""
    check = next(n for n in ast.parse(test).body if isinstance(n, ast.FunctionDef))
    candidate = check.args.args[0].arg
    before = [] if candidate == entry else [f"{candidate} = {entry}"]
    tests: list[str] = []
    for statement in check.body:
        text = ast.unparse(statement)
        if not any(isinstance(n, ast.Assert) for n in ast.walk(statement)):
            before.append(text)
        elif not (isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Constant)):
            tests.append("\n".join([*before, text]))
    head = f"{setup}\nfrom solution import *\nfrom solution import {entry}\n".lstrip()
    return head + "".join(
        f"\n\ndef test_{number:02}():\n    {indented}\n"
        for number, text in enumerate(tests, 1)
        for indented in [text.replace("\n", "\n    ")]
    )
