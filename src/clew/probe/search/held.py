"""What names and attributes hold, as far as a file's own code shows: dicts, lists and sets."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from .source import own_nodes

__all__ = ["OTHER", "Holdings", "Names", "copied_from", "made", "names_in"]

OTHER = "other"  # a collection that a call of its own class would not copy
KINDS = {
    "list": "list", "List": "list", "Sequence": "list", "MutableSequence": "list",
    "dict": "dict", "Dict": "dict", "Mapping": "dict", "MutableMapping": "dict",
    "set": "set", "Set": "set", "AbstractSet": "set", "MutableSet": "set",
    "defaultdict": OTHER, "DefaultDict": OTHER, "OrderedDict": OTHER, "Counter": OTHER,
    "deque": OTHER, "Deque": OTHER,
}  # fmt: skip
MAKERS = {
    "list": "list", "sorted": "list", "dict": "dict", "set": "set",
    "defaultdict": OTHER, "OrderedDict": OTHER, "Counter": OTHER, "deque": OTHER,
}  # fmt: skip
# What only one kind is asked for, as a rule.
METHODS = {
    "append": "list", "extend": "list", "insert": "list", "sort": "list",
    "get": "dict", "setdefault": "dict", "items": "dict", "keys": "dict", "values": "dict",
    "add": "set", "discard": "set",
}  # fmt: skip
COPYING = ("dict", "list", "set", "copy", "copy.copy")
LOOKS_UP = ("get", "setdefault")  # with what is given where nothing is there
DEEPEST = 4  # names for names for names
Kinds = Dict[str, Set[str]]


class Names(NamedTuple):
    """What a function's names are set to, and what kinds its annotations and calls show."""

    given: Set[str]
    values: Dict[str, List[ast.expr]]
    told: Kinds
    asked: Kinds

    def fresh(self, name: str) -> bool:
        """Tell a name that is set, and only to what is made there."""
        values = self.values.get(name, ())
        return bool(values) and name not in self.given and all(map(is_made, values))


class Holdings:
    """What the attributes of a file's objects hold, by name; of elements as well."""

    def __init__(self, tree: ast.AST) -> None:
        self.attributes: Kinds = {}
        self.elements: Kinds = {}
        self.asked: Kinds = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                for each in node.body:
                    if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                        self.note(self.attributes, each.target.id, annotated(each.annotation))
            for target, value, annotation in assigned(node):
                self.learn(target, value, annotation)
            found = asked(node)
            if found is not None:
                self.ask(*found)

    def learn(self, target: ast.AST, value: Optional[ast.AST], annotation: Optional[str]) -> None:
        """Note what is kept in an attribute, or under a key of it."""
        if isinstance(target, ast.Attribute):
            self.note(self.attributes, target.attr, annotation or made(value))
            self.note(self.elements, target.attr, made_in(value))
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute):
            self.note(self.elements, target.value.attr, made(value))

    def ask(self, whole: ast.AST, kind: str, call: ast.Call) -> None:
        """Note what a call of a method shows of its object."""
        if isinstance(whole, ast.Attribute):
            self.note(self.asked, whole.attr, kind)
            self.note(self.elements, whole.attr, looked_up(call))
        elif isinstance(whole, ast.Subscript) and isinstance(whole.value, ast.Attribute):
            self.note(self.elements, whole.value.attr, kind)

    @staticmethod
    def note(kinds: Kinds, name: str, kind: str) -> None:
        if kind:
            kinds.setdefault(name, set()).add(kind)

    def kind(self, node: ast.AST, names: Names, depth: int = 0) -> str:
        """Return the kind of collection that an expression gives; empty where that is not known."""
        source = copied_from(node)
        if made(node) or depth > DEEPEST:
            return made(node)
        if source is not None:
            return self.kind(source, names, depth + 1)
        if isinstance(node, ast.Name):
            told = names.told.get(node.id) or {
                self.kind(each, names, depth + 1) for each in names.values.get(node.id, ())
            }
            return only(told - {""}) or only(names.asked.get(node.id))
        if isinstance(node, ast.Attribute):
            return only(self.attributes.get(node.attr)) or only(self.asked.get(node.attr))
        if isinstance(node, ast.Subscript):
            return self.inner(node.value)
        return looked_up(node)

    def inner(self, node: ast.AST) -> str:
        """Return the kind of the elements of what an attribute holds."""
        return only(self.elements.get(node.attr)) if isinstance(node, ast.Attribute) else ""


