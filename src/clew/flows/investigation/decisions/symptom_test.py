"""A reproduction as a test: code that a person typed to show the symptom, where tests are."""

from __future__ import annotations

import ast
import re
import shlex
from collections import Counter
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import NamedTuple

from clew.analysis.testfiles import is_test_path
from clew.flows.investigation.states import DebugState

__all__ = ["SymptomTest", "symptom_test"]

_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")


class SymptomTest(NamedTuple):
    """A file with one test; its path is below the project's root."""

    file: str
    name: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.file}::{self.name}"


def symptom_test(state: DebugState, files: Collection[str], subdir: str) -> SymptomTest | None:
    """Return the reproduction as a test, where it is `python -c CODE` and fails each time.

    `files` are the project's, `subdir` the folder of it that is worked on. None for any other
    command, and where a file of that name is there.
    """
    seen, code = state.reproduced, _code(state.command)
    if seen is None or seen.exit_code != 1 or seen.failed < seen.runs or not code:
        return None
    name = f"test_{state.session.slug.replace('-', '_')}"
    file = f"{_folder(files, subdir)}{name}.py"
    test = ast.parse(f"def {name}():\n    pass\n")
    test.body[0].body = [ast.Expr(ast.Constant(state.session.trigger)), *code]  # type: ignore[attr-defined]
    text = f"{ast.unparse(ast.fix_missing_locations(test))}\n"
    return None if file in files else SymptomTest(file, name, text)


def _code(command: str) -> list[ast.stmt]:
    """Return the statements of `python -c CODE`; none of what a function cannot hold."""
    try:
        program, flag, code = shlex.split(command)
        body = ast.parse(code).body
    except (ValueError, SyntaxError, RecursionError):
        return []
    star = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in body)
    return body if _PYTHON.fullmatch(program) and flag == "-c" and not star else []


def _folder(files: Collection[str], subdir: str) -> str:
    """Return the folder that most tests are in, as what a path begins with."""
    begin = f"{subdir}/" if subdir not in ("", ".") else ""
    tests = [file for file in files if file.startswith(begin) and is_test_path(file)]
    parents = Counter(str(PurePosixPath(file).parent) for file in tests if file.endswith(".py"))
    most = min(parents, key=lambda each: (-parents[each], each), default=begin.rstrip("/"))
    return f"{most}/" if most not in ("", ".") else ""
