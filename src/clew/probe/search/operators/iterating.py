"""What is gone through: only once, while it changes, unsorted, or beside something longer."""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Tuple

from ..context import parameters
from ..source import Splice, last_name, stored
from .blocks import COMPOUND, SIMPLE, before
from .objects import is_first
from .table import At, Idea, operator, short

__all__ = ["changed_in_place"]

LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
LAZY = ("filter", "iter", "map", "reversed", "zip")
# What goes through all that it is given.
EXHAUSTING = frozenset(
    [
        *("Counter", "all", "any", "deque", "dict", "enumerate", "extend", "filter", "frozenset"),
        *("join", "list", "map", "max", "min", "set", "sorted", "sum", "tuple", "update", "zip"),
    ]
)
# What changes a list, a dictionary or a set in place, and which of them it may be.
CHANGING = {
    **dict.fromkeys(("append", "extend", "insert", "reverse", "sort"), ("list",)),
    **dict.fromkeys(("popitem", "setdefault"), ("dict",)),
    **dict.fromkeys(("add", "discard"), ("set",)),
    **dict.fromkeys(("clear", "pop", "remove", "update"), ("list", "dict", "set")),
}
ITEMS = ("list", "dict")  # what an item is set or deleted of
KINDS = ("list", "dict", "set")
VIEWS = ("items", "keys", "values")


@operator("used up", 0.8, *SIMPLE, *COMPOUND)
def used_up(node: ast.AST, at: At) -> Iterator[Idea]:
    """Keep in a list what is gone through twice: of a generator nothing is left by then."""
    function = at.place.inner
    if function is None:
        return
    if is_first(node, at):
        for name in parameters(function):
            change = before(node, at, "{0} = list({0})".format(name))
            if change is not None and rounds(function, name) > 1:
                words = "keep `{}` in a list, since it is gone through twice"
                yield Idea(1.0, (change,), words.format(name))
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        made, name = node.value, node.targets[0].id
        lazy = isinstance(made, ast.Call) and last_name(made.func) in LAZY
        if (lazy or isinstance(made, ast.GeneratorExp)) and rounds(function, name) > 1:
            text = at.text(made)
            inner = text[1:-1] if isinstance(made, ast.GeneratorExp) else text
            yield at.put(made, "list({})".format(inner), 1.0)


def rounds(function: ast.AST, name: str) -> int:
    """Count how often a function goes through what a name holds; 0 where it is bound twice."""
    nodes = list(ast.walk(function))
    names = [each for each in nodes if isinstance(each, ast.Name) and each.id == name]
    stored = [each for each in names if not isinstance(each.ctx, ast.Load)]
    if len(stored) > (name not in parameters(function)):
        return 0
    loops = [each.iter for each in nodes if isinstance(each, LOOPS)]
    calls = [each for each in nodes if isinstance(each, ast.Call)]
    given = [a for call in calls if last_name(call.func) in EXHAUSTING for a in call.args]
    return sum(each in loops or each in given for each in names)


@operator("changed in loop", 0.9, ast.For)
def changed_in_loop(node: ast.AST, at: At) -> Iterator[Idea]:
    """Go through a copy of what the loop changes."""
    assert isinstance(node, ast.For)
    held: ast.expr = node.iter
    if isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and not held.args:
        held = held.func.value if held.func.attr in VIEWS else held
    if isinstance(held, (ast.Name, ast.Attribute)):
        body = ast.Module(node.body, [])
        if changed_in_place(body, at.text(held)):
            words = "go through a copy of `{}`".format(short(at.text(held)))
            yield at.put(node.iter, "list({})".format(at.text(node.iter)), 1.0, words)


def changed_in_place(tree: ast.AST, text: str) -> List[str]:
    """Return what a value may be that code changes in place: a list, a dictionary, a set."""
    kinds: List[Tuple[str, ...]] = []
    for node in ast.walk(tree):
        value: Any = getattr(node, "value", None)
        if not isinstance(value, (ast.Name, ast.Attribute)) or ast.unparse(value) != text:
            continue
        if isinstance(node, ast.Subscript) and stored(node):
            kinds.append(ITEMS)
        elif isinstance(node, ast.Attribute) and node.attr in CHANGING:
            kinds.append(CHANGING[node.attr])
    return [kind for kind in KINDS if kinds and all(kind in each for each in kinds)]


@operator("grouped", 0.9, ast.Call)
def grouped(node: ast.AST, at: At) -> Iterator[Idea]:
    """Sort what is grouped by what it is grouped by: only neighbours come into one group."""
    assert isinstance(node, ast.Call)
    if last_name(node.func) == "groupby" and node.args:
        keys = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "key")]
        by = ", key={}".format(at.text(keys[0])) if keys else ""
        yield at.put(node.args[0], "sorted({}{})".format(at.text(node.args[0]), by), 1.0)


@operator("equally long", 0.8, ast.Call)
def equally_long(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask that two are equally long before they are compared pair by pair: `zip` drops the rest."""
    assert isinstance(node, ast.Call)
    pairs = [
        each
        for argument in node.args[:1] if isinstance(argument, (ast.GeneratorExp, ast.ListComp))
        for loop in argument.generators for each in [loop.iter]
        if isinstance(each, ast.Call) and last_name(each.func) == "zip" and len(each.args) == 2
    ]  # fmt: skip
    if last_name(node.func) == "all" and pairs:
        one, other = map(at.text, pairs[0].args)
        start = at.source.outer_span(node)[0]
        change = Splice(start, start, "len({}) == len({}) and ".format(one, other))
        words = "ask that `{}` and `{}` are equally long".format(short(one), short(other))
        yield Idea(1.0, (change,), words)
