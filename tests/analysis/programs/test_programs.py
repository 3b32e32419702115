"""A command of Python's is taken apart: code, a module, a script."""

from __future__ import annotations

import pytest

from clew.analysis.programs import ProgramKind, PythonProgram, python_program


@pytest.mark.parametrize(
    ("argv", "kind", "name", "args"),
    [
        (("python3", "-m", "shop", "1", "-x"), ProgramKind.MODULE, "shop", ("1", "-x")),
        (("/usr/bin/python3.12", "-c", "f()"), ProgramKind.CODE, "f()", ()),
        (("pypy3", "a/run.py", "b"), ProgramKind.SCRIPT, "a/run.py", ("b",)),
    ],
)
def test_what_python_runs(
    argv: tuple[str, ...], kind: ProgramKind, name: str, args: tuple[str, ...]
) -> None:
    assert PythonProgram(kind=kind, name=name, args=args) == python_program(argv)


@pytest.mark.parametrize(
    "argv", [(), ("python",), ("node", "a.js"), ("python", "-B", "a.py"), ("python", "-m")]
)
def test_anything_else_is_none(argv: tuple[str, ...]) -> None:
    """Options of the interpreter may change what runs."""
    assert python_program(argv) is None
