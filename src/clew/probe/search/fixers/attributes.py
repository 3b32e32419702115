"""Attributes and methods that are not there."""

from __future__ import annotations

import ast
from typing import Any, Iterator, List, Tuple

from ..absent import absent_of
from ..crashes import SearchCrash
from ..files import ProjectSources, close
from ..operators.names import METHODS, related
from ..source import FUNCTIONS, Patch, Source, Splice, own_nodes
from .names import FAMILY, at_line

__all__ = ["attribute"]

# What an unknown method of `self` may stand for, given one value.
OF_VALUES = (
    "sum", "len", "max", "min", "sorted", "set", "list", "abs", "any", "all", "int", "str",
    "tuple", "dict", "reversed", "float", "bool", "range",
)  # fmt: skip
OF_ONE = (
    "sort", "reverse", "copy", "pop", "clear", "keys", "values", "items", "lower", "upper",
    "strip", "split", "isdigit", "isalpha", "title",
)  # fmt: skip
# What such a method may compute of two values, with what its name may say.
OF_TWO = {
    "%": ("rem", "mod"), "+": ("add", "sum", "plus"), "-": ("diff", "sub", "minus"),
    "*": ("mul", "prod", "times"), "//": ("div", "quot"),
}  # fmt: skip
PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)
BINDING = (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Await)


