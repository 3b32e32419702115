"""Where statements stand: their blocks, lines and indentation."""

from __future__ import annotations

import ast
from typing import List, Optional, Tuple

from ..source import Splice
from .table import At

SIMPLE = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Break,
    ast.Continue, ast.Delete, ast.Assert, ast.Pass,
)  # fmt: skip
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def block_of(statement: ast.AST, at: At) -> List[ast.stmt]:
    """Return the list of statements that holds this one."""
    found = at.source.parents.get(statement)
    if found is None:
        return []
    value = getattr(found[0], found[1])
    return value if isinstance(value, list) else []


def own_lines(statement: ast.AST, at: At) -> Optional[Tuple[int, int]]:
    """Return the span of the whole lines of a statement that shares them with nothing."""
    known = at.context.alone
    if statement not in known:
        known[statement] = measure_lines(statement, at)
    return known[statement]


def measure_lines(statement: ast.AST, at: At) -> Optional[Tuple[int, int]]:
    start, end = at.source.span(statement)
    line_start = at.source.starts[at.source.line_of(start) - 1]
    if at.source.text[line_start:start].strip():
        return None
    line = at.source.line_of(max(start, end - 1))
    line_end = at.source.starts[line] if line < len(at.source.starts) else len(at.source.text)
    rest = at.source.text[end:line_end].strip()
    if rest and not rest.startswith("#"):
        return None
    return line_start, line_end


def newline(at: At) -> str:
    return "\r\n" if "\r\n" in at.source.text[:2000] else "\n"


def indent(text: str, old: str, new: str) -> str:
    """Shift all lines but the first from one indentation to another."""
    lines = text.split("\n")
    return "\n".join(
        [lines[0]]
        + [new + line[len(old) :] if line.startswith(old) else line for line in lines[1:]]
    )


def before(statement: ast.AST, at: At, text: str) -> Optional[Splice]:
    """Insert lines (indented for the top level) before a statement."""
    if own_lines(statement, at) is None or not isinstance(statement, ast.stmt):
        return None
    start = at.source.start_of(statement)
    if at.source.text.startswith("elif", start):
        return None
    space = at.source.indent_of(start)
    end = newline(at)
    return Splice(start, start, text.replace("\n", end + space) + end + space)


def after(statement: ast.AST, at: At, text: str) -> Optional[Splice]:
    """Insert lines after a statement, at its indentation."""
    if own_lines(statement, at) is None:
        return None
    start, end = at.source.span(statement)
    line = at.source.line_of(max(start, end - 1))
    stop = at.source.starts[line] if line < len(at.source.starts) else len(at.source.text)
    tail = at.source.text[end:stop]
    end += len(tail.rstrip("\r\n"))
    space = newline(at) + at.source.indent_of(start)
    return Splice(end, end, space + text.replace("\n", space))


def step(at: At, statement: ast.AST) -> str:
    """Return one level of indentation as the file has it."""
    own = at.source.indent_of(at.source.span(statement)[0])
    if "\t" in own:
        return "\t"
    node: Optional[ast.AST] = statement
    while node is not None:
        above = at.source.parent(node)
        if isinstance(above, ast.stmt):
            outer = at.source.indent_of(at.source.span(above)[0])
            if len(own) > len(outer):
                return own[len(outer) :]
        node = above
    return "    "


def is_docstring(node: ast.AST, at: At) -> bool:
    del at
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def first_line(node: ast.AST, at: At) -> str:
    return at.text(node).split("\n", 1)[0]
