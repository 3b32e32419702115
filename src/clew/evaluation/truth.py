"""What the true fix says: the lines that it touches, and whether a program is the same as it."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable, Mapping

from clew.words.facts import Suspect

__all__ = ["differing_functions", "rank", "same", "touched"]

Lines = Mapping[str, frozenset[int]]


def touched(buggy: Mapping[str, str], fixed: Mapping[str, str]) -> dict[str, frozenset[int]]:
    """Return the lines of the faulty program that the fix changes or removes, by file.

    Where it only inserts, the lines before and after the place count. A file that only the fix has
    has no lines. In Python, comments and strings that stand alone are no part of a fix.
    """
    found = {}
    for path, text in buggy.items():
        before, after = _code(path, text), _code(path, fixed.get(path, ""))
        lines: set[int] = set()
        matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
        for tag, start, end, first, last in matcher.get_opcodes():
            if tag == "equal":
                continue
            gone = {number for number in range(start + 1, end + 1) if before[number - 1]}
            if not gone and any(after[first:last]):
                gone = {start, end + 1} & set(range(1, len(before) + 1))
            lines |= gone
        if lines:
            found[path] = frozenset(lines)
    return found


def _code(path: str, text: str) -> list[str]:
    """Return the lines of a text; in Python, those that do nothing are empty."""
    lines = text.splitlines()
    if not path.endswith(".py"):
        return lines
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return lines
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and _is_remark(node):
            within = slice(node.lineno - 1, node.end_lineno)
            lines[within] = [""] * len(lines[within])
    return ["" if line.lstrip().startswith("#") else line for line in lines]


def rank(suspects: Iterable[Suspect], truth: Lines) -> tuple[int | None, int | None]:
    """Return the places, from 1, of the first true line and the first true file in a ranking.

    Places are those of the list as a person reads it; None where it does not have one.
    """
    line_place: int | None = None
    files: dict[str, None] = {}
    for place, suspect in enumerate(suspects, 1):
        files.setdefault(suspect.path)
        if line_place is None and suspect.line in truth.get(suspect.path, ()):
            line_place = place
    places = {path: place for place, path in enumerate(files, 1)}
    return line_place, min((places[path] for path in truth if path in places), default=None)


def same(one: str, other: str, *, python: bool) -> bool:
    """Whether two texts of a file are the same program.

    For Python: the same syntax tree, comments, layout and docstrings aside, `not a in b` read as
    `a not in b`, and a signed number as a number.
    """
    if one == other:
        return True
    if not python:
        return False
    try:
        return ast.dump(_normal(one)) == ast.dump(_normal(other))
    except (SyntaxError, ValueError, RecursionError):
        return False


def differing_functions(one: str, other: str) -> tuple[tuple[str, ...], bool]:
    """Return the functions and methods whose code differs, and whether anything else does too.

    Names are qualified, as `Class.method`; a function within one counts as part of it. One that
    reads what only one of the texts imports differs. One that only `one` has is something else, and
    so is one that only `other` has, unless a function that differs names it.
    """
    try:
        first, second = _normal(one), _normal(other)
    except (SyntaxError, ValueError, RecursionError):
        return (), True
    left, right = _functions(first), _functions(second)
    both = left.keys() & right.keys()
    imported = {name for name, _ in _imports(first) ^ _imports(second)}
    differing = tuple(
        name
        for name in left
        if name in both
        and (ast.dump(left[name]) != ast.dump(right[name]) or imported & _names(left[name]))
    )
    read = {each for name in differing for each in _names(right[name])}
    helpers = {name for name in right.keys() - both if name.rpartition(".")[2] in read}
    rest = _rest(first, both, frozenset()) != _rest(second, both, helpers)
    return differing, rest or "*" in imported


def _normal(text: str) -> ast.Module:
    tree = ast.parse(text)
    _Normal().visit(tree)
    return tree


def _is_remark(node: ast.stmt) -> bool:
    """Whether a statement is a string and nothing else: a docstring, or one wherever it stands."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


class _Normal(ast.NodeTransformer):
    """Takes away what does not change the meaning."""

    def visit(self, node: ast.AST) -> ast.AST:
        node = super().visit(node)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_remark(each)] or [ast.Pass()]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        match node.op, inner:
            case ast.USub(), ast.Constant(value=int() | float() as value) if value:
                return ast.Constant(value=-value)
            case ast.Not(), ast.Compare(ops=[ast.In()]):
                return ast.Compare(inner.left, [ast.NotIn()], inner.comparators)
            case ast.Not(), ast.Compare(ops=[ast.Is()]):
                return ast.Compare(inner.left, [ast.IsNot()], inner.comparators)
        return node


def _functions(tree: ast.Module) -> dict[str, ast.AST]:
    return {name: node for node, name in _definitions(tree, "")}


def _imports(tree: ast.Module) -> set[tuple[str, str]]:
    """Return the names that a module imports, each with where it is from."""
    return {
        (
            alias.asname or alias.name.partition(".")[0],
            f"{getattr(node, 'module', '')} {alias.name}",
        )
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def _names(node: ast.AST) -> set[str]:
    """Return the names and attributes that code reads."""
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Name | ast.Attribute)
    }


def _definitions(
    tree: ast.AST, prefix: str
) -> Iterable[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for node in getattr(tree, "body", ()):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _definitions(node, prefix)


def _rest(tree: ast.Module, known: Collection[str], helpers: Collection[str]) -> str:
    """Dump a module without its imports, the code of known functions, and helpers."""
    gone: set[ast.AST] = {n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)}
    for node, name in list(_definitions(tree, "")):
        if name in helpers:
            gone.add(node)
        if name in known:
            node.body, node.decorator_list, node.returns = [], [], None
            node.args = ast.arguments([], [], None, [], [], None, [])
    for holder in ast.walk(tree):
        if isinstance(body := getattr(holder, "body", None), list):
            body[:] = [node for node in body if node not in gone]
    return ast.dump(tree)
