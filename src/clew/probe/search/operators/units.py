"""The unit that a span of time is given in."""

from __future__ import annotations

import ast
from typing import Iterator, Tuple

from ..source import Splice, last_name
from .table import At, Idea, operator, short

UNITS = ("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
SPANS = ("timedelta", "relativedelta")


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


def summands(node: ast.AST, at: At) -> Iterator[Tuple[ast.expr, ast.expr]]:
    """Yield the two sides of a sum that stands in no brackets of its own."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return
    if at.source.outer_span(node) == at.source.span(node):
        yield node.left, node.right
