"""Offsets, slices, indexes, and what a literal holds."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, Tuple

from ..source import Splice
from .arithmetic import exchange
from .constants import quoted
from .table import At, Idea, operator, short

AHEAD = 1.8  # the weight of an end that leaves a next element: without it the last one has none
MOST_OTHERS = 6  # variables that an element is compared with
OFTEN = 3  # times that a function asks for one element: fewer are moved one by one
MOST_METHODS = 24  # of the file's classes, one of which an element may have
MOST_WORDS = 40  # texts that are tried as one more element


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
    yield at.put(node, text + " - 1", AHEAD if looks_ahead(node, at) else weight)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub)):
        return
    if weight >= 0.7:
        yield at.put(node, "-" + (text if isinstance(node, ast.Name) else "(" + text + ")"), 0.4)


def looks_ahead(node: ast.AST, at: At) -> bool:
    """Tell whether a loop goes up to the length of what it asks for the next element of."""
    bound = at.parent(node)
    loop = at.parent(bound) if bound is not None else None
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return False
    nexts = {
        "len({})".format(at.text(each.value))
        for each in ast.walk(loop)
        if isinstance(each, ast.Subscript)
        and isinstance(each.slice, ast.BinOp)
        and isinstance(each.slice.op, ast.Add)
        and loop.target.id in (at.text(each.slice.left), at.text(each.slice.right))
    }
    return at.text(node) in nexts


@operator("offset pair", 0.6, ast.Compare, ast.BinOp, ast.Subscript)
def offset_pair(node: ast.AST, at: At) -> Iterator[Idea]:
    """Move all indexes by one: `a[i - 1] == b[j - 1]` for `a[i] == b[j]`."""
    if isinstance(at.parent(node), (ast.Compare, ast.BinOp, ast.Subscript)):
        return
    indexes = [
        each.slice
        for each in ast.walk(node)
        if isinstance(each, ast.Subscript) and isinstance(each.slice, (ast.Name, ast.BinOp))
    ]
    for step in (-1, 1) if len(indexes) > 1 else ():
        moved = [(index, moved_by(index, step, at)) for index in indexes]
        changes = tuple(sorted(Splice(*at.source.span(index), text) for index, text in moved))
        words = "move the indexes {} by {:+}".format(
            " and ".join("`{}`".format(at.text(index)) for index in indexes), step
        )
        yield Idea(0.8, changes, words)


@operator("every index", 0.6, ast.Subscript)
def every_index(node: ast.AST, at: At) -> Iterator[Idea]:
    """Move the index of an element by one wherever the function asks for it: `a[i]`, `a[i + 1]`."""
    assert isinstance(node, ast.Subscript)
    if at.place.inner is None or not isinstance(node.slice, (ast.Name, ast.BinOp)):
        return
    same = [
        each
        for each in ast.walk(at.place.inner)
        if isinstance(each, ast.Subscript) and at.text(each) == at.text(node)
    ]
    for step in (-1, 1) if len(same) >= OFTEN and same[0] is node else ():
        text = moved_by(node.slice, step, at)
        changes = tuple(sorted(Splice(*at.source.span(each.slice), text) for each in same))
        made = "{}[{}]".format(at.text(node.value), text)
        yield Idea(0.8, changes, "replace every `{}` by `{}`".format(at.text(node), made))


def moved_by(index: ast.AST, step: int, at: At) -> str:
    """Return an index moved by one: `i` for `i - 1` and one more."""
    if isinstance(index, ast.BinOp) and isinstance(index.right, ast.Constant):
        back = {ast.Add: -1, ast.Sub: 1}.get(type(index.op), 0)
        if index.right.value == 1 and back == step:
            return at.text(index.left)
    return "{} {} 1".format(at.text(index), "+" if step > 0 else "-")


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
    if isinstance(node.upper, ast.Name) and not lower:  # the first ones for the last ones
        found.setdefault(("-" + upper, "", step), 0.7)
    start, end = at.source.span(node)
    for (low, high, by), weight in found.items():
        text = low + ":" + high + (":" + by if by else "")
        if (low, high, by) != (lower, upper, step):
            words = "slice `{}` instead of `{}`".format(text, at.text(node))
            yield Idea(weight, (Splice(start, end, text),), words)


@operator("slice moved", 0.8, ast.Call, ast.Subscript)
def slice_moved(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take a part of what a call gives, for a call with a part: `sorted(a)[:n]`; or the reverse."""
    if isinstance(node, ast.Subscript):
        for given in first_given(node.value) if isinstance(node.slice, ast.Slice) else ():
            yield from part_of(given, node, at)
    else:
        for given in first_given(node):
            if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Slice):
                yield from part_of(node, given, at)