def attribute(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Use an attribute that looks like the missing one, or set it under its name."""
    found: List[Patch] = []
    name = crash.missing
    nowhere = absent_of(crash, project)
    for source, line in list(project.frames(crash.frames))[:3]:
        uses = [n for n in at_line(source, line) if isinstance(n, ast.Attribute) and n.attr == name]
        for node in uses:
            end = source.span(node)[1]
            options = close(name, crash.names)
            options += [n for n in related(name, METHODS) if n in crash.names]
            for rank, other in enumerate(dict.fromkeys(options)):
                weight = 2.0 - 0.05 * rank - (0.3 if other.startswith("_") else 0.0)
                text = "replace `.{}` by `.{}`".format(name, other)
                change = Splice(end - len(name), end, other)
                found.append(Patch(source.path, line, FAMILY, weight, text, (change,)))
            found += other_forms(source, node, line, crash)
            found += other_calls(source, node, line)
            if nowhere is not None and nowhere.path == source.path:
                found += left_out(source, node, line)
    if crash.target and crash.target not in ("NoneType", "module"):
        found += set_elsewhere(crash, project)
    return found


def other_forms(source: Source, node: ast.Attribute, line: int, crash: SearchCrash) -> List[Patch]:
    found: List[Patch] = []
    value = source.segment(node.value)
    above = source.parent(node)
    called = isinstance(above, ast.Call) and source.parents[node][1] == "func"
    forms: List[Tuple[float, ast.AST, str]] = []
    if node.attr in ("length", "size", "len", "count", "__len"):
        forms.append((1.8, above if called and above else node, "len({})".format(value)))
    elif called and isinstance(above, ast.Call) and node.attr in OF_VALUES:
        given = [value, *(source.segment(each) for each in [*above.args, *above.keywords])]
        forms.append((1.9, above, "{}({})".format(node.attr, ", ".join(given))))
    if node.attr == "has_key" and isinstance(above, ast.Call) and above.args:
        forms.append((2.0, above, "{} in {}".format(source.segment(above.args[0]), value)))
    if node.attr == "contains" and isinstance(above, ast.Call) and above.args:
        forms.append((2.0, above, "{} in {}".format(source.segment(above.args[0]), value)))
    if isinstance(node.value, ast.Call):
        forms.append((1.2, node.value, source.segment(node.value.func)))
    elif isinstance(node.value, (ast.Attribute, ast.Name)) and crash.target in (
        "method",
        "function",
    ):
        forms.append((1.9, node.value, value + "()"))
    for weight, target, text in forms:
        words = "replace `{}` by `{}`".format(source.segment(target), text)
        change = Splice(*source.span(target), text)
        found.append(Patch(source.path, line, FAMILY, weight, words, (change,)))
    return found


def other_calls(source: Source, node: ast.Attribute, line: int) -> List[Patch]:
    """Call a function, or a method of what is given, where `self` has no such method."""
    above = source.parent(node)
    called = isinstance(above, ast.Call) and source.parents[node][1] == "func"
    if not (called and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
        return []
    found: List[Patch] = []
    call: Any = above
    uses = [
        n for n in ast.walk(source.tree)
        if isinstance(n, ast.Attribute) and n.attr == node.attr
        and isinstance(n.value, ast.Name) and n.value.id == node.value.id
    ]  # fmt: skip
    owners = [n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef)]
    methods = [n for owner in owners for n in owner.body]
    functions = [n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS) and n not in methods]
    if any(n.name == node.attr for n in functions):
        changes = tuple(sorted(Splice(*source.span(n), node.attr) for n in uses))
        words = "call the function `{}`, no method".format(node.attr)
        found.append(Patch(source.path, line, FAMILY, 2.1, words, changes))
    forms: List[Tuple[float, ast.AST, str]] = []
    if call.args and not call.keywords:
        forms += [(likely(node.attr, each), node, each) for each in OF_VALUES]
    if len(call.args) == 1 and isinstance(call.args[0], (ast.Name, ast.Attribute)):
        given = source.segment(call.args[0])
        forms += [(likely(node.attr, each), call, "{}.{}()".format(given, each)) for each in OF_ONE]
    if len(call.args) == len("ab") and not call.keywords:
        forms += [(weight, call, text) for weight, text in operations(source, node.attr, call)]
    for rank, (weight, target, text) in enumerate(forms):
        words = "replace `{}` by `{}`".format(source.segment(target), text)
        change = Splice(*source.span(target), text)
        found.append(Patch(source.path, line, FAMILY, weight - 0.005 * rank, words, (change,)))
    return found


def left_out(source: Source, node: ast.Attribute, line: int) -> List[Patch]:
    """Leave out a call, its result not used, of a method that is nowhere."""
    call = source.parent(node)
    statement = source.parent(call) if isinstance(call, ast.Call) and call.func is node else None
    if not isinstance(statement, ast.Expr):
        return []
    above, field = source.parents[statement]
    block = getattr(above, field)
    position, (start, end) = block.index(statement), source.span(statement)
    change = Splice(start, end, "pass")
    if position + 1 < len(block):
        change = Splice(start, source.start_of(block[position + 1]), "")
    elif position:
        change = Splice(source.span(block[position - 1])[1], end, "")
    words = "leave out `{}`, which nothing defines".format(source.segment(statement))
    return [Patch(source.path, line, FAMILY, 1.7, words, (change,))]


def operations(source: Source, name: str, call: ast.Call) -> Iterator[Tuple[float, str]]:
    """Yield what a method that is not there may compute of two values, with its weight."""
    sides = [
        source.segment(each) if isinstance(each, PLAIN) else "({})".format(source.segment(each))
        for each in call.args
    ]
    form = "({} {} {})" if isinstance(source.parent(call), BINDING) else "{} {} {}"
    for operator, words in OF_TWO.items():
        weight = 1.9 if any(word in name.lower() for word in words) else 1.1
        yield weight, form.format(sides[0], operator, sides[1])


def likely(name: str, other: str) -> float:
    """Return the weight of a call for one that is not there: its name may hold the other's."""
    return 1.9 if other.rstrip("ed") in name else 1.2


def set_elsewhere(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Keep what the class is given under the name; rename what it defines under a slipped one.

    The name is hardly a slip where a parameter has it, or where others read it.
    """
    found: List[Patch] = []
    name = crash.missing
    for path in project.files():
        source = project.source(path)
        if source is None or crash.target.rsplit(".", 1)[-1] not in source.text:
            continue
        for owner in ast.walk(source.tree):
            if not isinstance(owner, ast.ClassDef) or owner.name != crash.target:
                continue
            stores = [
                n for n in ast.walk(owner)
                if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
            ]  # fmt: skip
            methods = [n for n in owner.body if isinstance(n, FUNCTIONS)]
            for method in methods:
                found += kept(source, method, name)
            meant = {n.arg for n in ast.walk(owner) if isinstance(n, ast.arg)}
            meant.update(
                n.attr for n in ast.walk(source.tree)
                if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
            )  # fmt: skip
            for other in close(name, [n.attr for n in stores] + [m.name for m in methods], 3):
                changes = []
                for node in stores:
                    if node.attr == other:
                        end = source.span(node)[1]
                        changes.append(Splice(end - len(other), end, name))
                for method in methods:
                    if method.name == other:
                        start = source.text.index(other, source.span(method)[0] + 4)
                        changes.append(Splice(start, start + len(other), name))
                if changes:
                    line = source.line_of(changes[0].start)
                    words = "rename `{}` to `{}`".format(other, name)
                    weight = 1.8 if other not in meant else 1.2
                    found.append(Patch(path, line, FAMILY, weight, words, tuple(sorted(changes))))
    return found


def kept(source: Source, method: Any, name: str) -> Iterator[Patch]:
    """Keep a variable of a method as an attribute of the object: one it sets, or is given."""
    given = [each.arg for each in method.args.args]
    if not given or given[0] != "self":
        return
    own = "self." + name
    for node in own_nodes(method):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                words = "replace `{}` by `{}` where it is set".format(name, own)
                change = Splice(*source.span(target), own)
                yield Patch(source.path, node.lineno, FAMILY, 2.2, words, (change,))
    first = method.body[1] if len(method.body) > 1 and documented(method) else method.body[0]
    if name in given and source.line_of(source.start_of(first)) > method.lineno:
        start = source.start_of(first)
        words = "keep `{}` in `{}`".format(name, own)
        text = "{} = {}\n{}".format(own, name, source.indent_of(start))
        weight = 2.1 if method.name == "__init__" else 1.6
        yield Patch(source.path, first.lineno, FAMILY, weight, words, (Splice(start, start, text),))


def documented(function: ast.AST) -> bool:
    return bool(ast.get_docstring(function))  # type: ignore[arg-type]
