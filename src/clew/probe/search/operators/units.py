"""The unit that a span of time is given in."""

from __future__ import annotations

import ast
from typing import Iterator

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
    for each in node.keywords:
        if each.arg not in UNITS or not hasattr(each, "lineno"):
            continue
        start, place = at.source.span(each)[0], UNITS.index(each.arg)
        name = Splice(start, start + len(each.arg), "")
        for other in UNITS:
            if other in given:
                continue
            weight = 1.1 - 0.1 * abs(UNITS.index(other) - place)
            words = "give `{}` in {}"
            told = words.format(short(at.text(each.value)), other)
            yield Idea(weight, (name._replace(text=other),), told)
            value = each.value
            if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
                continue
            if at.source.outer_span(value) != at.source.span(value):
                continue
            left, right = value.left, value.right
            between = (at.source.outer_span(left)[1], at.source.outer_span(right)[0])
            for first, second, moved in ((other, each.arg, left), (each.arg, other, right)):
                comma = Splice(*between, ", {}=".format(second))
                told = words.format(short(at.text(moved)), other)
                yield Idea(weight, (name._replace(text=first), comma), told)