def first_given(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a call is given first, and what that one is given if it is a call."""
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
        yield node


def part_of(whole: ast.AST, part: ast.Subscript, at: At) -> Iterator[Idea]:
    """Take a slice of another expression than it is taken of: of one around it, or within."""
    end, stop, place = (at.source.span(each)[1] for each in (part.value, part, whole))
    cut = at.source.text[end:stop]
    if cut.startswith("[") and isinstance(whole, (ast.Name, ast.Attribute, ast.Call)):
        changes = sorted([Splice(end, stop, ""), Splice(place, place, cut)])
        yield Idea(1.0, tuple(changes), "take `{}` of `{}`".format(cut, short(at.text(whole))))


@operator("slice", 0.6, ast.Name)
def other_half(node: ast.AST, at: At) -> Iterator[Idea]:
    """`key[2:]`, where `key[:2]` stands beside `key`."""
    assert isinstance(node, ast.Name)
    above = statement = at.parent(node)
    if not isinstance(node.ctx, ast.Load) or isinstance(above, (ast.Subscript, ast.Attribute)):
        return
    while statement is not None and not isinstance(statement, ast.stmt):
        statement = at.parent(statement)
    for each in ast.walk(statement) if statement is not None else ():
        if not isinstance(each, ast.Subscript) or not isinstance(each.slice, ast.Slice):
            continue
        low, high = each.slice.lower, each.slice.upper
        if isinstance(each.value, ast.Name) and each.value.id == node.id and not each.slice.step:
            if high is not None and low is None:
                yield at.put(node, "{}[{}:]".format(node.id, at.text(high)), 1.0)
            elif low is not None and high is None:
                yield at.put(node, "{}[:{}]".format(node.id, at.text(low)), 1.0)


@operator("index", 0.6, ast.Subscript)
def index(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Subscript)
    inner = node.slice
    if type(inner).__name__ == "Index":
        return
    if isinstance(inner, (ast.Slice, ast.Tuple)):
        return
    yield at.put(node, at.text(node.value), 0.6, "drop the index")
    if isinstance(node.ctx, (ast.Store, ast.Del)):
        return
    whole, text = at.text(node.value), at.text(inner)
    for function in ("sum", "max", "min", "len", "any", "all"):
        yield at.put(node, "{}({})".format(function, whole), 0.25)
    if isinstance(inner, ast.UnaryOp):
        return
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


@operator("other end", 0.9, ast.Call)
def other_end(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take the first element for the last, or the last for the first: a queue is no stack."""
    assert isinstance(node, ast.Call)
    ends = {"pop()": "pop(0)", "pop(0)": "pop()", "pop(-1)": "pop(0)"}
    ends.update({"pop(last=False)": "pop()", "popleft()": "pop()"})
    if isinstance(node.func, ast.Attribute):
        owner = at.text(node.func.value)
        other = ends.get(at.text(node)[len(owner) + 1 :])
        if other is not None:
            yield at.put(node, "{}.{}".format(owner, other), 1.0)


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
    for function in ("int", "float", "str") if isinstance(node, ast.Tuple) else ():
        changes = [at.put(i, "{}({})".format(function, at.text(i))).changes for i in items]
        words = "call `{}` on each of `{}`".format(function, short(at.text(node)))
        yield Idea(0.7, tuple(c for each in changes for c in each), words)
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
                yield Idea(0.4, (Splice(last, last, ", " + number),), "add `{}`".format(number))
    elif all(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in items):
        tested = isinstance(at.parent(node), ast.Compare)
        for text in words_beside(items, at):
            weight = 1.0 if tested else 0.4
            yield Idea(weight, (Splice(last, last, ", " + text),), "add `{}`".format(text))
    else:
        for name in at.names(node)[:8]:
            yield Idea(0.35, (Splice(last, last, ", " + name),), "add `{}`".format(name))


def words_beside(items: List[Any], at: At) -> List[str]:
    """Return texts that a list of texts may lack: of this function, and of the tests."""
    quote = at.text(items[-1])[-1:]
    told = [ast.literal_eval(text) for text in at.facts.strings]
    known = [i.value for i in items]
    words = dict.fromkeys([*told, *at.facts.documented, *at.context.clues.words])
    return [quoted(word, quote) for word in words if word not in known][:MOST_WORDS]


def removal(at: At, items: List[ast.AST], position: int) -> Splice:
    """Take one of several elements out, with the comma that goes with it."""
    start, end = at.source.outer_span(items[position])
    if position + 1 < len(items):
        return Splice(start, at.source.outer_span(items[position + 1])[0], "")
    if position:
        return Splice(at.source.outer_span(items[position - 1])[1], end, "")
    comma = next((t.end for t in at.source.between(end, end + 80) if t.text == ","), end)
    alone = not at.source.text[end : comma - 1].strip()
    return Splice(start, comma if alone else end, "")


@operator("mapping", 0.5, ast.Dict)
def mapping(node: ast.AST, at: At) -> Iterator[Idea]:
    """Swap values of a dict, or a key with its value."""
    assert isinstance(node, ast.Dict)
    pairs = [(k, v) for k, v in zip(node.keys, node.values) if k is not None]
    for (_, left), (_, right) in zip(pairs, pairs[1:]):
        yield exchange(at, left, right, 0.8)
    for key, value in pairs[:4]:
        yield exchange(at, key, value, 0.4)


@operator("bare element", 1.0, ast.GeneratorExp, ast.ListComp)
def bare_element(node: ast.AST, at: At) -> Iterator[Idea]:
    """Make something of elements that are given as they are: `any(x for x in xs)`."""
    assert isinstance(node, (ast.GeneratorExp, ast.ListComp))
    loop, element = node.generators[0], node.elt
    if not isinstance(element, ast.Name) or len(node.generators) > 1 or loop.ifs:
        return
    name, target = element.id, loop.target
    call = at.parent(node)
    if not (isinstance(target, ast.Name) and target.id == name and isinstance(call, ast.Call)):
        return
    function = call.func
    if isinstance(function, ast.Name) and function.id in ("any", "all"):
        iterated = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
        others = [n for n in at.names(node) if n != name and n not in iterated]
        forms = ["{1} == {0}", "{0} in {1}", "{0} != {1}", "{0} not in {1}"]
        if function.id == "all":  # of what another holds, rather than equal to it
            forms[:2] = forms[1::-1]
        for rank, other in enumerate(others[:MOST_OTHERS]):
            for less, form in enumerate(forms):
                yield at.put(element, form.format(name, other), 1.0 - 0.05 * less - 0.02 * rank)
    elif isinstance(function, ast.Attribute) and function.attr == "join":
        yield at.put(element, "str({})".format(name), 0.9)
        methods = dict.fromkeys(m for own in at.context.methods.values() for m in own)
        plain = [each for each in methods if not each.startswith("_")]
        for each in plain[:MOST_METHODS]:
            yield at.put(element, "{}.{}()".format(name, each), 1.0)
            yield at.put(element, "{}.{}".format(name, each), 0.8)


@operator("dict comprehension", 0.6, ast.DictComp)
def dict_comprehension(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.DictComp)
    if node.value is not None:
        yield exchange(at, node.key, node.value, 1.0)


@operator("sign", 0.6, ast.UnaryOp)
def sign(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, (ast.USub, ast.Invert, ast.UAdd)):
        yield at.put(node, at.text(node.operand), 1.0)
