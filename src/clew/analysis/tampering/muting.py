"""What a file of tests says of each: its body, and whether its own text may have it skipped.

A skip that hangs on the code under test is none of the test's own: a change of the code turns it.
One without a condition, or whose condition is made of libraries and constants, is.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator

import msgspec

from clew.analysis.tampering.counting import SKIP_NAMES, SKIPS, XFAILS, written

__all__ = ["Written", "tests_of"]

MUTING = SKIPS | SKIP_NAMES | XFAILS
SET_UP = frozenset({"setUp", "setUpClass", "setup_class", "setup_method"})
KNOWN = frozenset(dir(builtins))

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """One test as it is written."""

    body: str  # the same for the same test under another name
    plain: bool  # nothing decorates it: every runner collects it
    own: bool  # whether its own text may have it skipped, or fail, whatever the code does


def tests_of(content: bytes | None, ours: Collection[str]) -> dict[str, Written]:
    """Return the tests of a Python file by their names, `TestA.test_b` or `test_c`.

    `ours` are the names of the project's modules and folders.
    """
    try:
        tree = ast.parse(content or b"")
    except (SyntaxError, ValueError):
        return {}
    file = _File(tree, frozenset(ours), frozenset(written(content)))
    found = {each.name: file.written(each, ()) for each in _functions(tree.body)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{each.name}": file.written(each, (node,))
                for each in _functions(node.body)
            }
    return found


def _functions(body: list[ast.stmt]) -> Iterator[Function]:
    for node in body:
        if isinstance(node, Function) and node.name.startswith("test"):
            yield node


class _File:
    def __init__(self, tree: ast.Module, ours: frozenset[str], plain: frozenset[str]) -> None:
        self.tree = tree
        self.ours = ours
        self.plain = plain
        self.bound = dict(_bindings(tree))

    def written(self, function: Function, holders: tuple[ast.ClassDef, ...]) -> Written:
        parts = (*function.decorator_list, function.args, *function.body)
        spots = [*_marks(self.tree.body), *_decorators(function), *_calls(function)]
        for holder in holders:
            spots += [*_decorators(holder), *_marks(holder.body)]
            spots += [
                spot
                for node in holder.body
                if isinstance(node, Function) and node.name in SET_UP
                for spot in _calls(node)
            ]
        name = ".".join(each.name for each in (*holders, function))
        return Written(
            plain=name in self.plain,
            body="\n".join(ast.dump(part) for part in parts),
            own=any(all(self.settled(part) for part in spot) for spot in spots),
        )

    def settled(self, part: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
        """Tell whether an expression comes to the same, whatever the code under test does."""
        if isinstance(part, ast.Try):
            return False
        names = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
        foreign = all(
            self.foreign(node) for node in ast.walk(part) if _name_called(node) == "importorskip"
        )
        texts = [parsed for node in ast.walk(part) if (parsed := _condition(node))]
        return (
            foreign
            and all(self.known(name, seen) for name in names)
            and all(self.settled(text, seen) for text in texts)
        )

    def known(self, name: str, seen: frozenset[str]) -> bool:
        """Tell whether a name of the file stands for what the code under test has no part in."""
        if name == "self" or name in seen:
            return True
        bound = self.bound.get(name)
        match bound:
            case None:
                return name in KNOWN
            case ast.Import() | ast.ImportFrom():
                return self.library(bound)
            case ast.Assign():
                return self.settled(bound.value, seen | {name})
            case ast.Try() | ast.If():
                parts = tuple(ast.walk(bound))
                imports = [p for p in parts if isinstance(p, ast.Import | ast.ImportFrom)]
                loaded = {p.id for p in parts if isinstance(p, ast.Name) and _is_load(p)}
                return all(map(self.library, imports)) and all(
                    self.known(each, seen | {name}) for each in loaded
                )
            case _:
                return False

    def library(self, node: ast.Import | ast.ImportFrom) -> bool:
        if isinstance(node, ast.ImportFrom):
            return not node.level and (node.module or "").partition(".")[0] not in self.ours
        return all(each.name.partition(".")[0] not in self.ours for each in node.names)

    def foreign(self, call: ast.AST) -> bool:
        wanted = call.args[0] if isinstance(call, ast.Call) and call.args else None
        if not isinstance(wanted, ast.Constant) or not isinstance(wanted.value, str):
            return False
        return wanted.value.partition(".")[0] not in self.ours


def _bindings(tree: ast.Module) -> Iterator[tuple[str, ast.stmt | None]]:
    """Yield what binds each name of a module, the last binding last."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node
        else:
            yield from ((name, node) for name in _stored(node))


def _stored(node: ast.stmt) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, Function | ast.ClassDef):
            yield part.name
        elif isinstance(part, ast.alias):
            yield part.asname or part.name.partition(".")[0]


def _is_load(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _decorators(node: Function | ast.ClassDef) -> Iterator[tuple[ast.AST, ...]]:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _name(called) in MUTING:
            yield (decorator,)


def _marks(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, ...]]:
    for node in body:
        if isinstance(node, ast.Assign) and any(_name(t) == "pytestmark" for t in node.targets):
            values = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else ()
            for value in values or (node.value,):
                called = value.func if isinstance(value, ast.Call) else value
                if _name(called) in MUTING:
                    yield (value,)


def _calls(function: Function) -> Iterator[tuple[ast.AST, ...]]:
    """Yield what each skip in a body hangs on."""
    for node in function.body:
        yield from _below(node, ())


def _below(node: ast.AST, hangs_on: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, ...]]:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        hangs_on = (*hangs_on, node.test)
    elif isinstance(node, ast.Try | ast.For | ast.With | ast.Match):
        hangs_on = (*hangs_on, node)
    name = _name_called(node)
    raised = node.exc if isinstance(node, ast.Raise) else None
    called = raised.func if isinstance(raised, ast.Call) else raised
    if name in MUTING or (called and _name(called) in MUTING):
        yield (*hangs_on, node) if name == "importorskip" else hangs_on
    for part in ast.iter_child_nodes(node):
        yield from _below(part, hangs_on)


def _name_called(node: ast.AST) -> str:
    return _name(node.func) if isinstance(node, ast.Call) else ""


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _condition(node: ast.AST) -> ast.AST | None:
    """Return the condition of a mark that is written as a text."""
    if _name_called(node) not in MUTING or not isinstance(node, ast.Call) or not node.args:
        return None
    first = node.args[0]
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    if _name_called(node) not in ("skipif", "xfail"):
        return None
    try:
        return ast.parse(first.value, mode="eval").body
    except (SyntaxError, ValueError):
        return None
