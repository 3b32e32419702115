"""What a put-back takes away that today's code has, and that somebody may want."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from datetime import date, datetime, time, timedelta
from pathlib import PurePath
from typing import Container, Dict, FrozenSet, Iterator, List, Tuple

from ..context import parameters
from ..source import FUNCTIONS, last_name, own_nodes

__all__ = ["called", "defined", "lost", "unminded"]

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


def unminded(now: ast.AST, old: ast.AST, then: ast.AST, idle: Container[str] = ()) -> str:
    """Return in words what came since an older text and is minded less often in another one.

    That are attributes that are read, texts that are compared and types that are asked for. What
    stands in `idle` functions, which nobody calls any more, is not done.
    """
    done = {name: pieces(node) for name, node in functions(now) if name in idle}
    others = functions(old) if done else ()
    before = {piece for _, node in others for piece in pieces(node)}
    gone = [name for name, own in done.items() if own - before]
    if gone:
        return "what `{}` does".format(gone[0])
    known = dict(told_apart(old))
    less = Counter(case for case in told_apart(now) if case[0] not in known)
    less.subtract(case for case in cases(then, idle) if case[0] not in known)
    return " and ".join([*dict.fromkeys(words for (_, words), n in less.items() if n > 0)][:SHOWN])


def functions(tree: ast.AST) -> Iterator[Tuple[str, ast.AST]]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield node.name, node


def pieces(function: ast.AST) -> FrozenSet[str]:
    """Return what a function calls, and the short texts that it has."""
    nodes = list(own_nodes(function))
    names = {last_name(node.func) for node in nodes if isinstance(node, ast.Call)}
    values = {getattr(node, "value", None) for node in nodes if isinstance(node, ast.Constant)}
    return frozenset(names) | {v for v in values if isinstance(v, str) and " " not in v and v}


@functools.lru_cache(maxsize=16)
def told_apart(tree: ast.AST) -> Tuple[Tuple[Tuple[str, str], str], ...]:
    return tuple(cases(tree))


def cases(tree: ast.AST, idle: Container[str] = ()) -> Iterator[Tuple[Tuple[str, str], str]]:
    """Yield what the functions of a file tell apart, each with words for it."""
    modules = {
        (each.asname or each.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for each in node.names
    }
    stack: List[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, FUNCTIONS) and node.name in idle:
            continue
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call):
            children.remove(node.func)
            children += ast.iter_child_nodes(node.func)
            for name in types(node):
                yield ("type", name), "what is done with `{}`".format(name)
        elif isinstance(node, ast.Compare):
            for text in compared(node):
                yield ("text", text), "what is done with `{!r}`".format(text)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            owner = getattr(node.value, "id", "")
            if public(node.attr) and owner not in modules and node.attr not in standard():
                yield ("attribute", node.attr), "what is done with `{}`".format(node.attr)
        stack += children


@functools.lru_cache(maxsize=None)
def standard() -> FrozenSet[str]:
    """Return the attributes of the types that all programs have."""
    kinds = (str, bytes, list, dict, set, int, float, date, datetime, time, timedelta, PurePath)
    return frozenset(name for kind in kinds for name in dir(kind))


def types(call: ast.Call) -> List[str]:
    """Return the types that a call of `isinstance` asks for."""
    if last_name(call.func) != "isinstance" or len(call.args) < len(("value", "types")):
        return []
    asked = call.args[1]
    several = asked.elts if isinstance(asked, ast.Tuple) else [asked]
    return [each.id for each in several if isinstance(each, ast.Name)]


def compared(node: ast.Compare) -> Iterator[str]:
    """Yield the texts that something is compared with, one by one or in a list of them."""
    for side in (node.left, *node.comparators):
        several = side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side]
        for each in several:
            value = getattr(each, "value", None)
            if isinstance(each, ast.Constant) and isinstance(value, str) and value:
                yield value


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
