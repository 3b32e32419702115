"""Expressions that a commit took away, put together with what it brought.

Where a commit did two things, and one of them is wrong, its text of before is no fix: that has not
what the commit brought. What is put together here has both.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..context import OWN, fits
from ..operators.table import short
from ..source import Source, Splice, apply_changes, insertion, split_lines, stored, trimmed
from .merging import Merge

__all__ = ["expressions", "with_imports"]

LONGEST = 120  # characters of an expression
ALIKE = 0.5  # of the tokens of two expressions, of which one may have become the other
PAIRS = 20000  # of older and of today's expressions: texts that part more were written anew
MOST = 60  # expressions of a text, the likest first
WORD = re.compile(r"\w+|[^\w\s]")
PLAIN = re.compile(r"\w+")
NAME = re.compile(r"\w+(?:\.\w+)*")  # with the attributes that are asked of it
IMPORTS = (ast.Import, ast.ImportFrom)


class Piece(NamedTuple):
    """An expression in the lines in which two texts part."""

    node: ast.expr
    text: str
    tokens: Tuple[str, ...]


def expressions(source: Source, old: Source) -> Iterator[Merge]:
    """Yield today's expressions with older ones in their place, the likest first.

    An older one stands there as it was; or around what stands there; or with what a part of it
    has become since.
    """
    now, before = pieces(source, old), pieces(old, source)
    if len(now) * len(before) > PAIRS:
        return
    there = {piece.text for piece in now}
    found: Dict[Splice, Tuple[float, Merge]] = {}
    for was, new in ((was, new) for was in before if was.text not in there for new in now):
        alike = likeness(was.tokens, new.tokens)
        ways = list(together(was, new, alike, old, source))
        if not ways or not became(was, new, old, source):
            continue
        for text, what in ways:
            change = Splice(*source.span(new.node), fits(source, new.node, text))
            least = trimmed(source.text, change)
            brought = lacking(text, source, old)
            if brought is None or not least.text or distorts(text, was, new, old, source):
                continue
            if least not in found or found[least][0] < alike:
                told = "{} for `{}` as it was".format(what, short(new.text))
                line, changes = source.line_of(change.start), tuple(sorted([*brought, least]))
                found[least] = alike, (told, line, changes)
    for _, each in sorted(found.values(), key=lambda each: (-each[0], each[1]))[:MOST]:
        yield each


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def became(was: Piece, new: Piece, old: Source, source: Source) -> bool:
    """Say whether one expression may have become another: they share a name, or their lines do."""
    names = (token for token in was.tokens if token not in OWN and re.match(r"\w", token))
    if any(name in new.tokens for name in names):
        return True
    return likeness(line_of(was, old), line_of(new, source)) >= ALIKE


def line_of(piece: Piece, source: Source) -> Sequence[str]:
    here = lines_of(piece.node, source)
    return WORD.findall(source.text[here.start : here.end])


def distorts(text: str, was: Piece, new: Piece, old: Source, source: Source) -> bool:
    """Say whether a line gets a name more often than both texts have it, or a word less often."""
    here, there = lines_of(new.node, source), lines_of(was.node, old)
    start, end = source.span(new.node)
    made = source.text[here.start : start] + text + source.text[end : here.end]
    now, before = source.text[here.start : here.end], old.text[there.start : there.end]
    more = counted(NAME, made) - (counted(NAME, now) | counted(NAME, before))
    less = (counted(PLAIN, now) & counted(PLAIN, before)) - counted(PLAIN, made)
    return bool(more or less)


def lines_of(node: ast.expr, source: Source) -> Splice:
    """Return where the lines begin and end in which an expression stands."""
    last = min(node.end_lineno or node.lineno, len(source.starts) - 1)
    return Splice(source.starts[node.lineno - 1], source.starts[last], "")


def counted(kind: "re.Pattern[str]", text: str) -> "Counter[str]":
    return Counter(kind.findall(text))


def parsed(text: str) -> Optional[ast.AST]:
    try:
        return ast.parse("({})".format(text), mode="eval")
    except (SyntaxError, ValueError):
        return None


def pieces(source: Source, other: Source) -> List[Piece]:
    """Return the expressions in the lines that another text has not."""
    lines, others = split_lines(source.text), split_lines(other.text)
    matcher = difflib.SequenceMatcher(None, lines, others, autojunk=False)
    own: Set[int] = set()
    for tag, a, b, _, _ in matcher.get_opcodes():
        own.update(range(a + 1, b + 1) if tag != "equal" else ())
    found: List[Piece] = []
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.expr) or node.lineno not in own or part_of_text(node, source):
            continue
        text = source.segment(node)
        if len(text) <= LONGEST and not stored(node):
            found.append(Piece(node, text, tuple(WORD.findall(text))))
    return found


def part_of_text(node: ast.AST, source: Source) -> bool:
    """Say whether a node lies in an f-string, whose places are not exact, or is a constant."""
    parent: Optional[ast.AST] = node
    while parent is not None and not isinstance(parent, ast.stmt):
        if isinstance(parent, ast.JoinedStr):
            return True
        parent = source.parent(parent)
    return isinstance(node, ast.Constant)


def together(
    was: Piece, new: Piece, alike: float, old: Source, source: Source
) -> Iterator[Tuple[str, str]]:
    """Yield what may stand in the place of today's expression, as code and in words."""
    around = isinstance(was.node, ast.Call) and new.text in map(old.segment, was.node.args)
    if around or (alike >= ALIKE and len(was.tokens) > 1 and len(new.tokens) > 1):
        yield was.text, "`{}`".format(short(was.text))
    if alike < ALIKE:
        return
    start = old.span(was.node)[0]
    for inner in ast.walk(was.node):
        if inner is was.node or not stands_alone(inner, old):
            continue
        begin, end = old.span(inner)
        for grown in grown_from(old.segment(inner), new.node, source):
            fitting = fits(old, inner, grown)
            told = "`{}` with `{}` in it".format(short(was.text), short(grown))
            yield was.text[: begin - start] + fitting + was.text[end - start :], told


