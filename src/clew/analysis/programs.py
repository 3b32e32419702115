"""What a command of Python's runs: code, a module or a script, with which arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import takewhile

from clew.words.facts import Fact

__all__ = ["ProgramKind", "PythonProgram", "assigned", "python_program"]

_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


class ProgramKind(StrEnum):
    """How it is named."""

    CODE = "code"
    MODULE = "module"
    SCRIPT = "script"


class PythonProgram(Fact, frozen=True, kw_only=True):
    """A program that a Python runs."""

    kind: ProgramKind
    name: str  # the code, the module, or the path
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}  # that its command sets


def assigned(argv: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Part what a command sets for its program, as in `A=1 program …`, from the program's words."""
    found = list(takewhile(bool, map(_ASSIGNMENT.fullmatch, argv)))
    return {each[1]: each[2] for each in found if each}, tuple(argv[len(found) :])


def python_program(argv: Sequence[str]) -> PythonProgram | None:
    """Take `python -c CODE`, `python -m MODULE …` and `python SCRIPT …` apart.

    None for any other command, and where the interpreter is given other options.
    """
    environment, argv = assigned(argv)
    if len(argv) < 2 or not _PYTHON.fullmatch(argv[0]):  # noqa: PLR2004 - a program and its name
        return None
    match argv[1:]:
        case ["-c", code, *args]:
            return PythonProgram(
                kind=ProgramKind.CODE, name=code, args=tuple(args), environment=environment
            )
        case ["-m", name, *args]:
            return PythonProgram(
                kind=ProgramKind.MODULE, name=name, args=tuple(args), environment=environment
            )
        case [path, *args] if not path.startswith("-"):
            return PythonProgram(
                kind=ProgramKind.SCRIPT, name=path, args=tuple(args), environment=environment
            )
    return None
