"""What a failing test gives to the code: its own text, and that of the helpers that it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from clew.analysis.testfiles import is_test_path

__all__ = ["given_by", "lends"]

MOST = 50  # helpers of a test that are followed
ALWAYS = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup", "setup_method", "setup_class"})
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


def lends(path: str, text: str, files: Iterable[str]) -> tuple[str, ...]:
    """Return the files that lend a file of tests its helpers: what it imports, and conftests."""
    folder = PurePosixPath(path).parent
    ends = tuple(f"/{module.replace('.', '/')}.py" for module in _imported(text))
    found = []
    for file in files:
        pure = PurePosixPath(file)
        beside = pure.parent == folder or is_test_path(file)
        above = pure.name == "conftest.py" and folder.is_relative_to(pure.parent)
        if file != path and (above or (beside and f"/{file}".endswith(ends))):
            found.append(file)
    return tuple(found)


def given_by(texts: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the sources of a test, `Class.test` or `test`, of the first text, and of its helpers.

    Helpers are found in all texts by the names that are used: functions, fixtures, classes, and
    values that a file assigns.
    """
    trees = [tree for text in texts if (tree := _parsed(text)) is not None]
    if not trees:
        return ()
    wanted = name.rpartition(".")[2]
    own = [node for node in _named(trees[:1]) if wanted in _names_of(node)]
    every = list(_named(trees))
    found = own + [node for node in every if _runs_always(node)]
    used = _used(found)
    while len(found) < MOST:
        more = [node for node in every if node not in found and used & _names_of(node)]
        if not more:
            break
        found += more
        used |= _used(more)
    return tuple(dict.fromkeys(ast.unparse(node) for node in found))


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _named(trees: Sequence[ast.Module]) -> Iterator[Named]:
    """Yield what may be called by name: of a class that holds tests, its parts alone."""
    for tree in trees:
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                yield from (each for each in node.body if isinstance(each, Named))
                tests = any(
                    "test" in name.lower() for each in node.body for name in _names_of(each)
                )
                if tests:
                    continue
            if isinstance(node, Named):
                yield node


def _names_of(node: ast.AST) -> frozenset[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return frozenset({name})
        case ast.Assign(targets=targets):
            return frozenset(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            return frozenset({name})
        case _:
            return frozenset()


def _runs_always(node: Named) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return node.name in ALWAYS or any("autouse" in ast.unparse(e) for e in node.decorator_list)


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that code speaks of: a fixture is named by a parameter, or by a text."""
    found: set[str] = set()
    for node in (each for top in nodes for each in ast.walk(top)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found.add(name)
            case ast.Call(func=ast.Attribute(attr="usefixtures"), args=named):
                found |= {str(each.value) for each in named if isinstance(each, ast.Constant)}
            case _:
                continue
    return found


def _imported(text: str) -> Iterator[str]:
    tree = _parsed(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ([node.module] if node.module else [each.name for each in node.names])
            yield from (f"{node.module}.{each.name}" for each in node.names if node.module)
