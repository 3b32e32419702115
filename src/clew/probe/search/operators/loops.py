"""Loops that come to no end, or to one too early: a step that is gone, an answer at the first."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, Set

from ..source import Splice, stored
from .blocks import after, first_line, newline, own_lines
from .table import At, Idea, operator, short

__all__: List[str] = []

NUMBERS = ("{} += 1", "{} -= 1", "{} //= 2", "{} //= 10")
ENDS = ("{}.pop()", "{}.pop(0)", "{}.popleft()", "{0} = {0}[1:]")
READING = ("items", "values", "keys", "get", "copy", "index", "count")  # methods
TAKEN = ("del {}[{}]", "{}.remove({})", "{}.discard({})", "{}.pop({})")


@operator("loop step", 0.7, ast.While)
def loop_step(node: ast.AST, at: At) -> Iterator[Idea]:
    """Change what the condition of a `while` reads and nothing in its body changes."""
    assert isinstance(node, ast.While)
    changed = touched(node.body)
    asked = [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name) and n.id not in changed]
    texts: Dict[str, float] = {}
    for name in dict.fromkeys(asked):
        for text in NUMBERS if isinstance(node.test, ast.Compare) else ():
            texts.setdefault(text.format(name), 0.9)
        for text in ENDS:
            texts.setdefault(text.format(name), 0.8)
    for rank, text in enumerate(texts):
        yield from put(node.body[-1], text, texts[text] - 0.01 * rank, at)
    for statement in node.body:
        bound = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and stored(n)]
        for name in dict.fromkeys(asked) if not isinstance(statement, ast.For) else ():
            for value in dict.fromkeys(bound):
                for text in TAKEN:
                    yield from put(statement, text.format(name, value), 0.8, at)


@operator("returned early", 0.9, ast.For, ast.While)
def returned_early(node: ast.AST, at: At) -> Iterator[Idea]:
    """Answer behind a loop what it answers with its first element: `else: return False`."""
    assert isinstance(node, (ast.For, ast.While))
    last = node.body[-1]
    if node.orelse or not isinstance(last, ast.If) or len(last.orelse) != 1:
        return
    answer, lines = last.orelse[0], own_lines(node, at)
    if not isinstance(answer, ast.Return) or lines is None or own_lines(last, at) is None:
        return
    if not isinstance(last.body[-1], (ast.Return, ast.Break, ast.Continue)):
        return
    start, end = at.source.span(last.body[-1])[1], at.source.span(node)[1]
    level = newline(at) + at.source.indent_of(at.source.span(node)[0])
    text = at.text(answer)
    words = "put `{}` behind the loop".format(short(text))
    yield Idea(1.0, (Splice(start, end, level + text),), words)


def put(statement: ast.stmt, text: str, weight: float, at: At) -> Iterator[Idea]:
    change = after(statement, at, text)
    if change is not None:
        words = "insert `{}` after `{}`".format(text, short(first_line(statement, at)))
        yield Idea(weight, (change,), words)


def touched(body: List[ast.stmt]) -> Set[str]:
    """Return the names that statements bind, or whose object they may change."""
    found: Set[str] = set()
    for node in [n for statement in body for n in ast.walk(statement)]:
        target = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            target = node.func.value if node.func.attr not in READING else node
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            target = node.value
        elif not (isinstance(node, ast.Name) and stored(node)):
            continue
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found
