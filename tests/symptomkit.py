"""Mistakes in real packages that no test shows, and what somebody who uses one tells of them.

`symptoms.toml` has both; `benchmarks/symptoms.py` has each looked into and fixed.
"""

from __future__ import annotations

import ast
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import msgspec

from packagekit import FETCHED, PACKAGES, checkout, python
from projects import git

__all__ = ["Symptom", "enclosing", "prepare", "suite", "symptoms"]

FILE = Path(__file__).with_name("symptoms.toml")


class Symptom(msgspec.Struct, frozen=True, kw_only=True):
    """A mistake, what is told of it, and what who tells it knows when asked."""

    package: str
    name: str
    kind: str  # words, traceback or command
    mistake: str
    file: str
    function: str  # qualified, in that file
    current: str
    should_be: str
    told: str
    command: str
    actual: str = ""
    expected: str = ""
    traceback: str = ""
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()  # tests that take too long to be in the checkout

    @property
    def fields(self) -> str:
        """What is seen and what should be, a line each."""
        told = (("expected", self.expected), ("actual", self.actual))
        return "".join(f"{name}: {text}\n" for name, text in told if text)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """All of them, in the order of the file."""
    told = tomllib.loads(FILE.read_text("utf-8"))["symptom"]
    return tuple(msgspec.convert(told, list[Symptom]))


def prepare(symptom: Symptom, folder: Path) -> tuple[Path, int]:
    """Return a checkout with the mistake, one commit, and how many tests were taken out of it.

    Its tests are green: those that the mistake turns red are not there any more.
    """
    checkout(PACKAGES[symptom.package], folder)
    file = folder / symptom.file
    text = file.read_text("utf-8")
    assert symptom.current in text, symptom.name
    file.write_text(text.replace(symptom.current, symptom.should_be, 1), "utf-8")
    _, red = suite(folder, symptom.tests)
    for test in (*red, *symptom.left_out):
        _take_out(folder, test)
    code, left = suite(folder, symptom.tests)
    assert (0, []) == (code, left), symptom.name
    git(folder, "commit", "-qa", "--amend", "--no-edit")
    return folder, len(red)


def suite(folder: Path, tests: tuple[str, ...]) -> tuple[int, list[str]]:
    """Run tests of a package as its developers do: the exit code, and the tests that are red."""
    done = subprocess.run(
        [python(folder), "-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", *tests],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    red = [line.split(" ")[1] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    return done.returncode, list(dict.fromkeys(test.partition("[")[0] for test in red))


def _take_out(folder: Path, test: str) -> None:
    name, *inside = test.split("::")
    file = folder / name
    lines = file.read_text("utf-8").splitlines(keepends=True)
    known = {path: found for found, path in _functions("".join(lines))}
    inherited = next((path for path in known if path.endswith(f".{inside[-1]}")), "")
    found = known.get(".".join(inside)) or known.get(inherited)
    if found is None:  # it was taken out where it is inherited from
        return
    first = min([found.lineno, *(each.lineno for each in found.decorator_list)])
    lines[first - 1 : found.end_lineno] = [f"{' ' * found.col_offset}pass\n"]
    file.write_text("".join(lines), "utf-8")


def enclosing(package: str, file: str, line: int) -> str:
    """Return the innermost function around a line of a package's file; empty for none."""
    path = FETCHED / "sources" / package / file
    if not path.is_file() or path.suffix != ".py":
        return ""
    around = [
        (found.lineno, name)
        for found, name in _functions(path.read_text("utf-8"))
        if found.lineno <= line <= (found.end_lineno or 0)
    ]
    return max(around)[1] if around else ""


def _functions(text: str) -> list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Return all functions of a source with their qualified names."""
    found: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]] = []
    left: list[tuple[ast.AST, str]] = [(ast.parse(text), "")]
    while left:
        node, name = left.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}".lstrip(".")
                if not isinstance(child, ast.ClassDef):
                    found.append((child, inner))
            left.append((child, inner))
    return found
