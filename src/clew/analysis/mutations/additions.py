"""Slips in what a fix adds: the conditions, handlers and numbers that were not there before.

A test that asks for such an addition notices when it is moved: when a condition always holds, or
never, when a handler passes the exception on, when a number is another. Where none does, the fix
could do without it, or with another in its place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from clew.analysis.context import LARGEST
from clew.analysis.mutations.faults import ByteEdit, Mutation
from clew.analysis.mutations.python import PythonText

__all__ = ["additions"]

FEW = frozenset({0, 1, 2})  # as sizes and places: few tests stand just there


class Added(NamedTuple):
    """One thing that a text says, and what a slip makes of it."""

    node: ast.AST
    operator: str
    change: ByteEdit


def additions(path: str, before: str, after: str, lines: Collection[int]) -> tuple[Mutation, ...]:
    """Return the slips in what the text of a file in Python says on `lines`, and did not before.

    Text that is no Python has none.
    """
    if not path.endswith(".py") or max(len(before), len(after)) > LARGEST:
        return ()
    try:
        source = PythonText(after)
        known = Counter(ast.dump(each.node) for each in _slips(PythonText(before)))
        found = [each for each in _slips(source) if source.line(each.change) in lines]
        said = Counter(ast.dump(each.node) for each in _slips(source))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        source.mutation(each.operator, each.change)
        for each in found
        if said[ast.dump(each.node)] > known[ast.dump(each.node)]
    )


def _slips(source: PythonText) -> Iterator[Added]:
    """Yield conditions, then handlers, then numbers."""
    nodes = list(_nodes(source.tree))
    for node in nodes:
        for condition in _conditions(node):
            yield Added(condition, "always so", source.replaced(condition, "True"))
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield Added(node.test, "never so", source.replaced(node.test, "False"))
    for node in nodes:
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Raise):
            start, end = source.span(node.body[0])[0], source.span(node.body[-1])[1]
            yield Added(node, "passed on", ByteEdit(start, end, b"raise"))
    sizes = {id(side) for node in nodes for side in _sizes(node)}
    for node in nodes:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            change = source.replaced(node, f"({node.value!r} + 1)")
            if id(node) not in sizes or node.value not in FEW:
                yield Added(node, "other number", change)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those within texts: not every version tells where they stand."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.JoinedStr):
            yield from _nodes(child)


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node goes by; that of a loop, which would not end, left out."""
    if isinstance(node, ast.If | ast.IfExp):
        yield node.test
    elif isinstance(node, ast.comprehension):
        yield from node.ifs


def _sizes(node: ast.AST) -> Iterator[ast.expr | None]:
    """Yield what may be a size, or a place among others."""
    match node:
        case ast.Compare():
            yield from (node.left, *node.comparators)
        case ast.Slice():
            yield from (node.lower, node.upper, node.step)
        case ast.Subscript():
            yield node.slice
        case ast.Call():
            yield from node.args
