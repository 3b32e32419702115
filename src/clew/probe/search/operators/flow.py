"""What waits and what yields: `await`, `async for`, `yield`, `yield from`."""

from __future__ import annotations

import ast
from typing import Iterator, Optional

from ..source import Splice, own_nodes
from .table import At, Idea, operator, short


@operator("await", 0.7, ast.Call, ast.Await)
def awaits(node: ast.AST, at: At) -> Iterator[Idea]:
    """Wait for a call within a coroutine, or do not."""
    if isinstance(node, ast.Await):
        yield at.put(node, at.text(node.value), 0.6, "drop `await`")
    elif isinstance(at.place.inner, ast.AsyncFunctionDef):
        parent = at.parent(node)
        if not isinstance(parent, ast.Await):
            weight = 1.0 if isinstance(parent, (ast.Expr, ast.Assign, ast.Return)) else 0.8
            yield at.put(node, "await " + at.text(node), weight)


@operator("await", 0.6, ast.For, ast.With, ast.AsyncFor, ast.AsyncWith)
def asynchronous(node: ast.AST, at: At) -> Iterator[Idea]:
    """`async for` for `for`, `async with` for `with`, and the reverse."""
    start = at.source.span(node)[0]
    if isinstance(node, (ast.AsyncFor, ast.AsyncWith)):
        word = "for" if isinstance(node, ast.AsyncFor) else "with"
        keyword = next((t for t in at.source.between(start, start + 80) if t.text == word), None)
        if keyword is not None:
            yield Idea(0.5, (Splice(start, keyword.start, ""),), "drop `async`")
    elif isinstance(at.place.inner, ast.AsyncFunctionDef):
        yield Idea(1.0, (Splice(start, start, "async "),), "insert `async`")


def generates(function: Optional[ast.AST]) -> bool:
    """Say whether a function yields, those within it aside."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function))


@operator("yield", 0.7, ast.Yield, ast.YieldFrom, ast.Expr, ast.Return)
def yields(node: ast.AST, at: At) -> Iterator[Idea]:
    """Hand on each element or the whole; hand on what a generator drops or returns."""
    start = at.source.span(node)[0]
    value = getattr(node, "value", None)
    if value is None:
        return
    first = at.source.outer_span(value)[0]
    if isinstance(node, ast.Yield):
        if not isinstance(at.place.inner, ast.AsyncFunctionDef):
            yield Idea(1.0, (Splice(start, first, "yield from "),), "yield each element")
    elif isinstance(node, ast.YieldFrom):
        yield Idea(1.0, (Splice(start, first, "yield "),), "yield the whole at once")
    elif generates(at.place.inner) and (isinstance(node, ast.Return) or is_call(value)):
        for word, weight in (("yield from", 0.9), ("yield", 0.7)):
            if word == "yield" or not isinstance(at.place.inner, ast.AsyncFunctionDef):
                words = "{} `{}`".format(word, short(at.text(value)))
                yield Idea(weight, (Splice(start, first, word + " "),), words)


def is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call)
