"""Checks that a fix takes away, and errors of any kind that it newly keeps quiet.

Either may be right. A test that is green with it does not say so: it would be green with less.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from clew.words.python_source import parsed

__all__ = ["loosened"]

ALL = frozenset({"BaseException", "Exception"})
Texts = Mapping[str, tuple[str, str]]


def loosened(changes: Texts) -> tuple[str, ...]:
    """Name what a change of files makes less strict; each has its text before and after."""
    quiet = [words for path, texts in changes.items() for words in _newly_quiet(path, *texts)]
    before = [check for was, _ in changes.values() for check in _checks(was)]
    after = [check for _, now in changes.values() for check in _checks(now)]
    gone = (Counter(before) - Counter(after)) if len(after) < len(before) else Counter[str]()
    return (*quiet, *(f"`{check}` is gone" for check in gone))


def _newly_quiet(path: str, before: str, after: str) -> Iterator[str]:
    known = Counter(words for words, _ in _quiet(before))
    for words, line in _quiet(after):
        if known[words]:
            known[words] -= 1
        else:
            yield f"{path}:{line} `{words}` keeps any error quiet"


def _quiet(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(parsed(text)):
        match node:
            case ast.ExceptHandler(type=None) if not _raises(node):
                yield "except:", node.lineno
            case ast.ExceptHandler(type=ast.expr() as kind) if _is_all(kind) and not _raises(node):
                yield f"except {ast.unparse(kind)}:", node.lineno
            case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress")):
                if any(_is_all(each) for each in node.args):
                    yield ast.unparse(node), node.lineno
            case _:
                continue


def _is_all(kind: ast.expr) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(isinstance(each, ast.Name) and each.id in ALL for each in kinds)


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for each in handler.body for node in ast.walk(each))


def _checks(text: str) -> Iterator[str]:
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Raise | ast.Assert):
            yield ast.unparse(node)
