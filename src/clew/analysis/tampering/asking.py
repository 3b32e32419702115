"""Code that asks for what only a double of the tests has: it is written for the double."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterable, Iterator

from clew.words.python_source import parsed

__all__ = ["of_doubles", "questions"]

# What plain things have, many doubles have as well.
USUAL = frozenset(
    name for kind in (str, bytes, list, dict, set, int, io.StringIO, type) for name in dir(kind)
)


def questions(before: str, after: str) -> dict[str, int]:
    """Return the attributes that a change of a file newly asks for by name, with their lines."""
    known = {name for name, _ in _asked(before)}
    found = dict(reversed(list(_asked(after))))
    return {name: line for name, line in found.items() if name not in known and name not in USUAL}


def of_doubles(names: Iterable[str], product: Iterable[str], tests: Iterable[str]) -> set[str]:
    """Return the names that classes of the tests have, and of which no code of the product tells.

    `product` are its texts as they were before.
    """
    wanted = {name for text in tests for name in _had(text)} & {*names}
    if not wanted:
        return set()
    return wanted - {word for text in product for word in re.findall(r"\w+", text)}


def _asked(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(parsed(text)):
        match node:
            case (
                ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=str(name))])
                | ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), _])
            ):
                yield name, node.lineno
            case _:
                continue


def _had(text: str) -> Iterator[str]:
    """Yield what the classes of a file give their objects."""
    for kind in ast.walk(parsed(text)):
        if not isinstance(kind, ast.ClassDef):
            continue
        for node in ast.walk(kind):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield name
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    yield name
                case ast.Name(id=name, ctx=ast.Store()):
                    yield name
                case _:
                    continue
