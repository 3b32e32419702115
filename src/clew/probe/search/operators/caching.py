"""What results are kept by: a key that leaves out what the result depends on."""

from __future__ import annotations

import ast
from typing import Iterator, List, Set, Tuple

from ..source import Splice, stored
from .table import At, Idea, operator

LOOKS = ("get", "setdefault", "pop")  # methods of a dict whose first argument is a key


@operator("cache key", 1.1, ast.Assign)
def cache_key(node: ast.AST, at: At) -> Iterator[Idea]:
    """Keep a result by all arguments, where it is kept by some: named first, or used at once."""
    assert isinstance(node, ast.Assign)
    function = at.function(node)
    target = node.targets[0]
    if function is None or len(node.targets) != 1:
        return
    if isinstance(target, ast.Name):
        if target.id in {at.text(key) for _, key in kept(function, at)}:
            for weight, text in longer(node.value, function, at):
                yield at.put(node.value, text[1:-1], weight)
    elif isinstance(target, ast.Subscript):
        where, key = at.text(target.value), at.text(target.slice)
        uses = [use for place, use in kept(function, at) if (place, at.text(use)) == (where, key)]
        bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and stored(n)}
        if len(uses) > 1 and key not in bound:
            for weight, text in longer(target.slice, function, at):
                changes = tuple(sorted(Splice(*at.source.span(use), text) for use in uses))
                yield Idea(weight, changes, "replace the key `{}` by `{}`".format(key, text))


def kept(function: ast.AST, at: At) -> Iterator[Tuple[str, ast.AST]]:
    """Yield where a function keeps something, and by what, if it also asks whether it has it."""
    found: List[Tuple[str, ast.AST, bool]] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            found.append((at.text(node.value), node.slice, isinstance(node.ctx, ast.Store)))
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found.append((at.text(node.comparators[0]), node.left, False))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in LOOKS
            and node.args
        ):
            found.append((at.text(node.func.value), node.args[0], False))
    made: Set[Tuple[str, str]] = {(where, at.text(key)) for where, key, stores in found if stores}
    asked = {(where, at.text(key)) for where, key, stores in found if not stores}
    for where, key, _ in found:
        if (where, at.text(key)) in made & asked:
            yield where, key


def longer(value: ast.AST, function: ast.AST, at: At) -> Iterator[Tuple[float, str]]:
    """Yield a key of a function with more of its arguments than it has, and weights."""
    said = getattr(function, "args", None)
    if said is None:
        return
    names = [each.arg for each in (*said.args, *said.kwonlyargs) if each.arg not in ("self", "cls")]
    names += [each.arg for each in (said.vararg, said.kwarg) if each is not None]
    read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    missing = [name for name in names if name not in read]
    if not missing or len(missing) == len(names):
        return
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    whole = [at.text(part) for part in parts]
    whole += [hashed(name, said) for name in missing]
    order = {name: place for place, name in enumerate(names)}
    if all(part in order for part in whole):  # as the function has them
        whole.sort(key=order.__getitem__)
    yield 1.0, "({})".format(", ".join(whole))
    for name in missing if len(missing) > 1 else ():
        some = [*(at.text(part) for part in parts), hashed(name, said)]
        yield 0.8, "({})".format(", ".join(some))


def hashed(name: str, said: ast.arguments) -> str:
    """Return an argument as it may be a part of a key."""
    if said.kwarg is not None and name == said.kwarg.arg:
        return "tuple(sorted({}.items()))".format(name)
    return name
