"""Arithmetic, constants, literals, slices."""

from __future__ import annotations

import ast
import difflib
import re
from typing import Dict, Iterator, List, Optional, Tuple

from ..source import Change
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
        changes = (Change(start, end, new),)
        # `n * 1` is `n` in disguise: to drop the operand says it better.
        weight = 0.3 if neutral and new in ("*", "/", "//", "**") else 1.0 - 0.07 * rank
        yield Idea(weight, changes, "replace `{}` by `{}`".format(old, new))


@operator("augmented assignment", 1.0, ast.AugAssign)
def augmented(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.AugAssign)
    old = ARITHMETIC[type(node.op)]
    start, end = gap(at, node.target, node.value, (old + "=",))
    if start < 0:
        return
    for rank, new in enumerate(OTHERS[old]):
        changes = (Change(start, end, new + "="),)
        yield Idea(1.0 - 0.07 * rank, changes, "replace `{}=` by `{}=`".format(old, new))
    plain = (Change(start, end, "="),)
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
        yield Idea(0.9 - 0.1 * rank, (Change(start, end, new),), words)


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
    return Idea(weight, (Change(*a, second), Change(*b, first)), words)


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


@operator("constant", 0.9, ast.Constant)
def constant(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Constant)
    value = node.value
    if isinstance(value, bool):
        yield at.put(node, repr(not value), 1.0)
        yield at.put(node, "None", 0.3)
    elif isinstance(value, (int, float)):
        yield from numbers(node, value, at)
    elif value is None:
        for rank, text in enumerate(("0", "False", "[]", "''", "True", "{}", "()")):
            yield at.put(node, text, 0.6 - 0.05 * rank)
    elif isinstance(value, str):
        yield from strings(node, value, at)


def numbers(node: ast.Constant, value: float, at: At) -> Iterator[Idea]:
    near: List[str] = []
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
        for mark in dict.fromkeys([*at.facts.marks, *at.context.marks]):
            yield 0.6, mark
    if len(value) % 2 == 0 and value[: len(value) // 2] == value[len(value) // 2 :]:
        yield 0.8, value[: len(value) // 2]
    close = list(at.facts.documented) + at.context.vocabulary
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
        ("%d", "%D"), ("%H", "%I"), ("%y", "%Y"), ("{}", "{!r}"),
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


@operator("offset", 0.75, ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute)
def offset(node: ast.AST, at: At) -> Iterator[Idea]:
    """Add or subtract one where a number may stand."""
    if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
        return
    parent, field = at.parent(node), at.field(node)
    if isinstance(parent, ast.Call):
        if field == "func":
            return
        in_range = isinstance(parent.func, ast.Name) and parent.func.id in ("range", "islice")
        weight = 1.0 if in_range else 0.4
    elif isinstance(parent, (ast.Slice, ast.Subscript)) and field != "value":
        weight = 0.95
    elif isinstance(parent, (ast.Compare, ast.Return)):
        weight = 0.7
    elif isinstance(parent, (ast.BinOp, ast.Assign, ast.AugAssign)):
        weight = 0.5
    elif type(parent).__name__ == "Index":
        weight = 0.95
    else:
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Mult)):
        weight *= 0.6
    text = at.text(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.LShift)):
        text = "(" + text + ")"
    yield at.put(node, text + " + 1", weight)
    yield at.put(node, text + " - 1", weight)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub)):
        return
    if weight >= 0.7:
        yield at.put(node, "-" + (text if isinstance(node, ast.Name) else "(" + text + ")"), 0.4)


@operator("slice", 0.6, ast.Slice)
def slices(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Slice)
    lower = at.text(node.lower) if node.lower else ""
    upper = at.text(node.upper) if node.upper else ""
    step = at.text(node.step) if node.step else ""
    names = at.names(node)[:6]
    ends = [
        "",
        "1",
        "-1",
        "0",
        "2",
        *names,
        *[n + " + 1" for n in names],
        *[n + " - 1" for n in names],
    ]
    found: Dict[Tuple[str, str, str], float] = {(upper, lower, step): 0.6}
    for text in ends:
        found.setdefault((text, upper, step), 0.8 if text == "" else 0.6)
        found.setdefault((lower, text, step), 0.8 if text == "" else 0.6)
    for text in ("", "-1", "2", "1"):
        found.setdefault((lower, upper, text), 0.7)
    start, end = at.source.span(node)
    for (low, high, by), weight in found.items():
        text = low + ":" + high + (":" + by if by else "")
        if (low, high, by) != (lower, upper, step):
            words = "slice `{}` instead of `{}`".format(text, at.text(node))
            yield Idea(weight, (Change(start, end, text),), words)


