"""Fixes that move a border: `>` for `>=`, one more or less in a comparison or a range.

Such a fix shows at one number alone, and its answer there may be unlike that of any neighbour. It
is not made for a test all the same: it adds no branch and no value, so it knows nobody's numbers.
"""

from __future__ import annotations

import ast

__all__ = ["moves_borders"]

MIRRORED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def moves_borders(before: str, after: str) -> bool:
    """Tell whether two versions of a Python file differ, and by the place of borders alone."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return False
    return ast.dump(old) != ast.dump(new) and _alike(old, new, border=False)


def _alike(old: object, new: object, *, border: bool) -> bool:
    """Compare two parts of programs; at a border one more or less is no difference."""
    if border and isinstance(old, ast.expr) and isinstance(new, ast.expr):
        (old, by), (new, to) = _shifted(old), _shifted(new)
        if isinstance(old, ast.Constant) and isinstance(new, ast.Constant):
            one, two = old.value, new.value
            if type(one) is int and type(two) is int:
                return abs((one + by) - (two + to)) <= 1
        if abs(by - to) > 1:
            return False
    if isinstance(old, list) and isinstance(new, list):
        pairs = zip(old, new, strict=False)
        return len(old) == len(new) and all(_alike(a, b, border=border) for a, b in pairs)
    if not isinstance(old, ast.AST) or type(old) is not type(new):
        return type(old) is type(new) and old == new
    if isinstance(old, ast.Compare) and isinstance(new, ast.Compare):
        left, right = _mirrored(old), _mirrored(new)
        if all(isinstance(each, ORDERED) for each in (*left.ops, *right.ops)):
            parts = zip(_operands(left), _operands(right), strict=False)
            same = len(left.ops) == len(right.ops)
            return same and all(_alike(a, b, border=True) for a, b in parts)
    within = isinstance(old, ast.Call) and _is_range(old)
    return all(
        _alike(getattr(old, name, None), getattr(new, name, None), border=within)
        for name in old._fields
    )


def _shifted(node: ast.expr) -> tuple[ast.expr, int]:
    """Take a whole number away that is added to something; return it beside the rest."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and isinstance(node.right, ast.Constant)
        and type(node.right.value) is int
    ):
        by = node.right.value
        return node.left, by if isinstance(node.op, ast.Add) else -by
    return node, 0


def _mirrored(node: ast.Compare) -> ast.Compare:
    """Return `a > b` as `b < a`."""
    turned = MIRRORED.get(type(node.ops[0])) if len(node.ops) == 1 else None
    if turned is None:
        return node
    return ast.Compare(left=node.comparators[0], ops=[turned()], comparators=[node.left])


def _operands(node: ast.Compare) -> list[ast.expr]:
    return [node.left, *node.comparators]


def _is_range(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "range"
