"""Slips in what a fix adds: the conditions, handlers and numbers that were not there before.

A test that asks for such an addition notices when it is moved: when a condition always holds, or
never, when a handler passes the exception on, when a number is another. Where none does, the fix
could do without it, or with another in its place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator

from clew.analysis.context import LARGEST, language_of
from clew.analysis.mutations.faults import ByteEdit, ByteText, Mutation
from clew.analysis.mutations.grammars import GRAMMARS, sayings
from clew.analysis.mutations.python import PythonText

__all__ = ["additions"]

FEW = frozenset({0, 1, 2})  # as sizes and places: few tests stand just there
LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)  # these need brackets beside others
Saying = tuple[str, str, ByteEdit]
"""What a text says, the kind of a slip in it, and the slip."""


def additions(path: str, before: str, after: str, lines: Collection[int]) -> tuple[Mutation, ...]:
    """Return the slips in what the text of a file says on `lines`, and did not say before.

    Where one of the two cannot be read, there are none. Raises ImportError if the grammar of its
    language is not installed.
    """
    if max(len(before), len(after)) > LARGEST:
        return ()
    was, found = _sayings(path, before), _sayings(path, after)
    if was is None or found is None:
        return ()
    known, now = (Counter(said for said, _, _ in each) for each in (was, found))
    source = ByteText(after)
    return tuple(
        source.mutation(operator, change)
        for said, operator, change in found
        if now[said] > known[said] and source.lines(change).start in lines
    )


def _sayings(path: str, text: str) -> list[Saying] | None:
    """Return what a text says; nothing if it cannot be read."""
    language = language_of(path)
    try:
        if path.endswith(".py"):
            return list(_of_python(PythonText(text)))
        return sayings(text, language) if language and language.name in GRAMMARS else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _of_python(source: PythonText) -> Iterator[Saying]:
    """Yield conditions, then their parts, then handlers, then numbers."""
    nodes = list(_nodes(source.tree))
    for node in nodes:
        for condition in _conditions(node):
            yield ast.dump(condition), "always so", source.replaced(condition, "True")
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield ast.dump(node.test), "never so", source.replaced(node.test, "False")
    for node in nodes:
        yield from _of_parts(node, source)
    for node in nodes:
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Raise):
            start, end = source.span(node.body[0])[0], source.span(node.body[-1])[1]
            yield ast.dump(node), "passed on", ByteEdit(start, end, b"raise")
    sizes = {id(side) for node in nodes for side in _sizes(node)}
    for node in nodes:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            change = source.replaced(node, f"({node.value!r} + 1)")
            if id(node) not in sizes or node.value not in FEW:
                yield ast.dump(node), "other number", change


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those within texts: not every version tells where they stand."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.JoinedStr):
            yield from _nodes(child)


def _of_parts(node: ast.AST, source: PythonText) -> Iterator[Saying]:
    """Yield what stands beside others: a part of a condition, one of the errors of a handler."""
    match node:
        case ast.BoolOp(op=op, values=parts):
            word = " and " if isinstance(op, ast.And) else " or "
        case ast.ExceptHandler(type=ast.Tuple(elts=parts) as node):
            word = ", "
        case _:
            return
    for part in parts if len(parts) > 1 else ():
        left = [each for each in parts if each is not part]
        rest = word.join(
            f"({source.of(e)})" if isinstance(e, LOOSE) else source.of(e) for e in left
        )
        change = source.replaced(node, rest if len(left) == 1 else f"({rest})")
        yield f"{word}{ast.dump(part)}", "lost part", change


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
