"""Fixes that only put back what stood there: a person wrote it, and not for these tests."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator

__all__ = ["puts_back"]

Bodies = dict[str, Counter[str]]
"""The statements of each function and class, and of the module itself (under no name)."""


def puts_back(before: str, after: str, earlier: str) -> bool:
    """Tell whether all that a change of a file brings, and takes away, goes back to an earlier one.

    What is new in a function stood in the function of this name; what is gone did not. A compound
    statement counts by its head. Text that is no Python goes back to nothing.
    """
    try:
        was, now, then = _bodies(before), _bodies(after), _bodies(earlier)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    changed = [name for name in was.keys() | now.keys() if was[name] != now[name]]
    return bool(changed) and all(_goes_back(was[n], now[n], then[n]) for n in changed)


def _goes_back(was: Counter[str], now: Counter[str], then: Counter[str]) -> bool:
    brought, gone = now - was, was - now
    return brought <= then and all(then[each] <= now[each] for each in gone)


def _bodies(text: str) -> Bodies:
    found: Bodies = defaultdict(Counter)
    for name, statement in _statements(ast.parse(text), "", ""):
        found[name][statement] += 1
    return found


def _statements(node: ast.AST, name: str, under: str) -> Iterator[tuple[str, str]]:
    """Yield each statement below a node, with the function or class around it.

    A statement is told with what it stands `under` there: conditions, loops, handlers.
    """
    for field, value in ast.iter_fields(node):
        for inner in value if isinstance(value, list) else ():
            if not isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
                continue
            head = f"{under} {field}: {_head(inner)}"
            yield name, head
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _statements(inner, f"{name}.{inner.name}", "")
            else:
                yield from _statements(inner, name, head)


def _head(statement: ast.AST) -> str:
    """Return a statement in words that are the same for the same code, without what is in it."""
    parts = [type(statement).__name__]
    for field, value in ast.iter_fields(statement):
        inside = isinstance(value, list) and any(
            isinstance(each, ast.stmt | ast.excepthandler | ast.match_case) for each in value
        )
        if not inside:
            values = value if isinstance(value, list) else [value]
            said = [ast.dump(each) if isinstance(each, ast.AST) else repr(each) for each in values]
            parts.append(f"{field}={said}")
    return " ".join(parts)
