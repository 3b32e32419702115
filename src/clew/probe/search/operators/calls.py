"""Calls: wrapped around an expression, taken away, with other arguments; whole expressions."""

from __future__ import annotations

import ast
import re
from typing import Dict, Iterator, List, Tuple

from ..context import flags
from ..source import Splice
from .conditions import NUMBER, renumbered
from .elements import removal
from .names import operand
from .table import At, Idea, operator, short

# Of what makes a collection `list` comes first: it keeps all, in the order that there is.
WRAPPERS: Tuple[Tuple[str, float], ...] = (
    ("abs", 1.0), ("list", 0.95), ("len", 0.9), ("set", 0.8), ("sorted", 0.9), ("str", 0.85),
    ("int", 0.85), ("sum", 0.8), ("max", 0.7), ("min", 0.7), ("float", 0.7), ("bool", 0.6),
    ("tuple", 0.6), ("reversed", 0.6), ("round", 0.6), ("dict", 0.4), ("repr", 0.5), ("ord", 0.4),
    ("chr", 0.4), ("bin", 0.4), ("any", 0.4), ("all", 0.4), ("iter", 0.2), ("enumerate", 0.3),
    ("frozenset", 0.2), ("bytes", 0.15), ("next", 0.2), ("range", 0.5),
)  # fmt: skip
TAILS: Tuple[Tuple[str, float], ...] = (
    (".lower()", 0.8), (".upper()", 0.7), (".strip()", 0.8), (".copy()", 0.6), (".split()", 0.6),
    (".items()", 0.6), (".keys()", 0.4), (".values()", 0.5), (".rstrip()", 0.5), (".lstrip()", 0.4),
    ("[::-1]", 0.6), ("[1:]", 0.7), ("[:-1]", 0.7), ("[0]", 0.6), ("[-1]", 0.6), ("[1]", 0.4),
    (".encode()", 0.35), (".decode()", 0.3), ("()", 0.4), (".title()", 0.35),
    (".capitalize()", 0.35),
)  # fmt: skip
ITERATORS = ("enumerate", "iter", "reversed")  # each equals nothing but itself
MOST_KEYS = 8  # attributes that a key may have as well
VALUES = (
    ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.ListComp, ast.Constant,
    ast.GeneratorExp, ast.SetComp, ast.List, ast.IfExp, ast.BoolOp,
)  # fmt: skip


def is_value(node: ast.AST, at: At) -> bool:
    """Say whether the node is read as a value, in a place where another value may stand."""
    if not isinstance(node, VALUES):
        return False
    if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
        return False
    parent, field = at.parent(node), at.field(node)
    if field in ("func", "annotation", "returns") or isinstance(parent, ast.Expr):
        return False
    if isinstance(node, ast.BoolOp):
        return field == "elt"
    return not (isinstance(parent, ast.Call) and isinstance(node, ast.GeneratorExp))


def is_changed(node: ast.AST, at: At) -> bool:
    """Tell what a statement puts something into: a copy of it would be lost at once."""
    parent = at.parent(node)
    into = isinstance(parent, (ast.Subscript, ast.Attribute)) and at.field(node) == "value"
    return into and isinstance(getattr(parent, "ctx", None), (ast.Store, ast.Del))


def is_compared(node: ast.AST, at: At) -> bool:
    """Tell a value that is looked up or compared: a key, an element of a set, a side of `==`."""
    parent, field = at.parent(node), at.field(node)
    return isinstance(parent, (ast.Compare, ast.Set)) or (
        isinstance(parent, (ast.Subscript, ast.Dict)) and field in ("slice", "keys")
    )


