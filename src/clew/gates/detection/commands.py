"""What kind of gate a command is, and which tool it runs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from clew.analysis.failures.linting import checker
from clew.words.gates import GateKind

__all__ = ["kind_of", "tool_of"]

_TYPES = frozenset({"basedpyright", "mypy", "pyright", "pytype"})


def kind_of(argv: Sequence[str], *, otherwise: GateKind) -> GateKind:
    """Return whether a command checks types or lints, by its program."""
    tool = checker(argv)
    if not tool:
        return otherwise
    return GateKind.TYPES if tool in _TYPES else GateKind.LINT


def tool_of(argv: Sequence[str]) -> str:
    """Return the name of the gate that a checker's command is: `ruff format` is another one."""
    tool = checker(argv)
    return f"{tool}-format" if tool == "ruff" and "format" in argv[:4] else tool