@operator("index", 0.6, ast.Subscript)
def index(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Subscript)
    inner = node.slice
    if type(inner).__name__ == "Index":
        return
    if isinstance(inner, (ast.Slice, ast.Tuple)):
        return
    yield at.put(node, at.text(node.value), 0.6, "drop the index")
    if isinstance(inner, ast.UnaryOp) or isinstance(node.ctx, (ast.Store, ast.Del)):
        return
    whole, text = at.text(node.value), at.text(inner)
    yield at.put(
        node,
        "{}[-{}]".format(
            whole, text if isinstance(inner, (ast.Name, ast.Constant)) else "(" + text + ")"
        ),
        0.4,
    )
    yield at.put(node, "{}[{}:]".format(whole, text), 0.4)
    yield at.put(node, "{}[:{}]".format(whole, text), 0.4)
    yield at.put(node, "{}.get({})".format(whole, text), 0.4)
    yield at.put(node, "{}.get({}, 0)".format(whole, text), 0.3)
    for function in ("sum", "max", "min", "len", "any", "all"):
        yield at.put(node, "{}({})".format(function, whole), 0.25)


@operator("swap indexes", 0.7, ast.Subscript)
def swap_indexes(node: ast.AST, at: At) -> Iterator[Idea]:
    """`a[y][x]` for `a[x][y]`."""
    assert isinstance(node, ast.Subscript)
    inner = node.value
    if isinstance(inner, ast.Subscript) and hasattr(node.slice, "lineno"):
        yield exchange(at, inner.slice, node.slice, 1.0)


@operator("index", 0.5, ast.Call)
def lookup(node: ast.AST, at: At) -> Iterator[Idea]:
    """`a[key]` for `a.get(key)`, so that what is missing is an error."""
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop") and node.args:
        text = "{}[{}]".format(at.text(node.func.value), at.text(node.args[0]))
        yield at.put(node, text, 0.8)


@operator("element", 0.6, ast.List, ast.Tuple, ast.Set)
def elements(node: ast.AST, at: At) -> Iterator[Idea]:
    """Drop, swap or add an element of a literal or of the targets of an assignment."""
    items = getattr(node, "elts")  # noqa: B009 - the three kinds have it
    store = isinstance(getattr(node, "ctx", None), ast.Store)
    for left, right in zip(items, items[1:]):
        yield exchange(at, left, right, 1.0)
    if len(items) == 3:
        yield exchange(at, items[0], items[2], 0.6)
    if store or not items:
        return
    for position, item in enumerate(items):
        change = removal(at, items, position)
        if len(items) > 2 or isinstance(node, ast.List):
            yield Idea(0.7, (change,), "drop `{}`".format(at.text(item)))
    if isinstance(node, ast.List) and len(items) == 1:
        yield at.put(node, at.text(items[0]), 0.3)
    last = at.source.outer_span(items[-1])[1]
    if all(isinstance(i, ast.Constant) and isinstance(i.value, int) for i in items):
        for number in [*at.facts.numbers[:8], repr(items[-1].value + 1)]:
            if number not in [repr(i.value) for i in items]:
                yield Idea(0.4, (Change(last, last, ", " + number),), "add `{}`".format(number))
    else:
        for name in at.names(node)[:8]:
            yield Idea(0.35, (Change(last, last, ", " + name),), "add `{}`".format(name))


def removal(at: At, items: List[ast.AST], position: int) -> Change:
    """Take one of several elements out, with the comma that goes with it."""
    start, end = at.source.outer_span(items[position])
    if position + 1 < len(items):
        return Change(start, at.source.outer_span(items[position + 1])[0], "")
    if position:
        return Change(at.source.outer_span(items[position - 1])[1], end, "")
    comma = next((t.end for t in at.source.between(end, end + 80) if t.text == ","), end)
    alone = not at.source.text[end : comma - 1].strip()
    return Change(start, comma if alone else end, "")


@operator("mapping", 0.5, ast.Dict)
def mapping(node: ast.AST, at: At) -> Iterator[Idea]:
    """Swap values of a dict, or a key with its value."""
    assert isinstance(node, ast.Dict)
    pairs = [(k, v) for k, v in zip(node.keys, node.values) if k is not None]
    for (_, left), (_, right) in zip(pairs, pairs[1:]):
        yield exchange(at, left, right, 0.8)
    for key, value in pairs[:4]:
        yield exchange(at, key, value, 0.4)


@operator("dict comprehension", 0.6, ast.DictComp)
def dict_comprehension(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.DictComp)
    if node.value is not None:
        yield exchange(at, node.key, node.value, 1.0)


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


@operator("sign", 0.6, ast.UnaryOp)
def sign(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, (ast.USub, ast.Invert, ast.UAdd)):
        yield at.put(node, at.text(node.operand), 1.0)
