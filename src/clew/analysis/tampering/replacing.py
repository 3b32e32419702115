"""Answers that are one constant in the place of another: a typing slip in a text, a wrong code.

The statement stands under the same conditions, and says the same but for constants of the same
kind. Nothing was computed there before, so that nothing is now says nothing against a fix.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator

__all__ = ["exchanged", "replaced", "replaces"]

Path = tuple[str, ...]
HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def replaced(old: ast.Module, new: ast.Module) -> frozenset[int]:
    """Return the ids of the parts of answers that replace constants of the old program."""
    before = {(path, _masked(node)) for path, node in _answers(old)}
    return frozenset(
        id(part)
        for path, node in _answers(new)
        if (path, _masked(node)) in before
        for part in ast.walk(node)
    )


def replaces(before: str, after: str) -> bool:
    """Tell whether two versions of a Python file differ, and by constant answers alone."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return False
    return ast.dump(old) != ast.dump(new) and _blanked(old) == _blanked(new)


def exchanged(old: ast.Module, new: ast.Module) -> frozenset[int]:
    """Return the ids of texts that stand in comparisons of the old program in place of others.

    No comparison of that form is new: each was there, with another text.
    """
    before, after = Counter(map(_masked_texts, _compared(old))), list(_compared(new))
    now = Counter(map(_masked_texts, after))
    return frozenset(
        id(part)
        for node in after
        if now[_masked_texts(node)] <= before[_masked_texts(node)]
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def _compared(tree: ast.AST) -> Iterator[ast.Compare]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Compare))


def _masked_texts(node: ast.Compare) -> str:
    return ast.dump(_MaskingTexts().visit(copy.deepcopy(node)))


class _MaskingTexts(ast.NodeTransformer):
    """Has all texts alike, wherever they stand."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("text") if isinstance(node.value, str) else node


def _blanked(tree: ast.Module) -> str:
    for _, node in _answers(tree):
        if isinstance(node, ast.Return):
            node.value = node.value and _Masking().visit(node.value)
    return ast.dump(tree)


def _answers(node: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.Return | ast.Assign]]:
    """Yield what answers, or gives a name, with the conditions that it stands under."""
    if isinstance(node, ast.Return | ast.Assign):
        yield path, node
        return
    parts = list(ast.iter_fields(node))
    head = node.name if isinstance(node, NAMED) else _said(parts)
    for name, value in parts:
        if _holds(value):
            for each in value:
                yield from _answers(each, (*path, type(node).__name__, head, name))


def _said(parts: list[tuple[str, object]]) -> str:
    """Return what a statement asks for, without those that it holds."""
    return "".join(ast.dump(part) for _, part in parts if isinstance(part, ast.AST))


def _holds(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, HOLDERS) for each in value)


def _masked(node: ast.Return | ast.Assign) -> str:
    return ast.dump(_Masking().visit(copy.deepcopy(node)))


class _Masking(ast.NodeTransformer):
    """Has of each constant that is answered its kind alone, and leaves what computes and asks."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        nothing = not node.value and not isinstance(node.value, bool)  # it may stand for a stub
        return ast.Constant("nothing" if nothing else type(node.value).__name__)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        minus = isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
        return self.visit(node.operand) if minus else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        kept = isinstance(node, ast.Return | ast.Assign | ast.Tuple | ast.List | ast.Dict)
        return super().generic_visit(node) if kept else node
