"""What an object counts beside what it holds: where it gives one up, it counts back."""

from __future__ import annotations

import ast
from typing import Any, Iterator, Tuple

from ..source import Splice, own_nodes
from .blocks import newline, own_lines
from .conditions import renamed
from .objects import kept_by, method_of
from .table import At, Idea, operator

ADDING = ("append", "add", "appendleft")
TAKING = ("pop", "popleft", "remove", "discard")
BY_VALUE = ("remove", "discard")  # these are given what they take out
OTHER = "last"  # the name of what is taken out, where the other method's is in use


@operator("take back", 0.9, ast.Return, ast.Assign, ast.Expr)
def take_back(node: ast.AST, at: At) -> Iterator[Idea]:
    """Undo what another method counts of each thing that it adds to the same collection."""
    method, owner = method_of(at)
    call: Any = getattr(node, "value", None)
    held = held_by(call, TAKING)
    if owner is None or not held or own_lines(node, at) is None:
        return
    here = kept_by(method)
    for attribute, sign, amount, item in counted(owner, held, at):
        if attribute in here:
            continue
        name, known = item if item not in at.facts.names else OTHER, False
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            name, known = (target.id if isinstance(target, ast.Name) else ""), True
        elif isinstance(node, ast.Expr) and call.func.attr in BY_VALUE:
            given = call.args[0] if call.args else None
            name, known = (given.id if isinstance(given, ast.Name) else ""), True
        if not name:
            continue
        back = "self.{} {}= {}".format(attribute, sign, renamed(amount, {item: name}))
        lines = [at.text(node) if known else "{} = {}".format(name, at.text(call)), back]
        if isinstance(node, ast.Return):
            lines.append("return " + name)
        start, end = at.source.span(node)
        text = (newline(at) + at.source.indent_of(start)).join(lines)
        words = "change `self.{}` back, as `{}`, for what leaves `self.{}`"
        yield Idea(1.0, (Splice(start, end, text),), words.format(attribute, back, held))


def counted(owner: ast.ClassDef, held: str, at: At) -> Iterator[Tuple[str, str, str, str]]:
    """Yield what methods count of each thing that they add to what the object holds.

    That is an attribute, the sign that counts back, by how much, and the thing's name in there.
    """
    for method in owner.body:
        nodes = [*own_nodes(method)]
        items = [
            n.args[0].id for n in nodes
            if held_by(n, ADDING) == held and isinstance(n, ast.Call)
            and len(n.args) == 1 and isinstance(n.args[0], ast.Name)
        ]  # fmt: skip
        for node in nodes if items else ():
            if not isinstance(node, ast.AugAssign) or not isinstance(node.op, (ast.Add, ast.Sub)):
                continue
            used = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
            if not at.text(node.target).startswith("self.") or not used <= {items[0], "self"}:
                continue
            if isinstance(node.target, ast.Attribute) and node.target.attr != held:
                sign = "-" if isinstance(node.op, ast.Add) else "+"
                yield node.target.attr, sign, at.text(node.value), items[0]


def held_by(node: Any, methods: Tuple[str, ...]) -> str:
    """Return the attribute of `self` that a method of these names is called of; else nothing."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr not in methods:
        return ""
    held: Any = function.value
    own = isinstance(held, ast.Attribute) and getattr(held.value, "id", "") == "self"
    return held.attr if own else ""
