"""Arithmetic: operators, operands, parentheses."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, Tuple

from ..source import Splice
from .conditions import gap
from .table import At, Idea, operator

ARITHMETIC: Dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.MatMult: "@",
}
OTHERS: Dict[str, Tuple[str, ...]] = {
    "+": ("-", "*", "|", "%", "//", "/", "**"),
    "-": ("+", "*", "%", "//", "/", "&", "^"),
    "*": ("**", "+", "/", "//", "-", "%"),
    "/": ("//", "*", "%", "-", "+"),
    "//": ("/", "%", "*", "-", "+"),
    "%": ("//", "/", "*", "-", "+"),
    "**": ("*", "+", "%"),
    "<<": (">>", "*"),
    ">>": ("<<", "//"),
    "|": ("&", "^", "+"),
    "^": ("&", "|", "**"),
    "&": ("|", "^", "-"),
    "@": ("*",),
}


@operator("arithmetic", 1.0, ast.BinOp)
def arithmetic(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.BinOp)
    old = ARITHMETIC[type(node.op)]
    if old == "%" and is_text(node.left):
        return
    start, end = gap(at, node.left, node.right, (old,))
    if start < 0:
        return
    neutral = isinstance(node.right, ast.Constant) and node.right.value == 1
    for rank, new in enumerate(OTHERS[old]):
        changes = (Splice(start, end, new),)
        # `n * 1` is `n` in disguise: to drop the operand says it better.
        weight = 0.3 if neutral and new in ("*", "/", "//", "**") else 1.0 - 0.07 * rank
        yield Idea(weight, changes, "replace `{}` by `{}`".format(old, new))


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


@operator("augmented assignment", 1.0, ast.AugAssign)
def augmented(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.AugAssign)
    old = ARITHMETIC[type(node.op)]
    start, end = gap(at, node.target, node.value, (old + "=",))
    if start < 0:
        return
    for rank, new in enumerate(OTHERS[old]):
        changes = (Splice(start, end, new + "="),)
        yield Idea(1.0 - 0.07 * rank, changes, "replace `{}=` by `{}=`".format(old, new))
    plain = (Splice(start, end, "="),)
    yield Idea(0.5, plain, "assign instead of `{}=`".format(old))


@operator("augmented assignment", 0.6, ast.Assign)
def accumulate(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Assign)
    if len(node.targets) != 1 or isinstance(node.targets[0], (ast.Tuple, ast.List)):
        return
    start, end = gap(at, node.targets[0], node.value, ("=",))
    if start < 0:
        return
    for rank, new in enumerate(("+=", "-=", "*=", "|=", "//=")):
        words = "replace `=` by `{}`".format(new)
        yield Idea(0.9 - 0.1 * rank, (Splice(start, end, new),), words)
    name, value = at.text(node.targets[0]), at.text(node.value)
    if at.place.loop and value in ("True", "False"):
        yield at.put(node.value, "not " + name, 1.0, "turn `{}` round".format(name))
    if at.place.loop and isinstance(node.targets[0], ast.Name) and not reads(node.value, name):
        for function in ("max", "min"):
            words = "keep the {} of `{}`".format(function, name)
            text = "{}({}, {})".format(function, name, value)
            yield at.put(node.value, text, 0.85, words)


def reads(tree: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


@operator("drop operand", 0.8, ast.BinOp)
def drop_operand(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.BinOp)
    for kept, dropped in ((node.left, node.right), (node.right, node.left)):
        words = "drop `{}`".format(at.text(dropped))
        yield at.put(node, at.text(kept), 1.0, words)
    # In `a - b + c` the outer operands are (a - b) and c: the other ways to drop one follow.
    if isinstance(node.left, ast.BinOp):
        inner = node.left
        op, low = ARITHMETIC[type(node.op)], ARITHMETIC[type(inner.op)]
        a, b, c = at.text(inner.left), at.text(inner.right), at.text(node.right)
        a = outer(at, inner.left) if isinstance(inner.left, ast.BinOp) else a
        b, c = outer(at, inner.right), outer(at, node.right)
        a = outer(at, inner.left)
        yield at.put(node, "{} {} {}".format(a, op, c), 0.9, "drop `{} {}`".format(low, b))
        yield at.put(node, "{} {} {}".format(b, op, c), 0.9, "drop `{} {}`".format(a, low))


@operator("drop operand", 0.8, ast.Compare)
def drop_comparison(node: ast.AST, at: At) -> Iterator[Idea]:
    """Return a side of a comparison where the function is said to return no truth."""
    assert isinstance(node, ast.Compare)
    if not isinstance(at.parent(node), ast.Return) or len(node.ops) != 1:
        return
    said = getattr(at.function(node), "returns", None)
    if said is None or "bool" in at.text(said) or at.text(said) in ("Any", "object"):
        return
    for kept, dropped in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
        yield at.put(node, at.text(kept), 1.0, "drop `{}`".format(at.text(dropped)))


def outer(at: At, node: ast.AST) -> str:
    start, end = at.source.outer_span(node)
    return at.source.text[start:end]


@operator("swap operands", 0.7, ast.BinOp, ast.Compare)
def swap_operands(node: ast.AST, at: At) -> Iterator[Idea]:
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
        if isinstance(node.op, (ast.Mult,)):
            return
        inner = left.right if isinstance(left, ast.BinOp) else None
        if inner is not None:
            yield exchange(at, inner, right, 0.6)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return
    else:
        return
    yield exchange(at, left, right, 1.0)


def exchange(at: At, left: ast.AST, right: ast.AST, weight: float) -> Idea:
    """Swap the text of two expressions."""
    a, b = at.source.outer_span(left), at.source.outer_span(right)
    first, second = at.source.text[a[0] : a[1]], at.source.text[b[0] : b[1]]
    if isinstance(left, ast.BinOp) and a == at.source.span(left):
        first = "(" + first + ")"
    if isinstance(right, ast.BinOp) and b == at.source.span(right):
        second = "(" + second + ")"
    words = "swap `{}` and `{}`".format(at.text(left), at.text(right))
    return Idea(weight, (Splice(*a, second), Splice(*b, first)), words)


@operator("regroup", 0.5, ast.BinOp)
def regroup(node: ast.AST, at: At) -> Iterator[Idea]:
    """Move parentheses: `a + b * c` and `(a + b) * c`, `a // b % c` and `a // (b % c)`."""
    assert isinstance(node, ast.BinOp)
    op = ARITHMETIC[type(node.op)]
    for inner, right in ((node.left, False), (node.right, True)):
        if not isinstance(inner, ast.BinOp):
            continue
        low = ARITHMETIC[type(inner.op)]
        if right:
            a, b, c = outer(at, node.left), outer(at, inner.left), outer(at, inner.right)
            text = "({} {} {}) {} {}".format(a, op, b, low, c)
        else:
            a, b, c = outer(at, inner.left), outer(at, inner.right), outer(at, node.right)
            text = "{} {} ({} {} {})".format(a, low, b, op, c)
        yield at.put(node, text)
