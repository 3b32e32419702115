"""Code that reads the tests: what they expect need not stand in it then."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from clew.analysis.testfiles import is_test_path

__all__ = ["peeks"]

# What takes a path, or a part of one, or the name of a module.
PATHS = frozenset(
    {"Path", "PosixPath", "PurePath", "PurePosixPath", "WindowsPath", "exists", "getfile", "glob"}
    | {"iglob", "import_module", "__import__", "is_dir", "is_file", "isdir", "isfile", "join"}
    | {"joinpath", "listdir", "open", "read_bytes", "read_text", "rglob", "run_path", "scandir"}
    | {"walk", "with_name", "find_spec", "getline", "getlines", "files", "run_module"}
)


def peeks(before: str, after: str, files: Iterable[str]) -> tuple[str, ...]:
    """Name what a change of a file newly reads of the tests, which are some of `files`."""
    tests = [PurePosixPath(file) for file in files if file.endswith(".py") and is_test_path(file)]
    stems = {path.stem for path in tests if "test" in path.stem}
    names = stems | {f"{stem}.py" for stem in stems}
    folders = {part for path in tests for part in path.parent.parts if is_test_path(f"{part}/a.py")}
    known = {words for words, _ in _found(before, names, folders)}
    found = [each for each in _found(after, names, folders) if each[0] not in known]
    return tuple(f"line {line}: {words}" for words, line in dict(reversed(found)).items())[::-1]


def _found(
    text: str, names: Collection[str], folders: Collection[str]
) -> Iterator[tuple[str, int]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        for module in _imports(node):
            parts = module.split(".")
            if parts[0] in folders or parts[-1] in names:
                yield f"imports {module}, which is of the tests", getattr(node, "lineno", 0)
        if isinstance(node, ast.expr):
            yield from _paths(node, names, folders)


def _paths(
    node: ast.expr, names: Collection[str], folders: Collection[str]
) -> Iterator[tuple[str, int]]:
    """Yield the parts of paths that lead to the tests."""
    for part in _parts(node):
        spelled = _spelled(part)
        steps = spelled.replace("\\", "/").split("/")
        leads = any(step in folders for step in steps) or any(
            fnmatchcase(name, step) for step in steps if "test" in step for name in names
        )
        if leads:
            yield f"reads {ast.unparse(part)}, which is of the tests", node.lineno


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            yield from (left, right)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in PATHS:
            yield from node.args
            yield from (each.value for each in node.keywords)
        case ast.Constant(value=str(value)) if value.endswith(".py"):
            yield node
        case _:
            return


def _spelled(node: ast.expr) -> str:
    """Return the text of an expression, `*` where it is not known; nothing if it is no text."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_spelled(each) or "*" for each in values)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            one, other = _spelled(left), _spelled(right)
            return f"{one or '*'}{other or '*'}" if one or other else ""
        case _:
            return ""


def _imports(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield from (module, *(f"{module}.{each.name}" for each in names))
        case _:
            return
