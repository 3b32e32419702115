"""What rounds of a loop gather, or calls of an object: lost again, or not begun anew."""

from __future__ import annotations

import ast
import re
from typing import Dict, Iterator, List

from ..source import FUNCTIONS, last_name
from .arithmetic import reads
from .blocks import after
from .iterating import changed_in_place
from .names import operand
from .objects import is_initial, method_of, put_back
from .table import At, Idea, operator, short

__all__: List[str] = []

RANGE = re.compile(r"range\(len\((.+)\)\)$")
MAPS = ("dict", "")  # what may have `.get`: the second is not known
# How what is there is added to, by what there is while nothing was added.
SUMS: Dict[type, str] = {
    **dict.fromkeys((ast.List, ast.ListComp), "{}.get({}, []) + {}"),
    **dict.fromkeys((ast.Set, ast.SetComp), "{}.get({}, set()) | {}"),
    ast.JoinedStr: "{}.get({}, '') + {}",
}
LOOSE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)  # what `+` binds before
NUMBERS = "{}.get({}, 0) + {}"


@operator("gathered", 0.9, ast.Assign)
def gathered(node: ast.AST, at: At) -> Iterator[Idea]:
    """Add to what a dictionary has for a key already: `counts[name] = counts.get(name, 0) + 1`."""
    assert isinstance(node, ast.Assign)
    target, value = node.targets[0], node.value
    if not at.place.loop or not isinstance(target, ast.Subscript) or len(node.targets) > 1:
        return
    held, key = at.text(target.value), at.text(target.slice)
    names = [each.id for each in ast.walk(target.value) if isinstance(each, ast.Name)]
    lasting = isinstance(target.slice, (ast.Constant, ast.Slice))
    if lasting or at.facts.types.get(held, "") not in MAPS or any(reads(value, n) for n in names):
        return
    text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    form = SUMS[ast.JoinedStr] if text else SUMS.get(type(value), NUMBERS)
    words = "add to what `{}` has for `{}`".format(short(held), short(key))
    bound = isinstance(value, (ast.Constant, ast.BinOp)) and not isinstance(
        getattr(value, "op", None), LOOSE
    )
    added = at.text(value) if bound else operand(value, at)
    yield at.put(value, form.format(held, key, added), 1.0, words)


@operator("taken in", 0.8, ast.Call)
def taken_in(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take what a loop goes through into the largest of it: a column is as wide as its header."""
    assert isinstance(node, ast.Call)
    name, values = last_name(node.func), node.args[0] if len(node.args) == 1 else None
    if name not in ("max", "min") or not isinstance(values, (ast.GeneratorExp, ast.ListComp)):
        return
    measured = values.elt
    call = at.text(measured.func) if isinstance(measured, ast.Call) and measured.args else ""
    for piece in gone_through(node, at):
        taken = "{}({})".format(call, piece) if call else piece
        text = "{}({}, *{})".format(name, taken, at.text(values))
        yield at.put(node, text, 1.0, "take `{}` in as well".format(short(taken)))


def gone_through(node: ast.AST, at: At) -> Iterator[str]:
    """Yield what the loops around an expression go through, piece by piece: `names[i]`, `name`."""
    above = at.parent(node)
    while above is not None and not isinstance(above, FUNCTIONS):
        loops = getattr(above, "generators", [above] if isinstance(above, ast.For) else [])
        for loop in loops:
            if isinstance(loop.target, ast.Name):
                found = RANGE.match(at.text(loop.iter))
                yield "{}[{}]".format(found.group(1), loop.target.id) if found else loop.target.id
        above = at.parent(above)


@operator("reset", 0.9, ast.Assign)
def begun_anew(node: ast.AST, at: At) -> Iterator[Idea]:
    """Begin anew what an object counts or gathers, where it takes up another state."""
    assert isinstance(node, ast.Assign)
    method, owner = method_of(at)
    target = node.targets[0]
    own = isinstance(target, ast.Attribute) and at.text(target.value) == "self"
    if owner is None or not own or not isinstance(node.value, ast.Constant) or put_back(node):
        return
    if method.name == "__init__":
        return
    here = {each.attr for each in ast.walk(method) if isinstance(each, ast.Attribute)}
    for attribute, value in beginnings(owner, at).items():
        if attribute not in here and grows(owner, attribute):
            text = "self.{} = {}".format(attribute, value)
            change = after(node, at, text)
            if change is not None:
                words = "insert `{}` after `{}`".format(text, short(at.text(node)))
                yield Idea(1.0, (change,), words)


def beginnings(owner: ast.ClassDef, at: At) -> Dict[str, str]:
    """Return what the attributes of an object begin with, as far as that is a plain value."""
    found: Dict[str, str] = {}
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            for made in method.body:
                if isinstance(made, ast.Assign) and is_plain(made.value):
                    for target in made.targets:
                        if isinstance(target, ast.Attribute) and at.text(target.value) == "self":
                            found[target.attr] = at.text(made.value)
    return found


def is_plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or is_initial(value)


def grows(owner: ast.ClassDef, attribute: str) -> bool:
    """Tell an attribute that methods add to."""
    text = "self." + attribute
    counted = (n.target for n in ast.walk(owner) if isinstance(n, ast.AugAssign))
    return text in map(ast.unparse, counted) or bool(changed_in_place(owner, text))
