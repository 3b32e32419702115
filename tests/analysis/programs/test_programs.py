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


def test_what_a_command_sets_first_is_the_program_s_environment() -> None:
    """As a shell has it: names and values before the program, and none behind it."""
    argv = ("PYTHONPATH=src", "EMPTY=", "RATE=a=b", "python3", "-m", "shop", "X=1")
    program = python_program(argv)
    assert program
    assert {"PYTHONPATH": "src", "EMPTY": "", "RATE": "a=b"} == program.environment
    assert ("shop", ("X=1",)) == (program.name, program.args)
    assert python_program(("1X=2", "python3", "-m", "shop")) is None
    assert python_program(("X=2",)) is None