def names_in(function: Optional[ast.AST]) -> Names:
    """Return what a function says of its names."""
    names = Names(set(), {}, {}, {})
    arguments: Any = getattr(function, "args", None)
    for each in ast.walk(arguments) if arguments is not None else ():
        if isinstance(each, ast.arg):
            names.given.add(each.arg)
            Holdings.note(names.told, each.arg, annotated(each.annotation))
    for node in own_nodes(function):
        for target, value, annotation in assigned(node):
            if isinstance(target, ast.Name):
                Holdings.note(names.told, target.id, annotation or "")
                if value is not None:
                    names.values.setdefault(target.id, []).append(value)
        found = asked(node)
        if found is not None and isinstance(found[0], ast.Name):
            Holdings.note(names.asked, found[0].id, found[1])
    return names


def assigned(
    node: ast.AST,
) -> Iterator[Tuple[ast.AST, Optional[ast.expr], Optional[str]]]:
    """Yield what is set, to what, and the kind that an annotation tells."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value, None) for target in node.targets)
    elif isinstance(node, ast.AnnAssign):
        yield node.target, node.value, annotated(node.annotation)


def asked(node: ast.AST) -> Optional[Tuple[ast.AST, str, ast.Call]]:
    """Return whose method is called, what kind has such a one, and the call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value, METHODS.get(node.func.attr, ""), node
    return None


def only(kinds: Optional[Set[str]]) -> str:
    return next(iter(kinds)) if kinds and len(kinds) == 1 else ""


def annotated(node: Optional[ast.AST]) -> str:
    """Return the kind that an annotation names: `dict`, `List[int]`, `typing.Set[str]`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError):
            return ""
    if isinstance(node, ast.Subscript):
        node = node.value
    return KINDS.get(called(node), "")


def called(node: Optional[ast.AST]) -> str:
    """Return a name without the module that it is taken from."""
    if isinstance(node, ast.Attribute):
        return node.attr if isinstance(node.value, ast.Name) else ""
    return node.id if isinstance(node, ast.Name) else ""


def made(node: Optional[ast.AST]) -> str:
    """Return the kind of collection that an expression makes, where it makes one."""
    if isinstance(node, (ast.List, ast.ListComp)):
        return "list"
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return "dict"
    if isinstance(node, (ast.Set, ast.SetComp)):
        return "set"
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        return made(node.left) or made(node.right)
    return MAKERS.get(called(node.func), "") if isinstance(node, ast.Call) else ""


def made_in(node: Optional[ast.AST]) -> str:
    """Return the kind of the elements of what an expression makes: `defaultdict(list)`."""
    if isinstance(node, ast.Call) and called(node.func) == "defaultdict" and node.args:
        return KINDS.get(called(node.args[0]), "")
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        return made(node.elt)
    if isinstance(node, ast.DictComp):
        return made(node.value)
    values = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    return only({made(each) for each in values})


def looked_up(node: ast.AST) -> str:
    """Return the kind of what `.get(key, [])` gives where nothing is there, or `x or []`."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return made(node.values[-1])
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    return made(node.args[1]) if node.func.attr in LOOKS_UP and len(node.args) == 2 else ""


def copied_from(node: ast.AST) -> Optional[ast.expr]:
    """Return what `list(x)`, `x.copy()`, `copy(x)` or `x[:]` copies; None where it is no copy."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return node.func.value if node.func.attr == "copy" else None
    if isinstance(node, ast.Call):
        one = len(node.args) == 1 and ast.unparse(node.func) in COPYING
        return node.args[0] if one and not node.keywords else None
    part = node.slice if isinstance(node, ast.Subscript) else None
    whole = isinstance(part, ast.Slice) and (part.lower, part.upper, part.step) == (None,) * 3
    return node.value if whole and isinstance(node, ast.Subscript) else None


def is_made(node: ast.AST) -> bool:
    """Tell an expression that gives something new, which nothing else holds."""
    return bool(made(node)) or isinstance(node, (ast.Constant, ast.BinOp, ast.JoinedStr))
