"""What code swapping cannot reach: defaults, decorators, module and class constants."""

from __future__ import annotations

import ast
from typing import Iterator

from ..context import parameters
from ..source import FUNCTIONS, Splice, insertion, last_name, own_nodes
from .table import At, Idea, operator

BRINGS_WRAPS = "from functools import wraps"


@operator("default", 0.8, *FUNCTIONS)
def default(node: ast.AST, at: At) -> Iterator[Idea]:
    """Change a default argument."""
    arguments: ast.arguments = getattr(node, "args")  # noqa: B009 - a function
    for value in [*arguments.defaults, *[d for d in arguments.kw_defaults if d is not None]]:
        texts = ["None", "0", "1", "True", "False", "''", "()", "10", "-1", "' '", "','"]
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            texts.insert(0, repr(not value.value))
        elif isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
            texts = [repr(value.value + 1), repr(value.value - 1), repr(-value.value), *texts]
            texts += [repr(value.value * 10), repr(value.value * 2), repr(value.value / 10)]
        texts += [*at.context.of(None).numbers[:10], *at.context.of(None).strings[:10]]
        for rank, text in enumerate(dict.fromkeys(texts)):
            if text != at.text(value):
                yield at.put(value, text, max(0.3, 0.95 - 0.05 * rank))


@operator("fresh default", 0.9, *FUNCTIONS)
def made_anew(node: ast.AST, at: At) -> Iterator[Idea]:
    """Make a default that is a list, dict or set anew for each call."""
    arguments: ast.arguments = getattr(node, "args")  # noqa: B009 - a function
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(plain[::-1], arguments.defaults[::-1])]
    pairs += [(n, d) for n, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
    body = getattr(node, "body")  # noqa: B009 - a function
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if documented and len(body) > 1 else body[0]
    start = at.source.start_of(first)
    space = at.source.indent_of(start)
    if at.source.starts[at.source.line_of(start) - 1] + len(space) != start:
        return
    outer = at.source.indent_of(at.source.span(node)[0])
    level = space[len(outer) :] or "    "
    for parameter, value in pairs:
        text = at.text(value)
        if text[:1] in "[{" or text in ("list()", "dict()", "set()"):
            name = parameter.arg
            check = "if {0} is None:\n{1}{2}{0} = {3}\n{1}".format(name, space, level, text)
            changes = (*at.context.replace(value, "None"), Splice(start, start, check))
            yield Idea(1.0, changes, "make `{} = {}` anew for each call".format(name, text))


@operator("decorator", 0.6, *FUNCTIONS)
def decorator(node: ast.AST, at: At) -> Iterator[Idea]:
    """Drop, add or exchange a decorator."""
    decorators = getattr(node, "decorator_list")  # noqa: B009 - a function
    start = at.source.starts[getattr(node, "lineno") - 1]  # noqa: B009
    space = at.source.indent_of(at.source.span(node)[0])
    for item in decorators:
        line = at.source.starts[item.lineno - 1]
        end = at.source.starts[item.end_lineno or item.lineno]
        yield Idea(0.6, (Splice(line, end, ""),), "drop `@{}`".format(at.text(item)))
        for name in ("property", "staticmethod", "classmethod"):
            if at.text(item) in ("property", "staticmethod", "classmethod") and name != at.text(
                item
            ):
                yield at.put(item, name, 0.8)
    if not decorators and isinstance(at.parent(node), ast.ClassDef):
        arguments = getattr(node, "args").args  # noqa: B009
        first = arguments[0].arg if arguments else ""
        names = ["property"] if len(arguments) == 1 else []
        names += ["classmethod"] if first == "cls" else ["staticmethod"] if first != "self" else []
        for name in names:
            text = "{}@{}\n".format(space, name)
            yield Idea(0.7, (Splice(start, start, text),), "add `@{}`".format(name))


@operator("wraps", 1.0, *FUNCTIONS)
def wraps(node: ast.AST, at: At) -> Iterator[Idea]:
    """Let what a decorator makes bear the name and the docstring of what it wraps."""
    outer, known = at.parent(node), at.context.modules
    name = getattr(node, "name")  # noqa: B009 - a function
    if not isinstance(outer, FUNCTIONS) or "wraps" in at.text(outer):
        return
    handed_out = any(
        isinstance(each, ast.Return) and isinstance(each.value, ast.Name) and each.value.id == name
        for each in own_nodes(outer)
    )
    called = {
        at.text(each.func)
        for each in own_nodes(node)
        if isinstance(each, ast.Call) and any(isinstance(a, ast.Starred) for a in each.args)
    }
    for wrapped in parameters(outer) if handed_out else ():
        if wrapped not in called:
            continue
        line = getattr(node, "lineno")  # noqa: B009 - a function
        line = min([line, *(d.lineno for d in getattr(node, "decorator_list"))])  # noqa: B009
        start, space = at.source.starts[line - 1], at.source.indent_of(at.source.span(node)[0])
        text = "{}wraps({})".format("functools." if "functools" in known else "", wrapped)
        brings = () if known.keys() & {"functools", "wraps"} else (BRINGS_WRAPS,)
        changes = [insertion(at.source, each) for each in brings]
        changes.append(Splice(start, start, "{}@{}\n".format(space, text)))
        yield Idea(1.0, tuple(changes), "add `@{}`".format(text))


@operator("uncompared", 0.8, ast.AnnAssign)
def uncompared(node: ast.AST, at: At) -> Iterator[Idea]:
    """Leave a field out of what objects of a data class are compared by."""
    assert isinstance(node, ast.AnnAssign)
    owner, value = at.parent(node), node.value
    if not isinstance(owner, ast.ClassDef) or not any(map(makes_data, owner.decorator_list)):
        return
    if value is not None and isinstance(value, ast.Call):
        return
    default = "default={}, ".format(at.text(value)) if value is not None else ""
    start, end = at.source.span(node.annotation)[1], at.source.span(node)[1]
    known = "field" in at.context.modules
    brings = () if known else (insertion(at.source, "from dataclasses import field"),)
    change = Splice(start, end, " = field({}compare=False)".format(default))
    words = "do not compare by `{}`".format(at.text(node.target))
    yield Idea(1.0, (*brings, change), words)


def makes_data(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return last_name(called) == "dataclass"
