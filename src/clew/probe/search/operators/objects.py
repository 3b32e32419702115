"""What an object keeps of what its methods are given, and what its base class does."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from ..context import named_by
from ..source import Splice, last_name, stored
from .blocks import COMPOUND, SIMPLE, after, before, block_of, is_docstring
from .table import At, Idea, operator, short

COLLECTIONS = ("list", "dict", "set", "deque", "Counter", "OrderedDict")


@operator("unsaved", 0.8, *SIMPLE, *COMPOUND)
def unsaved(node: ast.AST, at: At) -> Iterator[Idea]:
    """Keep what a method is given, where other methods of the object keep it by that name."""
    method, owner = method_of(at)
    if owner is None or not is_first(node, at):
        return
    kept, here = kept_by(owner), kept_by(method)
    for name in given_to(method):
        if name in kept and name not in here:
            change = before(node, at, "self.{0} = {0}".format(name))
            if change is not None:
                yield Idea(1.0, (change,), "keep `{0}` in `self.{0}`".format(name))


@operator("default", 0.8, ast.Call)
def default(node: ast.AST, at: At) -> Iterator[Idea]:
    """Say what a look-up gives where nothing is there: `self.a.get(key, self.b)`."""
    assert isinstance(node, ast.Call)
    _, owner = method_of(at)
    looks_up = isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop")
    if owner is None or not looks_up or len(node.args) != 1 or node.keywords:
        return
    end, whole = at.source.outer_span(node.args[0])[1], at.text(node)
    for name in sorted(kept_by(owner)):
        text = "self." + name
        if text not in whole:
            words = "let `{}` be the default of `{}`"
            yield Idea(1.0, (Splice(end, end, ", " + text),), words.format(text, short(whole)))


def kept_by(tree: ast.AST) -> Set[str]:
    """Return the attributes that code sets of `self`."""
    return {
        n.attr for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name) and n.value.id == "self"
    }  # fmt: skip


@operator("super", 0.8, *SIMPLE, *COMPOUND)
def inherited(node: ast.AST, at: At) -> Iterator[Idea]:
    """Call the method of the base class: where `super()` stands alone, or nothing calls it."""
    method, owner = method_of(at)
    if owner is None or not owner.bases:
        return
    calls = any(map(is_super, ast.walk(method)))
    if isinstance(node, ast.Expr) and is_super(node.value):
        for weight, words in arguments(method, owner, at):
            text = "{}.{}({})".format(at.text(node.value), method.name, words)
            yield at.put(node.value, text, weight)
    elif overrides(method.name, owner, at) and is_first(node, at) and not calls:
        for weight, words in arguments(method, owner, at):
            text = "super().{}({})".format(method.name, words)
            change = before(node, at, text)
            if change is not None:
                yield Idea(0.8 * weight, (change,), "call `{}` first".format(text))


def overrides(name: str, owner: ast.ClassDef, at: At) -> bool:
    """Say whether a base class has a method, as far as the file shows; each has `__init__`."""
    bases = {at.text(base) for base in owner.bases}
    return name == "__init__" or any(
        isinstance(each, ast.ClassDef)
        and each.name in bases
        and any(isinstance(n, ast.FunctionDef) and n.name == name for n in each.body)
        for each in at.source.tree.body
    )


def arguments(method: Any, owner: ast.ClassDef, at: At) -> Iterator[Tuple[float, str]]:
    """Yield what a base class may be given of what the method is given, with weights."""
    given = given_to(method)
    bases = [at.text(base).rsplit(".", 1)[-1] for base in owner.bases]
    wanted = {name for base in bases for name in at.context.parameters.get(base, ())}
    named = ["{0}={0}".format(name) for name in given if name in wanted]
    rest = ["{0}={0}".format(name) for name in given[1:] if name in wanted]
    found: Dict[str, float] = {}
    for weight, words in (
        (1.0, named),
        (0.95, given),
        (0.9, [*given[:1], *rest]),
        (0.85, []),
        *((0.8, [name]) for name in given),
    ):
        found.setdefault(", ".join(words), weight)
    yield from ((weight, words) for words, weight in found.items())


def is_super(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Name) and function.id == "super"


def method_of(at: At) -> Tuple[Any, Optional[ast.ClassDef]]:
    """Return the method that a place lies in, and its class; None for one where there is none."""
    method: Any = at.place.inner
    owner = at.parent(method) if method is not None else None
    named = method is not None and [each.arg for each in method.args.args[:1]] == ["self"]
    return method, owner if named and isinstance(owner, ast.ClassDef) else None


def given_to(method: Any) -> List[str]:
    """Return the parameters of a method, without the object."""
    return [each.arg for each in (*method.args.args[1:], *method.args.kwonlyargs)]


def is_first(node: ast.AST, at: At) -> bool:
    """Tell the first statement of a function, its docstring aside."""
    function: Any = at.place.inner
    body = [each for each in function.body if not is_docstring(each, at)]
    return bool(body) and node is body[0]


@operator("own method", 0.9, ast.Attribute)
def through_method(node: ast.AST, at: At) -> Iterator[Idea]:
    """Read an attribute through a method, as other methods do: `self.running()`."""
    assert isinstance(node, ast.Attribute)
    method, owner = method_of(at)
    uses = [each for each in ast.walk(method or node) if is_read(each, node, at)]
    if owner is None or method.name == "__init__" or not uses or uses[0] is not node:
        return
    for reader in owner.body:
        if not isinstance(reader, ast.FunctionDef) or reader is method or given_to(reader):
            continue
        call = "self.{}()".format(reader.name)
        reads = any(is_read(each, node, at) for each in ast.walk(reader))
        if reads and not reader.decorator_list and call in at.source.text:
            changes = tuple(sorted(Splice(*at.source.span(each), call) for each in uses))
            every = "every " if len(uses) > 1 else ""
            words = "replace {}`{}` by `{}`".format(every, at.text(node), call)
            yield Idea(1.0, changes, words)


def is_read(node: ast.AST, attribute: ast.Attribute, at: At) -> bool:
    """Tell where an attribute of the object is read, and nothing is done to it."""
    if not isinstance(node, ast.Attribute) or ast.dump(node) != ast.dump(attribute):
        return False
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    around = at.parent(node)
    changed = isinstance(around, ast.Attribute) or (around is not None and stored(around))
    return own and isinstance(node.ctx, ast.Load) and not changed


@operator("own class", 0.8, ast.Call)
def own_class(node: ast.AST, at: At) -> Iterator[Idea]:
    """Make one more of what an object is, which may be of a class that comes of this one."""
    assert isinstance(node, ast.Call)
    method: Any = at.place.inner
    owner = at.parent(method) if method is not None else None
    if not isinstance(owner, ast.ClassDef) or at.text(node.func) != owner.name:
        return
    first = next((each.arg for each in method.args.args), "")
    if first in ("self", "cls"):
        yield at.put(node.func, "cls" if first == "cls" else "type(self)")


@operator("reset", 0.9, ast.Assign)
def reset(node: ast.AST, at: At) -> Iterator[Idea]:
    """Put back what else of an object changes, beside what is put back: `item.count = 0`."""
    name, function, block = put_back(node), at.place.inner, block_of(node, at)
    if not name or function is None or getattr(function, "name", "") == "__init__":
        return
    if node in block[:-1] and put_back(block[block.index(node) + 1]) == name:
        return  # it comes behind the last of them
    here = {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute) and stored(n)}
    for attribute, value in initial_values(at).items():
        if attribute not in here:
            text = "{}.{} = {}".format(name, attribute, value)
            change = after(node, at, text)
            if change is not None:
                words = "insert `{}` after `{}`".format(text, short(at.text(node)))
                yield Idea(1.0, (change,), words)


def put_back(node: ast.AST) -> str:
    """Return the name of the object that a statement puts an attribute of back to its beginning."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return target.value.id if is_initial(getattr(node, "value", target)) else ""
    return ""


def is_initial(value: ast.expr) -> bool:
    """Tell a value that things begin with: None, False, zero, or an empty collection."""
    if isinstance(value, ast.Constant):
        return not value.value
    held = getattr(value, "elts", getattr(value, "keys", None))
    made = isinstance(value, ast.Call) and not value.args and not value.keywords
    return held == [] or (made and last_name(getattr(value, "func", value)) in COLLECTIONS)


def initial_values(at: At) -> Dict[str, str]:
    """Return what attributes that the file changes begin with; counters begin at zero."""
    found: Dict[str, str] = {}
    for each in ast.walk(at.source.tree):
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Attribute):
            found.setdefault(each.target.attr, "0")
        elif isinstance(each, ast.FunctionDef) and each.name == "__init__":
            for made in each.body:
                if isinstance(made, ast.Assign) and is_initial(made.value):
                    for target in made.targets:
                        if isinstance(target, ast.Attribute):
                            found[target.attr] = at.text(made.value)
        elif isinstance(each, ast.ClassDef):
            for made in each.body:
                if isinstance(made, ast.AnnAssign) and made.value and is_initial(made.value):
                    found.update((name, at.text(made.value)) for name in named_by(made))
    return found