def stands_alone(node: ast.AST, source: Source) -> bool:
    """Say whether a node is a value by itself, and not what is called or asked for a part."""
    if not isinstance(node, ast.expr) or stored(node) or part_of_text(node, source):
        return False
    parent, field = source.parents[node]
    return not isinstance(parent, ast.Attribute) and field != "func"


def grown_from(text: str, node: ast.expr, source: Source) -> Iterator[str]:
    """Yield what stands around a text within an expression, which the text may have become."""
    for inner in ast.walk(node):
        if inner is node or not isinstance(inner, ast.expr) or source.segment(inner) != text:
            continue
        parent = source.parent(inner)
        while isinstance(parent, ast.expr) and parent is not node:
            yield source.segment(parent)
            parent = source.parent(parent)


def lacking(text: str, source: Source, old: Source) -> Optional[List[Splice]]:
    """Return the imports that a text needs beside those of today; None if a name is nowhere."""
    tree = parsed(text)
    if tree is None:
        return None
    missing = unknown({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}, source)
    lines = imported(missing, old)
    return None if None in lines else [*bringing(lines, source)]


def with_imports(source: Source, old: Source, changes: Tuple[Splice, ...]) -> Tuple[Splice, ...]:
    """Return changes with the imports that the older code in them needs beside those of today."""
    gone = unknown({name for node in old.tree.body for name in bound_by(node)}, source)
    if not gone:
        return changes
    try:
        made = ast.parse(apply_changes(source.text, changes))
    except (SyntaxError, ValueError, RecursionError):
        return changes
    read = {node.id for node in ast.walk(made) if isinstance(node, ast.Name) and not stored(node)}
    read -= {name for node in made.body for name in bound_by(node)}
    return tuple(sorted([*bringing(imported(gone & read, old), source), *changes]))


def bound_by(node: ast.stmt) -> List[str]:
    """Return the names that a statement imports."""
    return [a.asname or a.name for a in node.names] if isinstance(node, IMPORTS) else []


def unknown(names: Set[str], source: Source) -> Set[str]:
    return names - names_of(source.tree) - set(dir(builtins))


def imported(names: Set[str], old: Source) -> List[Optional[str]]:
    """Return the statement that imports each name in an older text, if one does."""
    return [next(map(old.segment, imports(old, name)), None) for name in sorted(names)]


def bringing(lines: Sequence[Optional[str]], source: Source) -> Iterator[Splice]:
    if lines:
        yield insertion(source, "\n".join(dict.fromkeys(filter(None, lines))))


def imports(source: Source, name: str) -> Iterator[ast.stmt]:
    """Yield the statements of a module that import a name alone."""
    for node in source.tree.body:
        if bound_by(node) == [name]:
            yield node


def names_of(tree: ast.AST) -> Set[str]:
    """Return the names that a file knows, wherever."""
    found: Set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found
