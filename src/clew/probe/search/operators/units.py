"""The unit that a span of time, or another amount, is given in."""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Set, Tuple

from ..source import Splice, last_name, stored
from .table import At, Idea, operator, short

UNITS = ("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
SPANS = ("timedelta", "relativedelta")
COUNTED = ("dict", "enumerate", "len", "list", "set", "sorted", "sum", "tuple", "zip")
# What an amount is multiplied or divided by, where it is wanted in another unit.
FACTORS = {
    "ms": ("/ 1000",), "millis": ("/ 1000",), "milliseconds": ("/ 1000",),
    "seconds": ("* 1000", "/ 60", "/ 3600"), "secs": ("* 1000", "/ 60", "/ 3600"),
    "minutes": ("* 60", "/ 60"), "mins": ("* 60", "/ 60"), "hours": ("* 3600", "* 60", "/ 24"),
    "days": ("* 24", "* 86400", "/ 7"), "weeks": ("* 7",),
    "cents": ("/ 100",), "pence": ("/ 100",), "euros": ("* 100",), "dollars": ("* 100",),
    "pounds": ("* 100",), "percent": ("/ 100",), "percentage": ("/ 100",),
    "mm": ("/ 10", "/ 1000"), "cm": ("* 10", "/ 100"), "metres": ("/ 1000", "* 100"),
    "meters": ("/ 1000", "* 100"), "km": ("* 1000",), "grams": ("/ 1000",), "kg": ("* 1000",),
    "bytes": ("/ 1024", "* 8"), "kb": ("* 1024",), "bits": ("/ 8",),
}  # fmt: skip


@operator("unit", 0.8, ast.Call)
def unit(node: ast.AST, at: At) -> Iterator[Idea]:
    """Give a number, or one term of a sum, in another unit: `timedelta(seconds=a, hours=b)`."""
    assert isinstance(node, ast.Call)
    if last_name(node.func).lower() not in SPANS:
        return
    given = {each.arg for each in node.keywords}
    words = "give `{}` in {}"
    for each in node.keywords:
        if each.arg not in UNITS or not hasattr(each, "lineno"):
            continue
        start, place = at.source.span(each)[0], UNITS.index(each.arg)
        name = Splice(start, start + len(each.arg), "")
        for other in (unit for unit in UNITS if unit not in given):
            weight = 1.1 - 0.1 * abs(UNITS.index(other) - place)
            told = words.format(short(at.text(each.value)), other)
            yield Idea(weight, (name._replace(text=other),), told)
            for left, right in summands(each.value, at):
                between = (at.source.outer_span(left)[1], at.source.outer_span(right)[0])
                for first, second, moved in ((other, each.arg, left), (each.arg, other, right)):
                    changes = (
                        name._replace(text=first), Splice(*between, ", {}=".format(second)),
                    )  # fmt: skip
                    yield Idea(weight, changes, words.format(short(at.text(moved)), other))


@operator("unit", 0.7, ast.Name, ast.Attribute)
def converted(node: ast.AST, at: At) -> Iterator[Idea]:
    """Give an amount that is named after its unit in another one: `timeout_ms / 1000`."""
    if stored(node) or at.field(node) == "func" or isinstance(at.parent(node), ast.Attribute):
        return
    name = last_name(node)
    factors = FACTORS.get(name.lower().split("_")[-1], ())
    if factors and name not in collections(at.source.tree):
        for factor in factors:
            yield at.put(node, "{} {}".format(at.text(node), factor))


def collections(tree: ast.AST) -> Set[str]:
    """Return the names of what a file counts, goes through or looks something up in."""
    found: Set[str] = set()
    for node in ast.walk(tree):
        held: List[Any] = []
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            held = [node.iter]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            held = node.comparators
        elif isinstance(node, (ast.Subscript, ast.Starred)):
            held = [node.value]
        elif isinstance(node, ast.Call):
            held = node.args if last_name(node.func) in COUNTED else [node.func]
        found.update(last_name(each) for each in held)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Store):
            found.add(last_name(node.value))
    return found


def summands(node: ast.AST, at: At) -> Iterator[Tuple[ast.expr, ast.expr]]:
    """Yield the two sides of a sum that stands in no brackets of its own."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return
    if at.source.outer_span(node) == at.source.span(node):
        yield node.left, node.right
