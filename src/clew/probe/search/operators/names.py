"""Variables, attributes, functions: one name used where another was meant."""

from __future__ import annotations

import ast
import difflib
from typing import Dict, Iterator, List, Optional, Tuple

from ..context import OWN
from ..source import Splice
from .arithmetic import exchange
from .table import At, Idea, operator

RELATED: Tuple[Tuple[str, ...], ...] = (
    ("max", "min", "sum", "len"),
    ("any", "all"),
    ("sorted", "reversed", "list", "set"),
    ("int", "round", "float", "str", "abs"),
    ("list", "tuple", "set", "dict"),
    ("ord", "chr"),
    ("range", "enumerate", "reversed", "len"),
    ("map", "filter"),
    ("bin", "hex", "oct", "str"),
    ("isinstance", "issubclass"),
    ("repr", "str"),
    ("zip", "enumerate"),
)
PLAIN = ("sorted", "round", "abs", "reversed", "len", "sum")  # nobody asks whether a value is one
METHODS: Tuple[Tuple[str, ...], ...] = (
    ("lower", "upper", "title", "capitalize", "casefold", "swapcase"),
    ("islower", "isupper", "isalpha", "isdigit", "isalnum", "isspace", "isnumeric", "isdecimal"),
    ("strip", "lstrip", "rstrip"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"),
    ("startswith", "endswith"),
    ("find", "rfind", "index", "rindex", "count"),
    ("append", "extend", "insert", "add", "update"),
    ("add", "discard", "remove"),
    ("remove", "discard", "pop"),
    ("pop", "popleft"),
    ("append", "appendleft"),
    ("keys", "values", "items"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("issubset", "issuperset", "isdisjoint"),
    ("get", "pop", "setdefault"),
    ("ljust", "rjust", "center", "zfill"),
    ("match", "search", "fullmatch", "findall", "finditer"),
    ("floor", "ceil", "trunc", "sqrt"),
    ("sin", "cos", "tan"),
    ("log", "log2", "log10", "exp"),
    ("read", "readline", "readlines"),
    ("dumps", "dump"),
    ("loads", "load"),
    ("bisect_left", "bisect_right", "bisect"),
    ("heappush", "heappop", "heappushpop", "heapreplace"),
    ("encode", "decode"),
    ("days", "seconds", "total_seconds"),
    ("year", "month", "day"),
    ("hour", "minute", "second"),
    ("isoformat", "strftime"),
    ("weekday", "isoweekday"),
    ("lstrip", "removeprefix"),
    ("rstrip", "removesuffix"),
    ("name", "stem", "suffix"),
    ("permutations", "combinations", "product", "combinations_with_replacement"),
)


COPIED = 0.5  # how likely a copy is made to read one element of it


def related(name: str, groups: Tuple[Tuple[str, ...], ...]) -> List[str]:
    found: Dict[str, None] = {}
    for group in groups:
        if name in group:
            found.update(dict.fromkeys(n for n in group if n != name))
    return list(found)


def one_is_read(node: Optional[ast.AST], at: At) -> bool:
    """Tell a call of whose result one element is read: no copy is wanted for that."""
    above = at.parent(node) if node is not None else None
    return (
        isinstance(node, ast.Call)
        and isinstance(above, ast.Subscript)
        and at.field(node) == "value"
        and not isinstance(above.slice, ast.Slice)
    )


def is_called(node: ast.AST, at: At) -> bool:
    return at.field(node) == "func"


@operator("variable", 0.8, ast.Name)
def variable(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use another variable that is visible here."""
    assert isinstance(node, ast.Name)
    if is_called(node, at):
        return
    names = at.names(node)
    store = isinstance(node.ctx, (ast.Store, ast.Del))
    parent = at.parent(node)
    if store and not isinstance(parent, (ast.AugAssign, ast.Assign, ast.For, ast.Tuple)):
        return
    if not store and node.id not in names and node.id not in at.context.globals:
        return
    kind = at.facts.types.get(node.id)
    ranked: List[Tuple[float, str]] = []
    for position, name in enumerate(names):
        if name == node.id:
            continue
        weight = 1.0 if position < 8 else 0.6
        other = at.facts.types.get(name)
        if kind and other and kind != other:
            weight *= 0.6
        if difflib.SequenceMatcher(None, name, node.id).ratio() > 0.6:
            weight *= 1.15
        if store:
            weight *= 0.8 if isinstance(parent, ast.AugAssign) else 0.4
        ranked.append((weight, name))
    ranked += [
        (0.4 if node.id in names else 0.9, name)
        for name in at.context.globals[:12]
        if name != node.id and not store and name not in names
    ]
    for weight, name in sorted(ranked, key=lambda pair: -pair[0])[:20]:
        yield at.put(node, name, weight)


@operator("own", 0.8, ast.Name, ast.Attribute)
def own_attribute(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use what the object has under this name, the variable of this name, another object."""
    given = getattr(at.place.function, "args", None)
    first = given.args[0].arg if given is not None and given.args else ""
    if first not in OWN:
        return
    if isinstance(node, ast.Name) and isinstance(at.parent(node), ast.Attribute):
        others = [first] if node.id != first else at.facts.parameters[:4]
        for rank, other in enumerate(others):
            yield at.put(node, other, 0.9 - 0.1 * rank)
    if isinstance(node, ast.Name):
        methods = [name for own in at.context.methods.values() for name in own]
        known = methods if is_called(node, at) else [*at.context.attributes, *methods]
        if node.id in known and node.id != first:
            store = isinstance(node.ctx, (ast.Store, ast.Del))
            yield at.put(node, "{}.{}".format(first, node.id), 0.7 if store else 1.0)
    elif (
        isinstance(node, ast.Attribute)
        and at.text(node.value) == first
        and node.attr in at.names(node)
    ):
        yield at.put(node, node.attr, 0.8)


@operator("variable", 0.7, ast.Subscript, ast.Attribute, ast.Call)
def kept(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use the variable that keeps what the same expression gave before."""
    above = at.parent(node)
    if at.place.function is None or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    text = at.text(node)
    for each in ast.walk(at.place.function):
        if isinstance(each, ast.Assign) and each is not above and at.text(each.value) == text:
            target = each.targets[0]
            if isinstance(target, ast.Name) and each.lineno < at.place.statement.lineno:
                yield at.put(node, target.id, 1.0)


@operator("every use", 0.45, ast.Name)
def every_use(node: ast.AST, at: At) -> Iterator[Idea]:
    """Rename all uses of a variable within one statement."""
    assert isinstance(node, ast.Name)
    if is_called(node, at) or isinstance(node.ctx, ast.Store):
        return
    uses = [n for n in ast.walk(at.place.statement) if isinstance(n, ast.Name) and n.id == node.id]
    if len(uses) < 2 or uses[0] is not node or hasattr(at.place.statement, "body"):
        return
    for name in at.names(node)[:8]:
        if name != node.id:
            changes = tuple(Splice(*at.source.span(n), name) for n in uses)
            yield Idea(0.8, changes, "replace every `{}` by `{}`".format(node.id, name))


@operator("function", 0.9, ast.Name)
def function(node: ast.AST, at: At) -> Iterator[Idea]:
    """Call another function, or one more often meant."""
    assert isinstance(node, ast.Name)
    if not isinstance(node.ctx, ast.Load):
        return
    for rank, name in enumerate(related(node.id, RELATED)):
        if name in PLAIN and is_asked_for(node, at):
            continue
        weight = COPIED if name == "list" and one_is_read(at.parent(node), at) else 1.0
        yield at.put(node, name, weight - 0.02 * rank)
    functions = at.context.functions
    if node.id in functions:
        for name in functions:
            if name != node.id:
                same = functions[name] == functions[node.id]
                yield at.put(node, name, 0.8 if same else 0.4)
    elif is_called(node, at):
        for name in list(functions)[:20]:
            yield at.put(node, name, 0.3)


def is_asked_for(node: ast.AST, at: At) -> bool:
    """Tell the type that `isinstance` asks for."""
    call = at.parent(node)
    if isinstance(call, ast.Tuple):
        call = at.parent(call)
    named = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
    return named in ("isinstance", "issubclass")


@operator("attribute", 0.85, ast.Attribute)
def attribute(node: ast.AST, at: At) -> Iterator[Idea]:
    """Use another attribute or method."""
    assert isinstance(node, ast.Attribute)
    if node.attr == "seconds" and not is_called(node, at):  # those beside the days
        whole = at.text(node)[: -len(node.attr)] + "total_seconds()"
        yield at.put(node, "int({})".format(whole), 1.0)
        yield at.put(node, whole, 0.9)
    start = at.source.span(node)[1] - len(node.attr)
    if at.source.text[start : start + len(node.attr)] != node.attr:
        return
    # Of what fits as well, the usual one stands first in its group.
    usual = enumerate(related(node.attr, METHODS))
    found: Dict[str, float] = {name: 1.0 - 0.01 * place for place, name in usual}
    own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    called = is_called(node, at)
    for methods in at.context.methods.values():
        if node.attr in methods or own:
            for name in methods:
                is_method = called or not own
                if is_method and not name.startswith("__"):
                    found.setdefault(name, 0.7)
    for name in at.context.attributes:
        if name.startswith("__"):
            continue
        close = difflib.SequenceMatcher(None, name, node.attr).ratio()
        found.setdefault(name, 0.75 if close > 0.6 else 0.45 if own else 0.2)
    found.pop(node.attr, None)
    if own:  # an object has no attribute that only others have
        found = {name: weight for name, weight in found.items() if name in at.context.own}
    ranked = sorted(found.items(), key=lambda pair: -pair[1])[:24]
    for name, weight in ranked:
        change = (Splice(start, start + len(node.attr), name),)
        yield Idea(weight, change, "replace `.{}` by `.{}`".format(node.attr, name))


@operator("swap arguments", 0.7, ast.Call)
def swap_arguments(node: ast.AST, at: At) -> Iterator[Idea]:
    assert isinstance(node, ast.Call)
    plain = [a for a in node.args if not isinstance(a, ast.Starred)]
    for left, right in zip(plain, plain[1:]):
        yield exchange(at, left, right, 1.0)
    if len(plain) >= 3:
        yield exchange(at, plain[0], plain[2], 0.6)
    if isinstance(node.func, ast.Attribute) and len(plain) == 1 and not node.keywords:
        target = at.text(node.func.value)
        words = "swap `{}` and `{}`".format(target, at.text(plain[0]))
        yield at.put(
            node, "{}.{}({})".format(operand(plain[0], at), node.func.attr, target), 0.6, words
        )
    for left_word, right_word in zip(node.keywords, node.keywords[1:]):
        yield exchange(at, left_word.value, right_word.value, 0.7)


def operand(node: ast.AST, at: At) -> str:
    text = at.text(node)
    atoms = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set)
    return text if isinstance(node, atoms) or text[:1] in "'\"" else "(" + text + ")"
