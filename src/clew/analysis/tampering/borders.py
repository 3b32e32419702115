"""Fixes that move a border: `>` for `>=`, one more or less in a comparison or a range.

Such a fix shows at one number alone, and its answer there may be unlike that of any neighbour: so
does a right one, where a border was wrong by one, and so does one that moves the border around a
number that is wrong. By what they do they cannot be told apart.
"""

from __future__ import annotations

import ast

__all__ = ["moves_borders"]

MIRRORED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
UP, DOWN = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
FAR = 2  # more than a border may move


def moves_borders(before: str, after: str) -> bool:
    """Tell whether two versions of a Python file differ, and by the place of borders alone."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return False
    return ast.dump(old) != ast.dump(new) and _alike(old, new)


def _alike(old: object, new: object) -> bool:
    """Compare two parts of programs; that a border moved by one is no difference."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_alike, old, new))
    if not isinstance(old, ast.AST) or type(old) is not type(new):
        return type(old) is type(new) and old == new
    if isinstance(old, ast.Compare) and isinstance(new, ast.Compare):
        old, new = _mirrored(old), _mirrored(new)
        if _compared_alike(old, new):
            return True
    if isinstance(old, ast.Call) and isinstance(new, ast.Call) and _is_range(old):
        return _ranges_alike(old, new)
    return all(_alike(getattr(old, name, None), getattr(new, name, None)) for name in old._fields)


def _compared_alike(old: ast.Compare, new: ast.Compare) -> bool:
    """Tell whether each border of a chain moved by one at most, and lies on the same side."""
    if len(old.ops) != len(new.ops):
        return False
    signs = list(map(_turned, old.ops, new.ops))
    far = list(map(_shift, _operands(old), _operands(new)))
    return all(sum(each) <= 1 for each in zip(signs, far, far[1:], strict=False))


def _turned(old: ast.cmpop, new: ast.cmpop) -> int:
    """Return how far another sign moves a border; FAR if it looks elsewhere, or is none."""
    same = any(isinstance(old, way) and isinstance(new, way) for way in (UP, DOWN))
    return int(type(old) is not type(new)) if same else FAR


def _ranges_alike(old: ast.Call, new: ast.Call) -> bool:
    """Tell whether a range starts and stops where it did, or one beside it; a step is no border."""
    ends = zip(old.args[:2], new.args[:2], strict=False)
    return (
        len(old.args) == len(new.args)
        and all(_shift(before, after) <= 1 for before, after in ends)
        and _alike(old.args[2:], new.args[2:])
        and _alike([old.func, *old.keywords], [new.func, *new.keywords])
    )


def _shift(old: ast.expr, new: ast.expr) -> int:
    """Return how much more or less it is; FAR if they are different things."""
    (one, by), (two, to) = _shifted(old), _shifted(new)
    return min(abs(by - to), FAR) if _alike(one, two) else FAR


def _shifted(node: ast.expr) -> tuple[ast.expr | None, int]:
    """Return something, and the whole number that is added to it."""
    rest, by = node, 0
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and isinstance(node.right, ast.Constant)
        and type(node.right.value) is int
    ):
        number = node.right.value
        rest, by = node.left, number if isinstance(node.op, ast.Add) else -number
    if isinstance(rest, ast.Constant) and type(rest.value) is int:
        return None, rest.value + by
    return rest, by


def _mirrored(node: ast.Compare) -> ast.Compare:
    """Return `a > b >= c` as `c <= b < a`."""
    if not all(isinstance(each, DOWN) for each in node.ops):
        return node
    last, *others = reversed(_operands(node))
    return ast.Compare(
        left=last, ops=[MIRRORED[type(each)]() for each in reversed(node.ops)], comparators=others
    )


def _operands(node: ast.Compare) -> list[ast.expr]:
    return [node.left, *node.comparators]


def _is_range(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "range"
