"""Fixes that only put back what stood there: a person wrote it, and not for these tests."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher

__all__ = ["puts_back"]

Bodies = dict[str, Counter[str]]
"""The statements of each function and class, and of the module itself (under no name)."""
Hunk = tuple[int, int, str]
PIECE = re.compile(r"\\.|\w+|[^\w]")


def puts_back(before: str, after: str, earlier: str) -> bool:
    """Tell whether all that a change of a file brings, and takes away, goes back to an earlier one.

    What is new in a function stood in the function of this name; what is gone did not. A part of a
    statement may be put back as well, beside what came since. A compound statement counts by its
    head. Text that is no Python goes back to nothing.
    """
    try:
        was, now, then = _bodies(before), _bodies(after), _bodies(earlier)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    changed = [name for name in was.keys() | now.keys() if was[name] != now[name]]
    return bool(changed) and all(_goes_back(was[n], now[n], then[n]) for n in changed)


def _goes_back(was: Counter[str], now: Counter[str], then: Counter[str]) -> bool:
    brought, gone = now - was, was - now
    mixed = [each for each in brought - then if any(_mixes(s, each, e) for s in gone for e in then)]
    return brought - Counter(mixed) <= then and all(then[each] <= now[each] for each in gone)


def _mixes(today: str, made: str, earlier: str) -> bool:
    """Tell whether a statement has what an earlier one had where today's parts from that."""
    changed = _hunks(today, earlier)
    return all(
        any(a <= start and end <= b and text.strip(", ") in old for a, b, old in changed)
        for start, end, text in _hunks(today, made)
    )


def _hunks(one: str, other: str) -> list[Hunk]:
    """Return where two texts part: places in the first, and what the second has there."""
    here, there = PIECE.findall(one), PIECE.findall(other)
    codes = SequenceMatcher(None, here, there, autojunk=False).get_opcodes()
    return [(a, b, "".join(there[c:d])) for kind, a, b, c, d in codes if kind != "equal"]


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
            parts.append(f"{field}={[_told(each) for each in values]}")
    return " ".join(parts)


def _told(value: object) -> str:
    """Return a part of a statement as code; what is none by itself, as an operator, by its name."""
    if not isinstance(value, ast.AST):
        return repr(value)
    return ast.unparse(value) or ast.dump(value)
