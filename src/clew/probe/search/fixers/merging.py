"""What a commit took away, put back beside what it brought.

Where a commit did two things, and one of them is wrong, its text of before is no fix: that has not
what the commit brought. What is put together here has both.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from ..context import fits, parameters
from ..operators.table import short
from ..source import (
    Source,
    SourceLines,
    Splice,
    Unit,
    apply_changes,
    difference,
    insertion,
    shared,
    split_lines,
)

__all__ = ["additions", "aligned", "expressions", "named", "reverted"]

LONGEST = 120  # characters of an expression
ALIKE = 0.5  # of the tokens of two expressions, of which one may have become the other
MOST = 60  # expressions of a text, the likest first
WORD = re.compile(r"\w+|[^\w\s]")
IMPORTS = (ast.Import, ast.ImportFrom)
Key = Tuple[Tuple[str, ...], str]
Merge = Tuple[str, int, Tuple[Splice, ...]]  # in words, its line, the changes


class Piece(NamedTuple):
    """An expression in the lines in which two texts part."""

    node: ast.expr
    text: str
    tokens: Tuple[str, ...]


def named(source: Source) -> Dict[Key, Unit]:
    """Return the functions of a file by their names and the classes around them."""
    return {(unit.chain, unit.name): unit for unit in source.units}


def aligned(old: Source, source: Source) -> Source:
    """Return an older text whose functions have today's signatures, parameters and docstrings.

    A parameter got another name where it stands at the same place and neither text has both
    names. A function that has lost a parameter since stays as it was.
    """
    changes: List[Splice] = []
    now = named(source)
    for key, was in named(old).items():
        unit = now.get(key)
        if unit is None or not was.head or not unit.head:
            continue
        names, others = parameters(was.node), parameters(unit.node)
        other = {
            name: new
            for name, new in zip(names, others)
            if name != new and name not in others and new not in names
        }
        if not {other.get(name, name) for name in names}.issubset(others):
            continue
        changes += [
            Splice(*old.span(node), other[node.id])
            for node in ast.walk(was.node)
            if isinstance(node, ast.Name) and node.id in other
        ]
        changes.append(Splice(was.start, was.rest, source.text[unit.start : unit.rest]))
        said, says = docstring(was.node), docstring(unit.node)
        if said is not None and says is not None:
            changes.append(Splice(*old.span(said), source.segment(says)))
    inside = [c for c in changes if not any(within(c, other) for other in changes)]
    text = apply_changes(old.text, tuple(sorted(set(inside))))
    return Source(old.path, text) if text != old.text else old


def within(change: Splice, other: Splice) -> bool:
    return change != other and other.start <= change.start and change.end <= other.end


def docstring(function: ast.AST) -> Optional[ast.expr]:
    first = getattr(function, "body")[0]  # noqa: B009 - a function
    value = getattr(first, "value", None)
    if isinstance(first, ast.Expr) and isinstance(getattr(value, "value", None), str):
        return first.value
    return None


def additions(source: Source, old: Source) -> Optional[Merge]:
    """Return the lines and functions that are gone, put in beside what stands there now.

    Only functions that have no line in the place of another one: there lines were exchanged.
    """
    now, before = named(source), named(old)
    changes: List[Splice] = []
    names: List[str] = []
    for key, was in before.items():
        unit, more = now.get(key), []
        if unit is not None:
            text = source.text[unit.start : unit.end]
            more = inserted(text, old.text[was.start : was.end], unit.start)
        elif key[0] and any(other[0] == key[0] for other in now):
            more = [whole(source, old, key)]
        changes += more
        names += ["`{}`".format(".".join((*key[0], key[1])))] if more else []
    if len(names) < 2:  # one is a part of a put-back anyway
        return None
    words = "what {} and {} had".format(", ".join(names[:-1]), names[-1])
    return words, source.line_of(min(changes).start), tuple(sorted(changes))


def inserted(now: str, before: str, start: int) -> List[Splice]:
    """Return the lines of an older text that nothing stands in place of."""
    lines, others = split_lines(now + "\n"), split_lines(before + "\n")
    matcher = difflib.SequenceMatcher(None, lines, others, autojunk=False)
    found: List[Splice] = []
    for tag, a, _, c, d in matcher.get_opcodes():
        if tag == "insert" and a < len(lines):
            place = start + sum(map(len, lines[:a]))
            found.append(Splice(place, place, "".join(others[c:d])))
        elif tag == "insert":
            place = start + len(now)
            found.append(Splice(place, place, "\n" + "".join(others[c:d]).rstrip("\n")))
    return found


def whole(source: Source, old: Source, key: Key) -> Splice:
    """Return a method put in where it stood: before the one that follows it, or the first."""
    order = [each for each in named(old) if each[0] == key[0]]
    now = {each: unit for each, unit in named(source).items() if each[0] == key[0]}
    later = [now[each] for each in order[order.index(key) :] if each in now]
    unit = min(later or now.values(), key=lambda each: each.start)
    place = source.starts[unit.first_line - 1]
    was = named(old)[key]
    start = old.starts[was.first_line - 1]
    return Splice(place, place, old.text[start : was.end].rstrip() + "\n\n")


def reverted(source: Source, after: str, before: str) -> Iterator[Merge]:
    """Yield what one commit alone changed, undone in today's text: all of it, or in a function.

    `before` and `after` are the texts beside the commit. Nothing where later ones changed the same
    lines, or those next to them.
    """
    changes = [carried(change, after, source.text) for change in difference(after, before)]
    whole = [change for change in changes if change is not None]
    if not whole or len(whole) < len(changes):
        return
    yield "the lines of the file as they were", source.line_of(whole[0].start), tuple(whole)
    functions: Dict[str, List[Splice]] = {}
    for change in whole:
        unit = source.unit_at(source.line_of(change.start))
        if unit is not None:
            functions.setdefault(".".join((*unit.chain, unit.name)), []).append(change)
    for name, own in functions.items() if len(functions) > 1 else ():
        words = "the lines of `{}` as they were".format(name)
        yield words, source.line_of(own[0].start), tuple(own)


def carried(change: Splice, old: str, new: str) -> Optional[Splice]:
    """Return a change of a text as one of a later text, if its lines are there, and their next."""
    lines, others = SourceLines(old), SourceLines(new)
    first, last = lines.line_of(change.start) - 1, lines.line_of(max(change.start, change.end - 1))
    first, last = max(first - 1, 0), min(last + 1, len(lines.starts) - 1)
    matcher = difflib.SequenceMatcher(None, split_lines(old), split_lines(new), autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        if a <= first and last <= a + size:
            moved = others.starts[b] - lines.starts[a]
            return Splice(change.start + moved, change.end + moved, change.text)
    return None


def expressions(source: Source, old: Source) -> Iterator[Merge]:
    """Yield today's expressions with older ones in their place, the likest first.

    An older one stands there as it was; or around what stands there; or with what a part of it
    has become since.
    """
    now, before = pieces(source, old), pieces(old, source)
    there = {piece.text for piece in now}
    found: Dict[Splice, Tuple[float, Merge]] = {}
    for was, new in ((was, new) for was in before if was.text not in there for new in now):
        alike = difflib.SequenceMatcher(None, was.tokens, new.tokens, autojunk=False).ratio()
        for text, what in together(was, new, alike, old, source):
            change = Splice(*source.span(new.node), fits(source, new.node, text))
            least = trimmed(source.text, change)
            brought = lacking(text, source, old)
            if brought is None or not least.text or distorts(text, was, new, old, source):
                continue
            if least not in found or found[least][0] < alike:
                told = "{} for `{}` as it was".format(what, short(new.text))
                line, changes = source.line_of(change.start), tuple(sorted([*brought, change]))
                found[least] = alike, (told, line, changes)
    for _, each in sorted(found.values(), key=lambda each: (-each[0], each[1]))[:MOST]:
        yield each


def distorts(text: str, was: Piece, new: Piece, old: Source, source: Source) -> bool:
    """Say whether a line gets a word more often than both texts have it, or less often."""
    here, there = lines_of(new.node, source), lines_of(was.node, old)
    now, before = (
        words(source.text[here.start : here.end]),
        words(old.text[there.start : there.end]),
    )
    start, end = source.span(new.node)
    made = words(source.text[here.start : start] + text + source.text[end : here.end])
    return bool(made - (now | before) or (now & before) - made)


def lines_of(node: ast.expr, source: Source) -> Splice:
    """Return where the lines begin and end in which an expression stands."""
    last = min(node.end_lineno or node.lineno, len(source.starts) - 1)
    return Splice(source.starts[node.lineno - 1], source.starts[last], "")


def words(text: str) -> "Counter[str]":
    return Counter(re.findall(r"\w+", text))


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


def stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


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


def trimmed(text: str, change: Splice) -> Splice:
    """Return a change without what its text begins and ends with already."""
    was = text[change.start : change.end]
    head = shared(was, change.text)
    tail = shared(was[head:][::-1], change.text[head:][::-1])
    return Splice(
        change.start + head, change.end - tail, change.text[head : len(change.text) - tail]
    )


def lacking(text: str, source: Source, old: Source) -> Optional[List[Splice]]:
    """Return the imports that a text needs beside those of today; None if a name is nowhere."""
    tree = parsed(text)
    if tree is None:
        return None
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    missing = names - bound(source.tree) - set(dir(builtins))
    found: Dict[str, None] = {}
    for name in sorted(missing):
        line = next((old.segment(each) for each in imports(old, name)), None)
        if line is None:
            return None
        found[line] = None
    return [insertion(source, "\n".join(found))] if found else []


def imports(source: Source, name: str) -> Iterator[ast.stmt]:
    """Yield the statements of a module that import a name alone."""
    for node in source.tree.body:
        if isinstance(node, IMPORTS) and [a.asname or a.name for a in node.names] == [name]:
            yield node


def bound(tree: ast.AST) -> Set[str]:
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
