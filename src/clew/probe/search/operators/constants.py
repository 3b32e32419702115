"""Numbers, strings and patterns that are written in the code."""

from __future__ import annotations

import ast
import difflib
import re
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..clues import Mismatch, rewritten
from .table import At, Idea, operator

LARGEST = 10**15  # of numbers that are computed with: a float still tells them apart
INFINITE = {"inf": "-inf", "-inf": "inf"}
MOST_SOLVED = 6  # numbers that would give what one failing assertion wanted


@operator("constant", 0.9, ast.Constant)
def constant(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Constant)
    value = node.value
    unread = at.facts.unused.intersection(at.names(node)) if at.facts.unused else ()
    for given in sorted(unread):
        yield at.put(node, given, 0.9)
    if isinstance(value, bool):
        yield at.put(node, repr(not value), 1.0)
        yield at.put(node, "None", 0.3)
    elif isinstance(value, (int, float)):
        yield from numbers(node, value, at)
    elif value is None:
        above = at.parent(node)
        identity = isinstance(above, ast.Compare) and isinstance(above.ops[0], (ast.Is, ast.IsNot))
        for rank, text in enumerate(("0", "False", "[]", "''", "True", "{}", "()")):
            if text in ("False", "True") or not identity:
                yield at.put(node, text, 0.6 - 0.05 * rank)
    elif isinstance(value, str):
        yield from strings(node, value, at)


