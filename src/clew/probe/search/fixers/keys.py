"""Keys that are not there."""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Tuple

from ..crashes import SearchCrash
from ..files import ProjectSources, close
from ..source import Patch, Source, Splice
from .names import FAMILY, at_line, enclosing

__all__ = ["key"]

MOST_KEYS = 12  # that are there, and look like the missing one in nothing


def other_keys(
    name: str, crash: SearchCrash, source: Source, node: ast.AST
) -> Iterator[Tuple[float, str]]:
    """Yield keys that are there: close ones, those that the statement says too, and the rest."""
    near = close(name, crash.names)
    statement: Any = node
    while not isinstance(statement, ast.stmt):
        statement = source.parent(statement)
    said = {n.value for n in ast.walk(statement) if isinstance(n, ast.Constant)}
    for rank, other in enumerate(near):
        yield 2.0 - 0.05 * rank, other
    rest = [other for other in crash.names if other not in near]
    for rank, other in enumerate(rest[:MOST_KEYS]):
        yield (1.9 if other in said else 1.3) - 0.02 * rank, other


def key(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Use a key that looks like the missing one, where it is read or in a dict's literal."""
    found: List[Patch] = []
    name = crash.missing
    if not name:
        return found
    for source, line in list(project.frames(crash.frames))[:3]:
        for node in at_line(source, line):
            if isinstance(node, ast.Constant) and node.value == name:
                for weight, other in other_keys(name, crash, source, node):
                    words = "replace the key {!r} by {!r}".format(name, other)
                    change = Splice(*source.span(node), repr(other))
                    found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                found += told(source, line, node, name)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                value, index = source.segment(node.value), source.segment(node.slice)
                for text in ("{}.get({})", "{}.get({}, 0)", "{}.get({}, '')", "{}.get({}, [])"):
                    new = text.format(value, index)
                    change = Splice(*source.span(node), new)
                    words = "replace `{}` by `{}`".format(source.segment(node), new)
                    found.append(Patch(source.path, line, FAMILY, 1.0, words, (change,)))
    for path in project.files():
        source_of = project.source(path)
        if source_of is None:
            continue
        for node in ast.walk(source_of.tree):
            if not isinstance(node, ast.Dict):
                continue
            keys = [
                k for k in node.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)
            ]
            for other in close(name, [str(k.value) for k in keys], 2, 0.7):
                for item in keys:
                    if item.value == other and other in crash.names:
                        change = Splice(*source_of.span(item), repr(name))
                        words = "replace the key {!r} by {!r}".format(other, name)
                        found.append(Patch(path, item.lineno, FAMILY, 1.7, words, (change,)))
    return found


def told(source: Source, line: int, call: ast.Call, name: str) -> Iterator[Patch]:
    """Tell `format` the word that a text asks for: a variable of its name, or like it."""
    method: Any = call.func
    if method.attr != "format" or any(each.arg in (name, None) for each in call.keywords):
        return
    around = list(dict.fromkeys(enclosing(source, line)))
    like = [other for other in around if name in other or other in name]
    like += close(name, [other for other in around if other not in like])
    rest = [other for other in around if other not in like]
    end = source.span(call)[1] - 1
    comma = ", " if call.args or call.keywords else ""
    for rank, other in enumerate([*like, *rest[:MOST_KEYS]]):
        weight = (2.0 if other == name else 1.9 if other in like else 1.3) - 0.02 * rank
        text = "{}{}={}".format(comma, name, other)
        words = "tell `format` `{}={}`".format(name, other)
        yield Patch(source.path, line, FAMILY, weight, words, (Splice(end, end, text),))
