"""One collection where there should be several: of a class, or of all that a call makes."""

from __future__ import annotations

import ast
from typing import Any, Iterator, Optional, Tuple

from ..context import named_by
from ..held import OTHER, copied_from, names_in
from ..source import insertion
from .blocks import COMPOUND, SIMPLE, before
from .objects import is_first, kept_by, method_of
from .table import At, Idea, operator, short

COLLECTIONS = ("list", "dict", "set", "deque", "defaultdict", "Counter", "OrderedDict")


@operator("fresh attribute", 0.9, *SIMPLE, *COMPOUND)
def fresh_attribute(node: ast.AST, at: At) -> Iterator[Idea]:
    """Give each object its own collection, where all of a class share one."""
    method, owner = method_of(at)
    if owner is None or method.name != "__init__" or not is_first(node, at):
        return
    here = kept_by(method)
    for name, value in collections_of(owner):
        change = before(node, at, "self.{} = {}".format(name, at.text(value)))
        if change is not None and name not in here:
            yield Idea(1.0, (change,), "give each object its own `{}`".format(name))


def collections_of(owner: ast.ClassDef) -> Iterator[Tuple[str, ast.expr]]:
    """Yield the collections that all objects of a class share, with their names."""
    for made in owner.body:
        value: Any = getattr(made, "value", None)
        for name in named_by(made) if is_collection(value) else ():
            yield name, value


@operator("fresh element", 0.9, ast.Call, ast.BinOp)
def fresh_element(node: ast.AST, at: At) -> Iterator[Idea]:
    """Make a collection for each place, where all places hold the same one."""
    if isinstance(node, ast.Call) and len(node.args) == 2:
        keys, value = node.args
        name = "each" if isinstance(keys, ast.Name) and keys.id == "key" else "key"
        fresh = made_anew(value, at) if at.text(node.func) == "dict.fromkeys" else ""
        if fresh:
            form = "{{{0}: {1} for {0} in {2}}}"
            yield at.put(node, form.format(name, fresh, at.text(keys)))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        shared, count = node.left, node.right
        if not isinstance(shared, ast.List):
            shared, count = count, shared
        fresh = made_anew(only_element(shared), at)
        if fresh:
            form = "[{} for _ in range({})]"
            yield at.put(node, form.format(fresh, at.text(count)))


@operator("deep copy", 0.5, ast.Return, ast.Assign, ast.AnnAssign)
def deep_copy(node: ast.AST, at: At) -> Iterator[Idea]:
    """Copy what an object keeps with all that it holds, where it is handed out or taken in.

    That is what is looked up in an attribute, or copied only at its top.
    """
    value = getattr(node, "value", None)
    if value is None or "deepcopy" in at.text(value):
        return
    looked_up = value.func.value if is_get(value) else getattr(value, "value", None)
    kept = isinstance(value, (ast.Subscript, ast.Call)) and isinstance(looked_up, ast.Attribute)
    spread = isinstance(value, ast.Dict) and None in value.keys
    if kept or spread or copied_from(value) is not None:
        text = at.text(copied_from(value) or value)
        known = at.context.modules
        form = "deepcopy({})" if "deepcopy" in known or "copy" not in known else "copy.deepcopy({})"
        changes = list(at.context.replace(value, form.format(text)))
        if not {"deepcopy", "copy"} & set(known):
            changes.insert(0, insertion(at.source, "from copy import deepcopy"))
        words = "copy `{}` with all that it holds".format(short(text))
        yield Idea(1.0, tuple(changes), words)


def is_get(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("get", "pop", "setdefault")
    )


def only_element(node: ast.AST) -> Optional[ast.expr]:
    """Return what a list holds, if that is one thing."""
    return node.elts[0] if isinstance(node, ast.List) and len(node.elts) == 1 else None


def made_anew(value: Optional[ast.expr], at: At) -> str:
    """Return the code that makes a collection once more; empty where a value is none.

    One that has a name is copied. A list that is multiplied is as good as one that is written out.
    """
    several = isinstance(value, ast.BinOp) and isinstance(value.left, ast.List)
    if value is not None and (several or is_collection(value)):
        return at.text(value)
    if not isinstance(value, (ast.Name, ast.Attribute)):
        return ""
    kind = at.context.held.kind(value, names_in(at.place.inner))
    return "{}({})".format(kind, at.text(value)) if kind not in ("", OTHER) else ""


def is_collection(node: Optional[ast.AST]) -> bool:
    """Say whether an expression makes a collection that may change."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in COLLECTIONS
    made = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    return isinstance(node, made)