def numbers(node: ast.Constant, value: float, at: At) -> Iterator[Idea]:
    near: List[str] = []
    if at.place.function is None:
        for text in solved(value, at.context.clues.mismatches):
            yield at.put(node, text, 0.9)
    else:
        for text, tests in fitted(node, value, at.parent(node), at.context.clues.mismatches):
            yield at.put(node, text, 1.0 if tests > 1 else 0.5)
    if isinstance(value, int) or float(value).is_integer():
        near = [repr(value + 1), repr(value - 1)]
    for text in near:
        yield at.put(node, text, loss(text, at.parent(node)))
    known = ["0", "1", "2", "-1", "10"]
    if isinstance(value, float):
        known += ["0.0", "1.0", "0.5", repr(-value), repr(value * 10), repr(value / 10)]
    for rank, text in enumerate(dict.fromkeys(at.facts.numbers + known)):
        if text != repr(value) and text not in near:
            yield at.put(node, text, max(0.3, 0.8 - 0.03 * rank) * loss(text, at.parent(node)))
    if value:
        yield at.put(node, repr(-value), 0.6)
        if isinstance(value, int) and abs(value) < 10**9:
            for new in (value + 2, value - 2, value * 2, value // 2, value * 10, value // 10):
                yield at.put(node, repr(new), 0.4)
    if value == 0:
        yield at.put(node, "float('inf')", 0.3)
        yield at.put(node, "float('-inf')", 0.35)
        yield at.put(node, "None", 0.3)
        yield at.put(node, "[]", 0.2)


def solved(value: float, mismatches: Sequence[Mismatch]) -> List[str]:
    """Return numbers that take a failing assertion from what it got to what it wanted.

    Where a value is made of the number by adding, or by multiplying.
    """
    found: Dict[str, None] = {}
    for got, wanted in mismatches:
        if isinstance(got, str) or max(map(abs, (got, wanted, value))) > LARGEST:
            continue
        for new in (value + wanted - got, value * wanted / (got or 1)):
            whole = isinstance(value, int) and new == int(new)
            if new != value and (whole or isinstance(value, float)):
                found.setdefault(repr(int(new) if whole else round(new, 9)))
    return list(found)[:MOST_SOLVED]


def fitted(
    node: ast.Constant, value: float, parent: Optional[ast.AST], mismatches: Sequence[Mismatch]
) -> List[Tuple[str, int]]:
    """Return what an operand has to be for what was wanted, and how many assertions say so.

    As if what an assertion got were the sum or the product that it stands in. A number of few
    digits is likelier than another.
    """
    found: Dict[str, int] = {}
    for got, wanted in mismatches if isinstance(parent, ast.BinOp) else ():
        if isinstance(got, str) or not got or not wanted or not value:
            continue
        if max(map(abs, (got, wanted, value))) > LARGEST:
            continue
        new = operand(node, parent, value, got, wanted)
        text = repr(int(new) if isinstance(value, int) and new == int(new) else round(new, 9))
        if len(text) <= len(repr(value)) + 1 and text not in (repr(value), "0", "0.0"):
            found[text] = found.get(text, 0) + 1
    return sorted(found.items(), key=lambda each: -each[1])[:MOST_SOLVED]


def operand(node: ast.Constant, parent: Any, value: float, got: float, wanted: float) -> float:
    if isinstance(parent.op, ast.Mult) or (isinstance(parent.op, ast.Div) and node is parent.left):
        return value * wanted / got
    if isinstance(parent.op, ast.Div):
        return value * got / wanted
    taken = isinstance(parent.op, ast.Sub) and node is parent.right
    return value + (got - wanted if taken else wanted - got)


@operator("named number", 0.6, ast.Constant)
def named_number(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use a variable, where a number is written."""
    assert isinstance(node, ast.Constant)
    if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
        return
    facts = at.facts
    names = [n for n in at.names(node) if facts.types.get(n, "int") in ("int", "float")]
    plain = [n for n in names if n not in facts.iterated and n not in facts.subscripted]
    for rank, name in enumerate(plain[:6]):
        if name not in facts.counters:
            yield at.put(node, name, 0.9 - 0.1 * rank)


@operator("counter", 0.6, ast.Constant)
def counter(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use a variable that begins at a number, where one is written.

    That it had the number when the tests ran says less of it than of a parameter.
    """
    assert isinstance(node, ast.Constant)
    if not isinstance(node.value, bool) and isinstance(node.value, (int, float)):
        for rank, name in enumerate([n for n in at.names(node) if n in at.facts.counters][:4]):
            yield at.put(node, name, 0.9 - 0.1 * rank)


def loss(text: str, parent: Optional[ast.AST]) -> float:
    """Weigh down what does nothing: `n + 0` and `n * 1` are `n`, and to drop it says it better."""
    if not isinstance(parent, ast.BinOp):
        return 1.0
    nothing = ("0", "0.0") if isinstance(parent.op, (ast.Add, ast.Sub)) else ("1", "1.0")
    return 0.3 if text in nothing else 1.0


def strings(node: ast.Constant, value: str, at: At) -> Iterator[Idea]:
    parent = at.parent(node)
    if isinstance(parent, ast.Expr) or at.text(node)[:1] in "fF" or len(value) > 200:
        return
    prefix = re.match(r"[rRbBuU]*", at.text(node))
    raw = "r" in prefix.group(0).lower() if prefix else False
    quote = '"' if at.text(node).rstrip()[-1:] == '"' else "'"
    seen = {value}
    for weight, new in other_strings(value, at):
        if new not in seen:
            seen.add(new)
            yield at.put(node, quoted(new, quote, raw=raw), weight)
    names = at.names(node)
    if value.isidentifier() and value in names + at.context.globals:
        yield at.put(node, value, 0.9)
        yield at.put(node, value + ".encode()", 0.5)
        yield at.put(node, "str({})".format(value), 0.5)


def quoted(text: str, quote: str, *, raw: bool = False) -> str:
    if raw and quote not in text and "\n" not in text and not text.endswith("\\"):
        return "r" + quote + text + quote
    plain = repr(text)
    if quote == '"' and '"' not in text and plain[0] == "'":
        return '"' + plain[1:-1].replace("\\'", "'") + '"'
    return plain


MIRROR = str.maketrans("<>()[]{}", "><)(][}{")


def other_strings(value: str, at: At) -> Iterator[Tuple[float, str]]:
    if value in INFINITE:
        yield 1.0, INFINITE[value]
    if value.translate(MIRROR) != value:
        yield 0.8, value.translate(MIRROR)
    if value.strip() != value:
        yield 0.9, value.strip()
    if value:
        yield 0.8, ""
    if value in ("", " ", ",", "\n", "-", "_", ", ", ";", ":", "\t", "."):
        for other in ("", " ", ",", "\n", "-", "_", ", "):
            yield 0.7, other
    if len(value) == 1 and not value.isalnum():
        for mark in dict.fromkeys([*at.facts.marks, *at.context.clues.marks]):
            yield 0.6, mark
    if len(value) % 2 == 0 and value[: len(value) // 2] == value[len(value) // 2 :]:
        yield 0.8, value[: len(value) // 2]
    for text in rewritten(value, at.context.clues.mismatches):
        yield 1.0, text
    close = list(at.facts.documented) + at.context.clues.words
    for word in difflib.get_close_matches(value, close, 5, 0.6) if value else ():
        yield 0.9, word
    for text in at.facts.strings[:16]:
        yield 0.75, ast.literal_eval(text)
    if value.lower() != value:
        yield 0.6, value.lower()
    if value.upper() != value:
        yield 0.5, value.upper()
    if len(value) == 1:
        yield 0.5, value * 2
    if 0 < len(value) <= 24:
        yield 0.5, value + " "
        yield 0.4, " " + value
        for index in range(len(value)):
            yield 0.4, value[:index] + value[index + 1 :]
    yield from patterns(value)


def patterns(value: str) -> Iterator[Tuple[float, str]]:
    """Yield near misses of a regular expression or a format."""
    if not re.search(r"[\\\[\]()*+?^$|{}%.]", value) or len(value) > 120:
        return
    swaps = (
        (r"+", "*"), (r"*", "+"), (r"\d", r"\w"), (r"\w", r"\d"), (r"\d", r"\d+"), (r"\w", r"\w+"),
        (r"\s", r"\s*"), (r"\s+", r"\s*"), (r".*", r".*?"), (r".+", r".+?"), (".", r"\."),
        (r"\.", "."), ("^", ""), ("$", ""), ("?", ""), (r"\D", r"\d"), (r"\d", r"\D"),
        (r"\S", r"\s"), (r"\s", r"\S"), (r"\W", r"\w"), ("a-z", "a-zA-Z"), ("a-z", "a-z0-9"),
        ("a-z", "A-Z"), ("A-Z", "a-z"), ("A-Z", "A-Za-z"), ("0-9", "0-9a-z"), ("1-9", "0-9"),
        ("%d", "%s"), ("%s", "%d"), ("%s", "%r"), ("%Y", "%y"), ("%m", "%M"), ("%M", "%m"),
        ("%d", "%D"), ("%H", "%I"), ("%I", "%H"), ("%y", "%Y"), ("%Y", "%G"), ("%U", "%W"),
        ("%W", "%V"), ("%d", "%j"), ("%j", "%d"), ("{}", "{!r}"),
    )  # fmt: skip
    for old, new in swaps:
        start = value.find(old)
        while start >= 0:
            yield 0.6, value[:start] + new + value[start + len(old) :]
            start = value.find(old, start + len(old))
    yield 0.5, value + "$"
    yield 0.5, "^" + value
    yield 0.4, value + "+"
    yield 0.4, value + "?"
    for found in re.finditer(r"\{(\d+)(,?)(\d*)\}", value):
        low, high = int(found.group(1)), found.group(3)
        options = ["{%d}" % (low + 1), "{%d}" % max(0, low - 1), "{%d,}" % low]
        if high:
            options += ["{%d,%d}" % (low, int(high) + 1), "{%d,%d}" % (low, int(high) - 1)]
            options += ["{%d,%s}" % (max(0, low - 1), high), "{%d,%s}" % (low + 1, high)]
        for option in options:
            yield 0.6, value[: found.start()] + option + value[found.end() :]
    for found in re.finditer(r"\[([^\]]+)\]", value):
        for extra in "-_. /+0":
            if extra not in found.group(1):
                inner = found.group(1) + ("\\-" if extra == "-" else extra)
                yield 0.4, value[: found.start(1)] + inner + value[found.end(1) :]


@operator("every constant", 0.6, ast.Constant)
def every_constant(node: ast.AST, at: At) -> Iterator[Idea]:
    """Change all places of the function that hold the same constant."""
    assert isinstance(node, ast.Constant)
    if at.place.inner is None or isinstance(at.parent(node), ast.Expr):
        return
    if isinstance(node.value, bool):
        twins = [n for n in ast.walk(at.place.inner)
                 if isinstance(n, ast.Constant) and isinstance(n.value, bool)
                 and isinstance(at.parent(n), ast.Return)]  # fmt: skip
        if len(twins) > 1 and node in twins:
            changes = tuple(c for n in twins for c in at.context.replace(n, repr(not n.value)))
            yield Idea(1.0, changes, "swap every returned True and False")
        return
    if node.value is None:
        return
    twins = [
        n for n in ast.walk(at.place.inner)
        if isinstance(n, ast.Constant) and type(n.value) is type(node.value)
        and n.value == node.value and not isinstance(at.parent(n), (ast.Expr, ast.JoinedStr))
    ]  # fmt: skip
    if not 2 <= len(twins) <= 6 or twins[0] is not node:
        return
    texts: List[str] = []
    if isinstance(node.value, (int, float)):
        texts = [repr(node.value + 1), repr(node.value - 1), *at.facts.numbers[:8]]
    elif isinstance(node.value, str) and len(node.value) < 40:
        texts = [quoted(new, "'") for _, new in list(other_strings(node.value, at))[:12]]
    for text in dict.fromkeys(texts):
        if text != repr(node.value):
            changes = tuple(c for n in twins for c in at.context.replace(n, text))
            words = "replace every `{}` by `{}`".format(at.text(node), text)
            yield Idea(0.8, changes, words)
