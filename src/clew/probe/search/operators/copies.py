"""Collections that two share: what is handed out, kept, or changed, is copied before."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, Tuple

from ..context import parameters
from ..held import OTHER, Names, copied_from, made, names_in
from ..source import Splice, own_nodes, stored
from .blocks import COMPOUND, SIMPLE, before
from .iterating import changed_in_place
from .objects import is_first
from .table import At, Idea, operator, short

HANDING = (ast.Return, ast.Assign, ast.AnnAssign, ast.Expr)
KEEPING = ("append", "appendleft", "insert", "add", "setdefault", "put")
PLAIN, OWN, SLICED, DEEP, INNER = "plain", "own", "sliced", "deep", "inner"
STYLES = ((PLAIN, 1.0), (OWN, 1.0), (SLICED, 1.0), (DEEP, 0.9), (INNER, 0.85))
ALONE = 0.9  # one of several that are handed out together
SHORT = 3  # of what is copied: more are not named


@operator("spared", 0.8, *SIMPLE, *COMPOUND)
def spared(node: ast.AST, at: At) -> Iterator[Idea]:
    """Change a copy of what a function is given, which its caller may still want."""
    function = at.place.inner
    if function is None or not is_first(node, at):
        return
    bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and stored(n)}
    for name in parameters(function):
        for number, kind in enumerate(
            changed_in_place(function, name) if name not in bound else ()
        ):
            change = before(node, at, "{0} = {1}({0})".format(name, kind))
            if change is not None:
                yield Idea(1.0 - 0.05 * number, (change,), "change a copy of `{}`".format(name))


@operator("copy", 0.8, *HANDING)
def copied(node: ast.AST, at: At) -> Iterator[Idea]:
    """Copy the collections that a statement hands out or keeps: all of them, or one."""
    names = names_in(at.place.inner)
    here = shared(node, names, at)
    if not here:
        return
    yield from together(here, 1.0, at)
    for each in here if len(here) > 1 else ():
        yield from together([each], ALONE, at)
    statements = [each for each in own_nodes(at.place.inner) if isinstance(each, HANDING)]
    statements.sort(key=at.source.span)
    every = [each for statement in statements for each in shared(statement, names, at)]
    if len(every) > len(here):
        yield from together(every, ALONE, at)


def together(values: List[Tuple[ast.expr, str]], weight: float, at: At) -> Iterator[Idea]:
    """Yield the values copied in each of the ways that the file knows."""
    ways = [forms(value, kind, at) for value, kind in values]
    told = ["`{}`".format(short(at.text(value))) for value, _ in values]
    words = "copy " + " and ".join(told[:SHORT])
    for style, likely in STYLES:
        if any(style in each for each in ways):
            changes: List[Splice] = []
            for (value, _), each in zip(values, ways):
                text = each.get(style) or next(iter(each.values()))
                changes += at.context.replace(value, text)
            within = " with what it holds" if style in (DEEP, INNER) else ""
            yield Idea(weight * likely, tuple(changes), words + within)


def forms(value: ast.expr, kind: str, at: At) -> Dict[str, str]:
    """Return how a value may be copied, by style; beside `list(x)` what the file does already.

    What is a copy already may be one of what it holds as well.
    """
    source = copied_from(value)
    text, known = at.text(source or value), at.source.text
    found: Dict[str, str] = {} if source is None else deeper(source, kind, text, at)
    if source is not None or made(value):
        return found
    bare = isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    if kind != OTHER and kind not in at.facts.names:
        found[PLAIN] = "{}({})".format(kind, text)
    if bare and (kind == OTHER or ".copy()" in known):
        found[OWN] = text + ".copy()"
    if bare and kind == "list" and "[:]" in known:
        found[SLICED] = text + "[:]"
    found.update(deeper(value, kind, text, at))
    return found


def deeper(value: ast.expr, kind: str, text: str, at: At) -> Dict[str, str]:
    """Return how a value is copied with what it holds, where the file shows what that is."""
    known = at.source.text
    found: Dict[str, str] = {}
    if "deepcopy(" in known:
        module = "copy." if "copy.deepcopy(" in known else ""
        found[DEEP] = "{}deepcopy({})".format(module, text)
    inner = at.context.held.inner(value)
    if inner and inner != OTHER and kind == "dict":
        found[INNER] = "{{key: {}(value) for key, value in {}.items()}}".format(inner, text)
    elif inner and inner != OTHER and kind == "list":
        found[INNER] = "[{}(each) for each in {}]".format(inner, text)
    return found


def shared(statement: ast.AST, names: Names, at: At) -> List[Tuple[ast.expr, str]]:
    """Return the collections, with their kinds, that a statement hands out and others hold."""
    found: List[Tuple[ast.expr, str]] = []
    held = at.context.held
    for value, kept in handed(statement):
        for leaf in leaves(value):
            if isinstance(statement, ast.Return) and is_fresh(leaf, names):
                continue
            kind = held.kind(leaf, names)
            if not kind and leaf is value and isinstance(leaf, ast.Name) and kept is not None:
                kind = held.kind(kept, names)
            if kind and forms(leaf, kind, at):
                found.append((leaf, kind))
    return found


def is_fresh(node: ast.expr, names: Names) -> bool:
    return isinstance(node, ast.Name) and names.fresh(node.id)


def handed(statement: Any) -> Iterator[Tuple[ast.expr, Any]]:
    """Yield what a statement hands out or keeps, with the attribute that it is kept in."""
    value = getattr(statement, "value", None)
    if isinstance(value, (ast.Yield, ast.Await)):
        value = value.value
    if value is None:
        return
    if isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Yield):
            yield value, None
        elif isinstance(value, ast.Call) and getattr(value.func, "attr", "") in KEEPING:
            yield from ((each, None) for each in value.args)
        return
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    kept = targets[0] if isinstance(targets[0], ast.Attribute) else None
    yield value, kept


def leaves(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the values that an expression hands on as they are."""
    below: List[ast.AST] = []
    if isinstance(node, ast.Dict):
        below = list(node.values)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        below = list(node.elts)
    elif isinstance(node, ast.IfExp):
        below = [node.body, node.orelse]
    elif isinstance(node, ast.Call) and makes_object(node):
        below = [*node.args, *(each.value for each in node.keywords)]
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.BoolOp, ast.Call)):
        yield node
    for each in below:
        yield from leaves(each)


def makes_object(call: ast.Call) -> bool:
    """Tell the call of a class: by its name, or what stands for the own one."""
    function = call.func
    if isinstance(function, ast.Call):
        return isinstance(function.func, ast.Name) and function.func.id == "type"
    name = getattr(function, "id", "") or getattr(function, "attr", "")
    return name in ("cls", "__class__", "replace") or name.lstrip("_")[:1].isupper()
