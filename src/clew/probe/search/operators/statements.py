"""Whole statements as they are: deleted, moved, turned into others."""

from __future__ import annotations

import ast
from typing import Iterator, List, Optional, Tuple

from ..deadstores import blocks, dead_stores
from ..source import FUNCTIONS, Splice
from .blocks import (
    COMPOUND,
    LEAVING,
    SIMPLE,
    after,
    before,
    block_of,
    first_line,
    indent,
    is_docstring,
    newline,
    own_lines,
)
from .conditions import is_condition
from .table import At, Idea, operator, short


@operator("delete", 0.35, *SIMPLE, *COMPOUND)
def delete(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take a statement out."""
    if isinstance(node, ast.Pass) or is_docstring(node, at):
        return
    lines = own_lines(node, at)
    words = "delete `{}`".format(short(first_line(node, at)))
    weight = 0.5 if isinstance(node, COMPOUND) else 1.0
    block = block_of(node, at)
    if lines is None or len([s for s in block if not is_docstring(s, at)]) < 2:
        yield Idea(weight * 0.7, (Splice(*at.source.span(node), "pass"),), words)
        return
    start = at.source.span(node)[0]
    end = lines[1]
    # The indentation stays in front of what follows, so that the change lies inside the function.
    position = block.index(node) if node in block else -1
    if 0 <= position < len(block) - 1 and not isinstance(
        block[position + 1], (*FUNCTIONS, ast.ClassDef)
    ):
        following = at.source.start_of(block[position + 1])
        if not at.source.text[end:following].strip():
            yield Idea(weight, (Splice(start, following, ""),), words)
            return
    previous = at.source.span(block[position - 1])[1] if position > 0 else start
    tail = at.source.span(node)[1]
    if position > 0 and not at.source.text[previous:start].strip():
        yield Idea(weight, (Splice(previous, tail, ""),), words)
        return
    yield Idea(weight * 0.9, (Splice(start, tail, "pass"),), words)


@operator("dead store", 0.9, ast.Assign)
def dead_store(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take out what overwrites a value that nothing read, alone or with its like in the block."""
    block = block_of(node, at)
    known = [n for n in blocks(at.place.function) if n is block] if at.place.function else []
    dead = [each for each, _ in dead_stores(block)] if known else []
    every = list(dict.fromkeys(dead))
    if node not in every:
        return
    for taken in [[node], every] if len(every) > 1 else [every]:
        changes = [removal(each, block, at) for each in taken]
        words = " and ".join("`{}`".format(short(first_line(each, at))) for each in taken)
        values = " and ".join("`{}`".format(n) for each, n in dead_stores(block) if each in taken)
        told = "delete {}: nothing read {} before".format(words, values)
        if None not in changes:
            yield Idea(1.0, tuple(change for change in changes if change), told)


def removal(statement: ast.stmt, block: List[ast.stmt], at: At) -> Optional[Splice]:
    """Take a statement out, up to the next; None where more than white space parts them."""
    position = block.index(statement) + 1
    if position == len(block) or own_lines(statement, at) is None:
        return None
    (start, end), following = at.source.span(statement), at.source.start_of(block[position])
    return None if at.source.text[end:following].strip() else Splice(start, following, "")


@operator("move", 0.3, *SIMPLE, ast.If)
def move(node: ast.AST, at: At) -> Iterator[Idea]:
    """Swap a statement with the next, or move it out of, or into, a block."""
    block = block_of(node, at)
    lines = own_lines(node, at)
    if lines is None or node not in block or is_docstring(node, at):
        return
    position = block.index(node)
    if position + 1 < len(block):
        other = block[position + 1]
        if own_lines(other, at) is not None and not isinstance(other, (*FUNCTIONS, ast.ClassDef)):
            a, b = at.source.span(node), at.source.span(other)
            text = at.source.text
            changes: Tuple[Splice, ...] = (
                Splice(*a, text[b[0] : b[1]]),
                Splice(*b, text[a[0] : a[1]]),
            )
            yield Idea(0.9, changes, "move `{}` down".format(short(first_line(node, at))))
    yield from moved_far(node, block, at)
    above = at.source.parent(node)
    if (
        isinstance(above, (ast.For, ast.While, ast.If, ast.With))
        and position == len(block) - 1
        and block is above.body
    ):
        space = at.source.indent_of(at.source.span(above)[0])
        own = at.source.indent_of(at.source.span(node)[0])
        alone = own_lines(above, at) is not None and not getattr(above, "orelse", ())
        if alone and len(own) > len(space):
            start, end = at.source.span(node)
            text = indent(at.source.text[start:end], own, space)
            if position:
                changes = (Splice(start - len(own), end, space + text),)
            else:
                changes = (Splice(start, end, "pass" + newline(at) + space + text),)
            yield Idea(
                1.0, changes, "move `{}` out of the block".format(short(first_line(node, at)))
            )
    if position:
        previous = block[position - 1]
        if (
            isinstance(previous, (ast.For, ast.While, ast.If))
            and own_lines(previous, at) is not None
        ):
            last = (getattr(previous, "orelse", None) or previous.body)[-1]
            inner = at.source.indent_of(at.source.span(last)[0])
            own = at.source.indent_of(at.source.span(node)[0])
            if (
                len(inner) > len(own)
                and own_lines(last, at) is not None
                and not at.source.text[
                    at.source.span(previous)[1] : at.source.span(node)[0]
                ].strip()
            ):
                start, end = at.source.span(node)
                text = indent(at.source.text[start:end], own, inner)
                changes = (Splice(start - len(own), end, inner + text),)
                yield Idea(
                    0.9, changes, "move `{}` into the block".format(short(first_line(node, at)))
                )


def moved_far(node: ast.AST, block: List[ast.stmt], at: At) -> Iterator[Idea]:
    """Move a statement behind all others of its block, except what leaves it, or before them."""
    assert isinstance(node, ast.stmt)
    inside = [each for each in block if not is_docstring(each, at)]
    behind = [each for each in inside if not isinstance(each, LEAVING)]
    place, start = inside.index(node), at.source.span(node)[0]
    text = indent(at.text(node), at.source.indent_of(start), "")
    told = "move `{}` to the {}"
    taken = removal(node, block, at)
    if taken is not None and len(behind) > place + 2:
        added = after(behind[-1], at, text)
        if added is not None:
            yield Idea(0.9, (taken, added), told.format(short(first_line(node, at)), "end"))
    if place > 1 and own_lines(node, at) is not None and not isinstance(node, LEAVING):
        previous = at.source.span(block[block.index(node) - 1])[1]
        added = before(inside[0], at, text)
        if added is not None and not at.source.text[previous:start].strip():
            gone = Splice(previous, at.source.span(node)[1], "")
            yield Idea(0.9, (added, gone), told.format(short(first_line(node, at)), "start"))


def is_open(statement: ast.stmt) -> bool:
    """Say whether an `elif` may follow: an `if` without an `else`."""
    while isinstance(statement, ast.If):
        if not statement.orelse:
            return True
        if len(statement.orelse) > 1:
            return False
        statement = statement.orelse[0]
    return False


@operator("branches", 0.6, ast.If)
def branches(node: ast.AST, at: At) -> Iterator[Idea]:
    """Swap the two blocks of an `if`; make `elif` an `if` of its own, and the reverse."""
    assert isinstance(node, ast.If)
    start = at.source.span(node)[0]
    block = block_of(node, at)
    if at.source.text.startswith("elif", start):
        yield Idea(0.6, (Splice(start, start + 2, ""),), "make `elif` an `if` of its own")
    elif node in block and block.index(node) and is_open(block[block.index(node) - 1]):
        yield Idea(0.5, (Splice(start, start, "el"),), "make `if` an `elif`")
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        return
    if node.orelse:
        first = (at.source.span(node.body[0])[0], at.source.span(node.body[-1])[1])
        second = (at.source.span(node.orelse[0])[0], at.source.span(node.orelse[-1])[1])
        text = at.source.text
        changes = (
            Splice(*first, text[second[0] : second[1]]),
            Splice(*second, text[first[0] : first[1]]),
        )
        yield Idea(0.8, changes, "swap the two branches")


@operator("loop", 0.4, ast.For, ast.While, ast.If)
def loop_kind(node: ast.AST, at: At) -> Iterator[Idea]:
    """`if` for `while`, and the reverse."""
    start = at.source.span(node)[0]
    if isinstance(node, ast.While) and not node.orelse:
        yield Idea(0.6, (Splice(start, start + 5, "if"),), "replace `while` by `if`")
    elif isinstance(node, ast.If) and not node.orelse and at.source.text.startswith("if", start):
        yield Idea(0.6, (Splice(start, start + 2, "while"),), "replace `if` by `while`")


@operator("finished condition", 0.3, ast.expr)
def loop_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask for a variable alone, or its opposite."""
    if not is_condition(node, at) or isinstance(node, ast.Name):
        return
    for name in at.names(node)[:6]:
        yield at.put(node, name, 0.4)
