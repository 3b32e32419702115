"""What a function is given and does not have for itself: it is used up, or its caller's."""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Tuple

from ..context import parameters
from ..source import last_name, stored
from .blocks import COMPOUND, SIMPLE, before
from .objects import is_first
from .table import At, Idea, operator

__all__: List[str] = []

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


@operator("spared", 0.8, *SIMPLE, *COMPOUND)
def spared(node: ast.AST, at: At) -> Iterator[Idea]:
    """Change a copy of what a function is given, which its caller may still want."""
    if at.place.inner is None or not is_first(node, at):
        return
    for name in parameters(at.place.inner):
        for number, kind in enumerate(changed_in_place(at.place.inner, name)):
            change = before(node, at, "{0} = {1}({0})".format(name, kind))
            if change is not None:
                yield Idea(1.0 - 0.05 * number, (change,), "change a copy of `{}`".format(name))


def changed_in_place(function: ast.AST, name: str) -> Iterator[str]:
    """Yield what a parameter may be that a function changes in place; nothing of one it binds."""
    kinds: List[Tuple[str, ...]] = []
    for node in ast.walk(function):
        value: Any = getattr(node, "value", None)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return
        if not isinstance(value, ast.Name) or value.id != name:
            continue
        if isinstance(node, ast.Subscript) and stored(node):
            kinds.append(ITEMS)
        elif isinstance(node, ast.Attribute) and node.attr in CHANGING:
            kinds.append(CHANGING[node.attr])
    yield from (kind for kind in ("list", "dict", "set") if kinds and all(kind in k for k in kinds))


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
