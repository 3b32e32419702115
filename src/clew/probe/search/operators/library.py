"""What else the language offers for what is written: rounding up, what comes around, prefixes."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, Tuple

from ..source import Splice, last_name
from .names import operand
from .table import At, Idea, operator

__all__: List[str] = []

# What days, months, hours, minutes and degrees come around at, and how likely each is.
ROUNDS = {7: 0.6, 12: 0.65, 24: 0.7, 60: 0.65, 360: 0.7}
WAYS = (24, 360)  # of those, where the way may go either way
LESS, MORE = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)
SIGNS: Dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ROUNDED = ("ceil", "floor", "int", "round", "trunc")
MOST = 6  # numbers of a file that something may come around at
KEYWORDS: Dict[str, Tuple[str, ...]] = {
    "sorted": ("key=int", "key=str.casefold", "reverse=True"),
    "sort": ("key=int", "key=str.casefold", "reverse=True"),
    "dumps": ("sort_keys=True", "ensure_ascii=False", "indent=2"),
    "zip": ("strict=True",),
    **dict.fromkeys(("split", "rsplit"), ("1",)),
    "round": ("2", "1"),
    **dict.fromkeys(
        ("compile", "findall", "finditer", "fullmatch", "match", "search", "sub"),
        ("flags=re.IGNORECASE", "flags=re.MULTILINE", "flags=re.DOTALL"),
    ),
}
PATTERNS = ("compile", "findall", "finditer", "fullmatch", "match", "search", "sub")


@operator("library", 0.6, ast.Call)
def keywords(node: ast.AST, at: At) -> Iterator[Idea]:
    """Pass what a function of the standard library is asked for more precisely."""
    assert isinstance(node, ast.Call)
    name, given = last_name(node.func), {each.arg for each in node.keywords}
    everything = [*node.args, *(each.value for each in node.keywords)]
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    of_patterns = isinstance(owner, ast.Name) and owner.id == "re"
    if not everything or (name in PATTERNS) is not of_patterns:
        return
    end = at.source.outer_span(everything[-1])[1]
    for text in KEYWORDS.get(name, ()):
        if text.partition("=")[0] not in given:
            yield Idea(0.7, (Splice(end, end, ", " + text),), "pass `{}`".format(text))
    first = node.args[0] if node.args else None
    if of_patterns and isinstance(first, ast.Name):
        yield at.put(first, "re.escape({})".format(first.id), 0.9)
    if name == "join" and first is not None:
        if isinstance(owner, ast.Constant) and owner.value == "|":  # the first that fits is taken
            yield at.put(first, "sorted({}, key=len, reverse=True)".format(at.text(first)), 1.0)
        for form in ("map(str, {})", "sorted({})", "filter(None, {})"):
            yield at.put(first, form.format(at.text(first)), 0.8)
    if name in ("max", "min") and isinstance(first, ast.GeneratorExp) and len(everything) == 1:
        start, end = at.source.span(first)
        text = at.source.text[start:end]
        inner = text if text.startswith("(") and end < at.source.span(node)[1] else "(" + text + ")"
        for default in ("0", "None"):
            whole = "{}({}, default={})".format(at.text(node.func), inner, default)
            yield at.put(node, whole, 0.7, "give `{}` where there is nothing".format(default))


@operator("library", 0.6, ast.Call)
def calls(node: ast.AST, at: At) -> Iterator[Idea]:
    """Keep the order of a set's elements; write the only zero that is left."""
    assert isinstance(node, ast.Call)
    name, inner = last_name(node.func), node.args[0] if len(node.args) == 1 else None
    if name in ("list", "tuple") and isinstance(inner, ast.Call) and last_name(inner.func) == "set":
        for held in map(at.text, inner.args):
            yield at.put(node, "{}(dict.fromkeys({}))".format(name, held), 1.0)
            yield at.put(node, "sorted(set({}))".format(held), 0.8)
    if name == "split" and isinstance(inner, ast.Constant) and str(inner.value).strip():
        text = at.text(node)
        yield at.put(node, "[part.strip() for part in {}]".format(text), 0.9)
        yield at.put(node, "[part for part in {} if part]".format(text), 0.7)
    if name == "round" and inner is not None and isinstance(node.func, ast.Name):
        yield at.put(node, "int({} + 0.5)".format(operand(inner, at)), 0.8)
    if name == "lstrip" and isinstance(inner, ast.Constant) and inner.value == "0":
        yield at.put(node, at.text(node) + " or '0'", 0.9)


