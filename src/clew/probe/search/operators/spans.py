"""Two of a kind beside each other: spans that overlap, and names that begin with another."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, Tuple

from ..source import last_name
from .names import operand
from .table import At, Idea, operator

__all__: List[str] = []

ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
SEPARATORS = ("/", ".")
# By words of their names: where a span begins, and where it ends.
STARTS = ("start", "begin", "from", "first", "low", "lower", "min", "left", "open", "arrival", "in")
ENDS = ("end", "stop", "until", "to", "last", "high", "upper", "max", "right", "close", "departure")


@operator("overlap", 0.9, ast.BoolOp, ast.Compare)
def overlap(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask whether each of two spans begins before the other ends: so they overlap."""
    above = at.parent(node)
    whole = isinstance(above, (ast.Return, ast.If, ast.Assign, ast.comprehension, ast.GeneratorExp))
    if not whole or at.place.function is None:
        return
    ends = bounds(at)
    if len(ends) != 2:
        return
    (low, high), (other_low, other_high) = ends
    strict = any(
        isinstance(op, (ast.Lt, ast.Gt))
        for each in ast.walk(at.place.function)
        if isinstance(each, ast.Compare)
        for op in each.ops
    )
    for sign in ("<", "<=") if strict else ("<=", "<"):
        text = "{} {} {} and {} {} {}".format(low, sign, other_high, other_low, sign, high)
        yield at.put(node, text, 1.0 if sign == "<" or not strict else 0.8)


def bounds(at: At) -> List[Tuple[str, str]]:
    """Return where two spans begin and end that the comparisons of a function speak of."""
    found: Dict[str, Dict[bool, str]] = {}
    assert at.place.function is not None
    compared = [
        side
        for each in ast.walk(at.place.function)
        if isinstance(each, ast.Compare) and all(isinstance(op, ORDERED) for op in each.ops)
        for side in (each.left, *each.comparators)
    ]
    given = [n.arg for n in ast.walk(at.place.function) if isinstance(n, ast.arg)]
    names = [*map(parts, compared), *(("", name) for name in given if compared)]
    for owner, name in names:
        words = name.split("_")
        begins, ends = (any(w in words for w in known) for known in (STARTS, ENDS))
        if begins is not ends:
            rest = "_".join(w for w in words if w not in (*STARTS, *ENDS))
            text = owner + "." + name if owner else name
            found.setdefault(owner + "." + rest, {}).setdefault(begins, text)
    return [(pair[True], pair[False]) for pair in found.values() if len(pair) == 2]


def parts(node: ast.expr) -> Tuple[str, str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    return "", node.id if isinstance(node, ast.Name) else ""


@operator("library", 0.7, ast.Call)
def begins_with(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask for whole parts of a path or name: `ab` does not lie in `a`, as `a/b` does."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "startswith":
        return
    if len(node.args) != 1 or not isinstance(node.func, ast.Attribute):
        return
    head, value = node.args[0], node.func.value
    if isinstance(head, (ast.Constant, ast.JoinedStr, ast.Tuple, ast.BinOp)):
        return
    written = {n.value for n in ast.walk(at.source.tree) if isinstance(n, ast.Constant)}
    first, text = operand(head, at), operand(value, at)
    for rank, mark in enumerate(sorted(SEPARATORS, key=lambda each: each not in written)):
        own = repr(mark)
        both = "({} + {}).startswith({} + {})".format(text, own, first, own)
        yield at.put(node, both, 0.9 - 0.1 * rank)
        either = "({0} == {1} or {0}.startswith({1} + {2}))".format(text, first, own)
        yield at.put(node, either, 0.85 - 0.1 * rank)


@operator("library", 0.6, ast.Call)
def none_left_out(node: ast.AST, at: At) -> Iterator[Idea]:
    """Leave out what is None of what is passed by names: the default is meant."""
    assert isinstance(node, ast.Call)
    for given in node.keywords:
        if given.arg is None and isinstance(given.value, (ast.Name, ast.Attribute, ast.Call)):
            form = "{{key: value for key, value in {}.items() if value is not None}}"
            words = "leave out what is None of `{}`".format(at.text(given.value))
            yield at.put(given.value, form.format(at.text(given.value)), 0.9, words)


@operator("regroup", 0.6, ast.BoolOp)
def regrouped(node: ast.AST, at: At) -> Iterator[Idea]:
    """Move parentheses: `a and b or c` and `a and (b or c)`."""
    assert isinstance(node, ast.BoolOp)
    outer = "and" if isinstance(node.op, ast.And) else "or"
    inner = "or" if outer == "and" else "and"
    for place, each in enumerate(node.values):
        if not isinstance(each, ast.BoolOp) or isinstance(each.op, type(node.op)):
            continue
        own = [operand(value, at) for value in each.values]
        before = [operand(value, at) for value in node.values[:place]]
        behind = [operand(value, at) for value in node.values[place + 1 :]]
        if behind:
            last = "({})".format(" {} ".format(outer).join([own[-1], *behind]))
            rest = " {} ".format(inner).join([*own[:-1], last])
            grouped = "({})".format(rest) if before else rest
            yield at.put(node, " {} ".format(outer).join([*before, grouped]))
        if before:
            first = "({})".format(" {} ".format(outer).join([*before, own[0]]))
            rest = " {} ".format(inner).join([first, *own[1:]])
            grouped = "({})".format(rest) if behind else rest
            yield at.put(node, " {} ".format(outer).join([grouped, *behind]))