@operator("wrap", 0.6, ast.expr)
def wrap(node: ast.AST, at: At) -> Iterator[Idea]:
    """Put a call or an index around an expression."""
    if not is_value(node, at):
        return
    text = at.text(node)
    if "\n" in text and not isinstance(node, ast.Call):
        return
    constant = isinstance(node, ast.Constant)
    if constant and not isinstance(node.value, str):  # type: ignore[attr-defined]
        return
    already = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    scale = 0.5 if constant else 1.0
    for name, weight in WRAPPERS:
        if is_changed(node, at) or (name in ITERATORS and is_compared(node, at)):
            continue
        if name != already and name not in at.facts.names:
            yield at.put(node, "{}({})".format(name, text), weight * scale)
    for name, (least, most) in list(at.context.functions.items())[:16]:
        if least <= 1 <= most and not is_changed(node, at):
            yield at.put(node, "{}({})".format(name, text), 0.7 * scale)
    whole = operand(node, at)
    for tail, weight in TAILS:
        if tail in ("[0]", "[-1]", "[1]") or not is_changed(node, at):
            yield at.put(node, whole + tail, weight * scale)


@operator("cut", 0.5, ast.Name, ast.Attribute, ast.Call)
def cut(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take a part of a sequence, as named by a variable."""
    if not is_value(node, at):
        return
    text = at.text(node)
    answers = flags(at.place.function) if at.place.function is not None else {}
    names = [n for n in at.names(node)[:10] if n != text and n not in answers]
    for name in names:
        for form, weight in (
            ("{}[{}:]", 0.8), ("{}[:{}]", 0.8), ("{}[{}]", 0.7), ("{}[:{} + 1]", 0.4),
            ("{}[{} + 1:]", 0.4), ("{}[:{} - 1]", 0.2),
        ):  # fmt: skip
            if ":" not in form or not is_changed(node, at):
                yield at.put(node, form.format(text, name), weight)


@operator("wrap both", 0.45, ast.Compare)
def wrap_both(node: ast.AST, at: At) -> Iterator[Idea]:
    """Put the same call around both sides of a comparison."""
    assert isinstance(node, ast.Compare)
    if len(node.ops) != 1:
        return
    left, right = node.left, node.comparators[0]
    for name in ("set", "sorted", "len", "abs", "list", "str", "int", "tuple", "sum"):
        changes = (
            *at.context.replace(left, "{}({})".format(name, at.text(left))),
            *at.context.replace(right, "{}({})".format(name, at.text(right))),
        )
        yield Idea(0.9, changes, "compare by `{}`".format(name))
    for tail in (".lower()", ".strip()", ".casefold()", ".date()"):
        changes = (
            *at.context.replace(left, operand(left, at) + tail),
            *at.context.replace(right, operand(right, at) + tail),
        )
        yield Idea(0.7, changes, "compare by `{}`".format(tail))


@operator("once", 0.6, ast.ListComp, ast.Call, ast.Name, ast.Attribute)
def once(node: ast.AST, at: At) -> Iterator[Idea]:
    """Keep each element once, where it stands first."""
    parent = at.parent(node)
    looped = isinstance(parent, ast.For) and parent.iter is node
    if (looped or isinstance(parent, (ast.Return, ast.Assign))) and is_value(node, at):
        text = at.text(node)
        if "fromkeys" not in text:
            new = "list(dict.fromkeys({}))".format(text)
            words = "keep each element of `{}` once, in order".format(short(text))
            yield at.put(node, new, 0.9, words)


@operator("unwrap", 0.8, ast.Call)
def unwrap(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use an argument, or the object of a method, in place of the call."""
    assert isinstance(node, ast.Call)
    if isinstance(at.parent(node), ast.Expr):
        return
    for position, argument in enumerate(node.args[:3]):
        if not isinstance(argument, ast.Starred):
            text = at.text(argument)
            if isinstance(argument, ast.GeneratorExp) and not text.startswith("("):
                continue
            yield at.put(
                node, text, 0.9 - 0.2 * position, "drop the call of `{}`".format(at.text(node.func))
            )
    if isinstance(node.func, ast.Attribute):
        words = "drop the call of `.{}`".format(node.func.attr)
        yield at.put(node, at.text(node.func.value), 0.9, words)


@operator("star", 0.5, ast.Call)
def star(node: ast.AST, at: At) -> Iterator[Idea]:
    """Hand the elements of the only argument on, or the argument itself."""
    assert isinstance(node, ast.Call)
    if len(node.args) != 1:
        return
    (given,) = node.args
    start, _ = at.source.outer_span(given)
    if isinstance(given, ast.Starred):
        change, words = Splice(start, start + 1, ""), "hand on `{}` itself"
        yield Idea(1.0, (change,), words.format(at.text(given.value)))
    elif isinstance(given, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        change, words = Splice(start, start, "*"), "hand on the elements of `{}`"
        yield Idea(1.0, (change,), words.format(at.text(given)))


@operator("argument", 0.6, ast.Call)
def argument(node: ast.AST, at: At) -> Iterator[Idea]:
    """Drop or add an argument."""
    assert isinstance(node, ast.Call)
    everything: List[ast.AST] = [*node.args, *[k.value for k in node.keywords]]
    if any(isinstance(a, ast.GeneratorExp) for a in node.args):
        return
    for position, item in enumerate(node.args):
        if len(node.args) > 1 or not node.keywords:
            change = removal(at, list(node.args), position)
            yield Idea(0.8, (change,), "drop the argument `{}`".format(at.text(item)))
    for position, keyword in enumerate(node.keywords):
        if keyword.arg is None or not hasattr(keyword, "lineno"):
            continue
        start, end = at.source.span(keyword)
        before = (
            everything[len(node.args) + position - 1]
            if everything[: len(node.args) + position]
            else None
        )
        left = at.source.outer_span(before)[1] if before is not None else start
        yield Idea(0.8, (Splice(left, end, ""),), "drop the argument `{}`".format(keyword.arg))
    if node.keywords and not hasattr(node.keywords[-1], "lineno"):
        return
    close = at.source.span(node)[1] - 1
    lead = ", " if everything else ""
    if everything:
        close = at.source.outer_span(everything[-1])[1]
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in ("sorted", "sort", "max", "min") and not any(k.arg == "key" for k in node.keywords):
        for text, weight in (
            ("key=len", 0.8), ("reverse=True", 0.9 if name in ("sorted", "sort") else 0.0),
            ("key=abs", 0.6), ("key=lambda item: item[1]", 0.6), ("key=lambda item: -item", 0.4),
            ("key=str.lower", 0.4), ("key=str", 0.5), ("default=0", 0.5), ("default=None", 0.4),
            ("key=lambda item: (len(item), item)", 0.5), ("key=lambda item: item[0]", 0.4),
        ):  # fmt: skip
            if weight and not (text.startswith("default") and name in ("sorted", "sort")):
                yield Idea(weight, (Splice(close, close, lead + text),), "add `{}`".format(text))
    extra = [*at.names(node)[:8], "0", "1", "None", "''", "True", "False", *at.facts.numbers[:4]]
    if node.keywords:
        return
    functions = at.context.functions
    full = (
        name in functions
        and isinstance(node.func, ast.Name)
        and len(node.args) >= functions[name][1]
    )
    for text in dict.fromkeys(extra):
        weight = 0.15 if full else 0.5 if len(node.args) < 3 else 0.3
        yield Idea(weight, (Splice(close, close, lead + text),), "pass `{}` too".format(text))
        if node.args and not full and isinstance(node.args[0], (ast.Name, ast.Constant, ast.Call)):
            begin = at.source.outer_span(node.args[0])[0]
            words = "pass `{}` first".format(text)
            yield Idea(weight * 0.7, (Splice(begin, begin, text + ", "),), words)


@operator("nested argument", 0.55, ast.Call)
def nested_argument(node: ast.AST, at: At) -> Iterator[Idea]:
    """Move an argument out of a call among the arguments, or into it."""
    assert isinstance(node, ast.Call)
    outer: List[ast.AST] = [*node.args, *node.keywords]
    for position, inner in enumerate(node.args):
        if not isinstance(inner, ast.Call):
            continue
        items: List[ast.AST] = [*inner.args, *inner.keywords]
        if any(isinstance(i, ast.GeneratorExp) or not hasattr(i, "lineno") for i in items + outer):
            continue
        words = "pass `{}` to `{}`"
        for index, item in enumerate(items):
            text = at.text(item)
            last = index == len(inner.args) - 1 or isinstance(item, ast.keyword)
            behind = outer[-1] if isinstance(item, ast.keyword) else inner
            end = at.source.outer_span(behind)[1]
            if len(items) > 1:
                changes = (removal(at, items, index), Splice(end, end, ", " + text))
                called = at.text(node.func)
                yield Idea(1.0 if last else 0.6, changes, words.format(short(text), called))
        for index, item in enumerate(outer[position + 1 :], position + 1):
            text = at.text(item)
            place, before, behind_it = opening(inner, item, at)
            changes = (Splice(place, place, before + text + behind_it), removal(at, outer, index))
            weight = 1.0 if index == position + 1 or isinstance(item, ast.keyword) else 0.6
            yield Idea(weight, changes, words.format(short(text), at.text(inner.func)))


def opening(call: ast.Call, item: ast.AST, at: At) -> Tuple[int, str, str]:
    """Return where one more argument fits into a call, and what joins it to its neighbours."""
    if call.keywords and isinstance(item, ast.keyword):
        return at.source.span(call.keywords[-1])[1], ", ", ""
    if call.args:
        return at.source.outer_span(call.args[-1])[1], ", ", ""
    if call.keywords:
        return at.source.span(call.keywords[0])[0], "", ", "
    return at.source.span(call)[1] - 1, "", ""


@operator("keyword", 0.55, ast.Call)
def keywords(node: ast.AST, at: At) -> Iterator[Idea]:
    """Hand on what the function was given, under its own name."""
    assert isinstance(node, ast.Call)
    items: List[ast.AST] = [*node.args, *node.keywords]
    if any(isinstance(i, ast.GeneratorExp) or not hasattr(i, "lineno") for i in items):
        return
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    wanted = at.context.parameters.get(name, ())
    given = {k.arg for k in node.keywords} | {a.id for a in node.args if isinstance(a, ast.Name)}
    end = at.source.outer_span(items[-1])[1] if items else at.source.span(node)[1] - 1
    lead = ", " if items else ""
    likely = dict.fromkeys((*at.facts.unused, *at.facts.handed_on), 0.8)
    likely.update(dict.fromkeys(wanted, 1.0))
    for visible in at.names(node):
        if visible not in given and visible in likely:
            text, weight = "{0}={0}".format(visible), likely[visible]
            yield Idea(weight, (Splice(end, end, lead + text),), "pass `{}`".format(text))
    for flag, default in at.context.flags.get(name, {}).items():
        if flag not in given:
            text = "{}={!r}".format(flag, not default)
            yield Idea(0.8, (Splice(end, end, lead + text),), "pass `{}`".format(text))
    for own in wanted:
        if own not in given and own in at.context.attributes and own not in at.facts.names:
            text = "{0}=self.{0}".format(own)
            yield Idea(0.6, (Splice(end, end, lead + text),), "pass `{}`".format(text))


@operator("keyword", 0.7, ast.Call)
def keywords_beside(node: ast.AST, at: At) -> Iterator[Idea]:
    """Pass what other calls of the same, in the same function, pass under a name."""
    assert isinstance(node, ast.Call)
    here = {k.arg for k in node.keywords}
    if at.place.function is None or None in here or not (node.args or node.keywords):
        return
    called = (at.text(node.func), at.text(node.args[0]) if node.args else "")
    told: Dict[str, Dict[str, float]] = {}
    for other in ast.walk(at.place.function):
        if not isinstance(other, ast.Call) or other is node:
            continue
        if called != (at.text(other.func), at.text(other.args[0]) if other.args else ""):
            continue
        for keyword in other.keywords:
            if keyword.arg is not None and keyword.arg not in here:
                texts = told.setdefault(keyword.arg, {})
                for weight, text in near_in_number(at.text(keyword.value)):
                    texts.setdefault(text, weight)
    end = at.source.outer_span([*node.args, *(k.value for k in node.keywords)][-1])[1]
    for name, texts in told.items():
        for text, weight in texts.items():
            passed = "{}={}".format(name, text)
            yield Idea(weight, (Splice(end, end, ", " + passed),), "pass `{}`".format(passed))


def near_in_number(text: str) -> Iterator[Tuple[float, str]]:
    """Yield an expression as it is, and with its first number up to three less or more."""
    yield 1.0, text
    for number in re.findall(NUMBER, text)[:1]:
        for less in range(1, 4):
            for other in (int(number) - less, int(number) + less):
                yield 0.9 - 0.1 * less, renumbered(text, number, str(other))


@operator("expression", 0.4, ast.expr)
def expression(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use an expression that stands elsewhere in the function."""
    if not is_value(node, at) or isinstance(at.parent(node), (ast.FormattedValue,)):
        return
    text = at.text(node)
    names = set(at.names(node))
    unknown = set(at.facts.names) - names
    for other, weight in ingredients(at):
        candidate = at.text(other)
        if candidate == text or "\n" in candidate:
            continue
        used = {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
        if used & unknown:
            continue
        yield at.put(node, candidate, weight)


def ingredients(at: At) -> Iterator[Tuple[ast.AST, float]]:
    root = at.place.function if at.place.function is not None else at.source.tree
    seen: Dict[str, None] = {}
    for node in ast.walk(root):
        if not isinstance(node, (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.Constant)):
            continue
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) or at.field(node) == "func":
            continue
        if isinstance(at.parent(node), ast.Expr) and isinstance(node, ast.Constant):
            continue
        text = at.text(node)
        if len(text) > 60 or text in seen or len(seen) > 40:
            continue
        seen.setdefault(text)
        yield node, 0.6 if isinstance(node, ast.Constant) else 0.9


@operator("variable wrapped", 0.45, ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.BinOp)
def variable_wrapped(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use a simple function of a variable."""
    if not is_value(node, at):
        return
    text = at.text(node)
    for name in at.names(node)[:8]:
        for form, weight in (
            ("len({})", 1.0), ("-{}", 0.6), ("{}[0]", 0.5), ("{}[-1]", 0.5), ("sum({})", 0.5),
            ("max({})", 0.5), ("min({})", 0.5), ("abs({})", 0.4), ("set({})", 0.4),
            ("not {}", 0.3), ("{} + 1", 0.4), ("{} - 1", 0.4), ("len({}) - 1", 0.4),
            ("str({})", 0.4), ("int({})", 0.4), ("{}[::-1]", 0.3), ("sorted({})", 0.3),
            ("bin({})", 0.2), ("list({})", 0.3), ("float({})", 0.2), ("tuple({})", 0.2),
        ):  # fmt: skip
            new = form.format(name)
            if new != text:
                yield at.put(node, new, weight)
    others = at.names(node)[:5]
    if not isinstance(node, (ast.Call, ast.BinOp, ast.Name)):
        return
    for left in others:
        for right in others:
            if left == right:
                continue
            for op in ("+", "-", "*", "//", "%"):
                if op in "+*" and left > right:
                    continue
                new = "{} {} {}".format(left, op, right)
                if new != text:
                    yield at.put(node, new, 0.3)


@operator("extend expression", 0.4, ast.Name, ast.Call, ast.BinOp, ast.Attribute, ast.Subscript)
def extend_expression(node: ast.AST, at: At) -> Iterator[Idea]:
    """Add one more term: a variable or number of the function."""
    if not is_value(node, at):
        return
    if isinstance(at.parent(node), (ast.Attribute, ast.For, ast.BoolOp)):
        return
    text = at.text(node)
    for name in [*at.names(node)[:6], *at.facts.numbers[:4], *at.facts.strings[:3]]:
        for op, weight in (
            ("+", 0.8),
            ("-", 0.8),
            ("*", 0.6),
            ("%", 0.5),
            ("//", 0.5),
            ("/", 0.4),
            ("or", 0.4),
            ("and", 0.2),
        ):
            if name[:1] in "'\"" and op not in ("+", "or"):
                continue
            left = operand(node, at) if op not in ("+", "-", "or", "and") else text
            yield at.put(node, "{} {} {}".format(left, op, name), weight)
        if name[:1] not in "'\"":
            yield at.put(node, "{} - {}".format(name, operand(node, at)), 0.4)
            yield at.put(node, "max({}, {})".format(text, name), 0.4)
            yield at.put(node, "min({}, {})".format(text, name), 0.4)
        else:
            yield at.put(node, "{} + {}".format(name, text), 0.5)


@operator("choice", 0.7, ast.IfExp)
def choice(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.IfExp)
    swapped = "{} if {} else {}".format(
        at.text(node.orelse), at.text(node.test), at.text(node.body)
    )
    yield at.put(node, swapped, 1.0, "swap the two values")
    yield at.put(node, at.text(node.body), 0.6)
    yield at.put(node, at.text(node.orelse), 0.6)


@operator("key", 0.4, ast.Lambda)
def key(node: ast.AST, at: At) -> Iterator[Idea]:
    """Try other keys for sorting."""
    assert isinstance(node, ast.Lambda)
    if len(node.args.args) != 1 or not isinstance(at.parent(node), ast.keyword):
        return
    name, body = node.args.args[0].arg, at.text(node.body)
    forms = [
        "-" + operand(node.body, at),
        "({}, {})".format(body, name),
        "({}, -{})".format(body, name),
    ]
    forms += ["{}[0]".format(name), "{}[1]".format(name), "len({})".format(name), name, "-" + name]
    forms += ["(-{}, {})".format(operand(node.body, at), name), "abs({})".format(body)]
    others = further_keys(node.body, name, at)
    forms += [form.format(body, each) for each in others for form in ("({}, {})", "({}, -{})")]
    for text in forms:
        yield at.put(node.body, text, 0.8)
    if isinstance(node.body, ast.Tuple):
        for each in node.body.elts[:MOST_KEYS]:
            turned = "-" + operand(each, at)
            if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub):
                turned = at.text(each.operand)
            yield at.put(each, turned, 1.0, "sort by `{}`".format(turned))
    reverse = reversing(node, at)
    keys = ["(-{}, {})".format(operand(node.body, at), each) for each in others]
    if isinstance(node.body, ast.Tuple) and node.body.elts:
        keys = ["(-{}".format(body.lstrip("( "))]
    for whole in keys if reverse else ():
        changes = (*at.context.replace(node.body, whole), *reverse)
        yield Idea(0.9, changes, "sort by `{}` and not in reverse".format(whole))


def further_keys(body: ast.AST, name: str, at: At) -> List[str]:
    """Return what else of an element may decide where the key is the same."""
    inner = body.operand if isinstance(body, ast.UnaryOp) else body
    if isinstance(inner, ast.Subscript):
        pieces = ["{}[{}]".format(name, place) for place in range(2)]
    elif isinstance(inner, ast.Attribute):
        pieces = ["{}.{}".format(name, each) for each in at.context.attributes]
    else:
        pieces = [name]
    return [each for each in pieces if each != at.text(inner)][:MOST_KEYS]


def reversing(node: ast.AST, at: At) -> List[Splice]:
    """Return the change that takes `reverse=True` away beside a key, if it stands there."""
    keyword = at.parent(node)
    call = at.parent(keyword) if keyword is not None else None
    for given in call.keywords if isinstance(call, ast.Call) else ():
        if given.arg == "reverse" and at.text(given.value) == "True":
            start, end = at.source.span(given.value)
            start = at.source.text.rindex(",", 0, start)
            return [Splice(start, end, "")]
    return []
