"""Tests that stand in a Python file of the product: what of it is a test."""

from __future__ import annotations

import ast
import doctest
import textwrap
from collections.abc import Collection, Iterator

__all__ = ["asserts_of", "kept"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
PARSER = doctest.DocTestParser()


def kept(tests: Collection[str], before: str, after: str) -> bool:
    """Tell whether a change of a file leaves the tests in it as they are; new ones may come.

    `tests` are names: of a function, of a class and its method, or of what an example belongs to.
    With a test goes what serves tests alone at the top of the file: fixtures, constants, and
    helpers that assert. Names of no definition are those of examples.
    """
    then, now = _parts(tests, before), _parts(tests, after)
    return then is not None and now is not None and then.items() <= now.items()


def asserts_of(node: ast.stmt) -> str:
    """Return the examples of a docstring as a test that asserts them; nothing if there are none."""
    lines = [_asserted(each.source.strip(), each.want.strip()) for each in _written(node) or ()]
    if not lines:
        return ""
    return "def test_examples():\n" + textwrap.indent("\n".join(lines), "    ")


def _asserted(source: str, want: str) -> str:
    check = f"assert ({source}) == ({want})"
    try:
        ast.parse(check if want else source)
    except (SyntaxError, ValueError):
        return f"assert ({source}) == {want!r}" if _is_expression(source) else "pass"
    return check if want else source


def _is_expression(source: str) -> bool:
    try:
        ast.parse(source, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _parts(tests: Collection[str], text: str) -> dict[str, str] | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    own = [node for node in tree.body if isinstance(node, DEFINITIONS) and _judges(node, tests)]
    found = {_name(node): ast.dump(node) for node in _serving(tree, [*own])}
    written = {name for node in own for name in _tests(node)}
    return found | (dict(_examples(tree, "")) if set(tests) - written else {})


def _judges(node: Definition, tests: Collection[str]) -> bool:
    fixture = any("fixture" in ast.dump(each) for each in node.decorator_list)
    return fixture or any(name in tests for name in _tests(node))


def _tests(node: Definition) -> Iterator[str]:
    """Yield the names that a definition would have as a test, or give to tests."""
    if isinstance(node, FUNCTIONS):
        yield node.name
        return
    for inner in node.body:
        if isinstance(inner, DEFINITIONS):
            yield from (f"{node.name}.{name}" for name in _tests(inner))


def _serving(tree: ast.Module, tests: list[ast.stmt]) -> list[ast.stmt]:
    """Return what the tests use at the top of the file, and nothing else does, in turn."""
    own = list(tests)
    while more := [node for node in tree.body if node not in own and _serves(tree, own, node)]:
        own += more
    return own


def _serves(tree: ast.Module, own: list[ast.stmt], node: ast.stmt) -> bool:
    name = _name(node)
    users = [each for each in tree.body if each is not node and name in _names(each)]
    asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
    fit = asserts or isinstance(node, (ast.Assign, ast.AnnAssign))
    return bool(name) and fit and bool(users) and all(each in own for each in users)


def _name(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def _names(node: ast.AST) -> set[str]:
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


def _examples(node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """Yield the examples of each docstring, by what it belongs to."""
    found = _written(node)
    if found is None:
        yield f">>> {name}", _docstring(node)
    elif found:
        told = [(each.source, each.want, each.exc_msg, each.options) for each in found]
        yield f">>> {name}", repr(told)
    for inner in ast.iter_child_nodes(node):
        below = f"{name}.{inner.name}" if isinstance(inner, DEFINITIONS) else name
        yield from _examples(inner, below)


def _written(node: ast.AST) -> list[doctest.Example] | None:
    """Return the examples of a docstring; None where they cannot be read."""
    try:
        return PARSER.get_examples(_docstring(node))
    except ValueError:
        return None


def prose_of(node: ast.AST) -> str:
    """Return a docstring without its examples; nothing where they cannot be read."""
    try:
        parts = PARSER.parse(_docstring(node))
    except ValueError:
        return ""
    return "\n".join(part for part in parts if isinstance(part, str))


def _docstring(node: ast.AST) -> str:
    if not isinstance(node, (ast.Module, *DEFINITIONS)):
        return ""
    return ast.get_docstring(node) or ""