@operator("library", 0.6, ast.BinOp)
def rounded_up(node: ast.AST, at: At) -> Iterator[Idea]:
    """Count a part that is left over as a whole one, or a half."""
    above = at.parent(node)
    rounded = isinstance(above, ast.Call) and last_name(above.func) in ROUNDED
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv)) and not rounded:
        left, right = operand(node.left, at), operand(node.right, at)
        yield at.put(node, "-(-{} // {})".format(left, right), 0.9)
        if "import math" in at.source.text:
            yield at.put(node, "math.ceil({} / {})".format(left, right), 0.9)
        whole = getattr(node.right, "value", None)
        if isinstance(node.op, ast.FloorDiv) and type(whole) is int and whole > 1:
            text = "({} + {}) // {}".format(at.text(node.left), whole // 2, right.strip("()"))
            yield at.put(node, text, 0.9, "round to the nearest")


@operator("comes around", 0.5, ast.BinOp, ast.Call)
def comes_around(node: ast.AST, at: At) -> Iterator[Idea]:
    """Go on at the beginning behind the end: of a day, a circle, or what an index counts."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        above = at.parent(node)
        if isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Mult):
            return
        for weight, text in around(node, at):
            yield at.put(node, "({}) % {}".format(at.text(node), text), weight)
            if isinstance(node.op, ast.Sub) and text in map(str, WAYS):
                half = int(text) // 2
                form = "({0} + {1}) % {2} - {1}".format(at.text(node), half, text)
                yield at.put(node, form, 0.9 * weight)
    elif isinstance(node, ast.Call) and last_name(node.func) == "abs" and len(node.args) == 1:
        way = at.text(node)
        if isinstance(node.args[0], ast.BinOp) and isinstance(node.args[0].op, ast.Sub):
            ways = [each for each in around(node.args[0], at) if each[1] in map(str, WAYS)]
            for weight, text in ways:
                yield at.put(node, "min({0}, {1} - {0})".format(way, text), weight)


def around(node: ast.BinOp, at: At) -> Iterator[Tuple[float, str]]:
    """Yield at what a sum may come around, with weights."""
    above = at.parent(node)
    if isinstance(above, ast.Subscript) and above.slice is node:
        yield 1.0, "len({})".format(at.text(above.value))
    numbers = [n.value for n in ast.walk(at.source.tree) if isinstance(n, ast.Constant)]
    own = [n for n in dict.fromkeys(numbers) if type(n) is int and n > 2][:MOST]
    for number in dict.fromkeys((*own, *ROUNDS)):
        yield ROUNDS.get(number, 0.5) + (0.2 if number in own else 0.0), str(number)


@operator("library", 0.5, ast.Compare)
def compares(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask for the head or the end of a text, and compare numbers by and large."""
    assert isinstance(node, ast.Compare)
    if len(node.ops) != 1:
        return
    left, right = node.left, node.comparators[0]
    if isinstance(node.ops[0], (ast.In, ast.NotIn)):
        no = "not " if isinstance(node.ops[0], ast.NotIn) else ""
        for method in ("startswith", "endswith"):
            text = "{}{}.{}({})".format(no, operand(right, at), method, at.text(left))
            yield at.put(node, text, 0.7)
    if isinstance(node.ops[0], ast.Eq):
        close = "abs({} - {}) < 1e-9".format(at.text(left), operand(right, at))
        yield at.put(node, close, 0.4)


@operator("compared together", 0.8, ast.BoolOp)
def compared_together(node: ast.AST, at: At) -> Iterator[Idea]:
    """Compare by the second only where the first are equal: months and days, `(m, d) < (n, e)`."""
    assert isinstance(node, ast.BoolOp)
    pairs = [each for each in node.values if isinstance(each, ast.Compare) and len(each.ops) == 1]
    for one, other in zip(pairs, pairs[1:]):
        if len(node.values) == 2 and any(
            isinstance(one.ops[0], way) and isinstance(other.ops[0], way) for way in (LESS, MORE)
        ):
            left = "({}, {})".format(at.text(one.left), at.text(other.left))
            right = "({}, {})".format(at.text(one.comparators[0]), at.text(other.comparators[0]))
            sign = SIGNS[type(other.ops[0])]
            words = "compare by `{}` only where the others are equal".format(at.text(other.left))
            yield at.put(node, "{} {} {}".format(left, sign, right), 1.0, words)
