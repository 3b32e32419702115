"""What a put-back takes away that today's code has, and that somebody may want."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from typing import Container, Dict, FrozenSet, Iterator, List, Tuple

from ..context import parameters
from ..source import FUNCTIONS, last_name, own_nodes

__all__ = ["called", "defined", "lost"]

Asked = Dict[Tuple[str, ...], str]  # what may be asked of a file, each with its words
SHOWN = 2  # of what is lost


def lost(now: ast.AST, then: ast.AST, replaced: Container[str] = ()) -> str:
    """Return in words what of a file's names, parameters and keys is gone in another text of it.

    A parameter that nothing reads any more is gone as well; names that others replace
    are not missed. Empty where nothing is.
    """
    before, after = known(now), dict(asked(then))
    gone = {
        what: words
        for what, words in before.items()
        if what not in after
        and not (words.startswith("`") and ("attribute", what[-1]) in after)  # a field
        and not (len(what) == 1 and what[0] in replaced)
    }
    # With a function go its parameters, and with a parameter what is done with it.
    told = [words for what, words in gone.items() if words and what[:-1] not in gone]
    more = ["{} more".format(len(told) - SHOWN)] if len(told) > SHOWN else []
    return " and ".join([*told[:SHOWN], *more])


@functools.lru_cache(maxsize=16)
def known(tree: ast.AST) -> Asked:
    return dict(asked(tree))


def asked(tree: ast.AST) -> Iterator[Tuple[Tuple[str, ...], str]]:
    """Yield what callers may ask of a file: each as a path of names, in words.

    What is private has no words: it is not missed.
    """
    yield from members(tree, ())
    for node in ast.walk(tree):
        for name in kept(node):
            yield ("attribute", name), "the attribute `{}`".format(name)
        for key in keys(node):
            yield ("key", key), "the key `{}`".format(key)


def members(owner: ast.AST, chain: Tuple[str, ...]) -> Iterator[Tuple[Tuple[str, ...], str]]:
    """Yield the public names of a module or class, and the parameters of all its functions."""
    stack: List[ast.AST] = list(ast.iter_child_nodes(owner))
    while stack:
        node = stack.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            path = (*chain, node.name)
            name = "`{}`".format(".".join(path))
            yield path, name if public(node.name) else ""
            if isinstance(node, ast.ClassDef):
                yield from members(node, path)
            else:
                yield from given(node, path, name)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store) and public(node.id):
                yield (*chain, node.id), "`{}`".format(".".join((*chain, node.id)))
        elif not isinstance(node, ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))


def given(
    function: ast.AST, path: Tuple[str, ...], name: str
) -> Iterator[Tuple[Tuple[str, ...], str]]:
    """Yield a function's parameters, and those that it reads."""
    arguments: ast.arguments = getattr(function, "args")  # noqa: B009 - a function
    others = [each.arg for each in (arguments.vararg, arguments.kwarg) if each]
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    for each in [*parameters(function), *others]:
        yield (*path, each), "the parameter `{}` of {}".format(each, name)
        if each in read:
            yield (*path, each, "read"), "what {} does with `{}`".format(name, each)
    if any(map(one_by_one, own_nodes(function))):
        yield (*path, "yield"), "the generator of {}".format(name)


def one_by_one(node: ast.AST) -> bool:
    """Say whether a node of a function has it give its values one by one."""
    returned = isinstance(node, ast.Return) and isinstance(node.value, ast.GeneratorExp)
    return returned or isinstance(node, (ast.Yield, ast.YieldFrom))


def kept(node: ast.AST) -> List[str]:
    """Return the public attribute that a node sets, if it sets one."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and public(node.attr):
        return [node.attr]
    return []


def keys(node: ast.AST) -> List[str]:
    """Return the texts that a node has as keys."""
    found: List[object] = []
    if isinstance(node, ast.Dict):
        found = [each.value for each in node.keys if isinstance(each, ast.Constant)]
    elif isinstance(node, ast.Subscript):
        # On Pythons before 3.9 there is an `Index` around.
        index = getattr(node.slice, "value", None)
        found = [getattr(index, "value", index)]
    return [each for each in found if isinstance(each, str) and public(each)]


def defined(tree: ast.AST) -> FrozenSet[str]:
    """Return the names of a file's functions."""
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


def called(tree: ast.AST) -> "Counter[str]":
    """Count the calls of each name, of a method as well."""
    return Counter(last_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))


def public(name: str) -> bool:
    return not name.startswith("_")
