"""Lines as they were, put together with what came since, token by token.

Where a commit brought one thing and lost another in the same line, what it lost is put in beside
what it brought: an element of a table, a part of a pattern or of a text.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from typing import Iterator, List, NamedTuple, Sequence, Tuple

from ..context import fits
from ..operators.table import short
from ..source import Source, Splice, apply_changes, split_lines, trimmed
from .expressions import part_of_text
from .merging import Merge

__all__ = ["mixed", "without"]

MOST_LINES = 8  # that face each other in a stretch that a commit changed
MOST_PLACES = 5  # in which two lines part
MOST_WAYS = 48  # to put two lines together
MOST = 8  # of them that are offered, those that keep most first
ALIKE = 0.3  # of the tokens of two lines, of which one may have become the other
ALIKE_TEXTS = 0.4  # the same of two strings
SPELT, NEAR = 3, 0.7  # letters of a word, and how alike two are of which one is misspelt
STRING = r"[rRbBfFuU]{0,2}(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
CODE = re.compile(r"\s*(?:{}|\w+|[^\w\s]|$)".format(STRING))
LETTERS = re.compile(r"\\.|\w+|\s|[^\w\s]")
BARE = re.compile(r"^\s*(?:[rRbBfFuU]{0,2}['\"])?|['\"]$")
IS_STRING = re.compile(r"\s*{}".format(STRING))


class Way(NamedTuple):
    """What may stand in one place: the text, and how many of today's tokens it lacks."""

    text: str
    lost: int
    brought: int = 0


def mixed(source: Source, old: Source) -> Iterator[Merge]:
    """Yield today's lines with what an older text has in them, those first that lose least."""
    now, then = split_lines(source.text), split_lines(old.text)
    matcher = difflib.SequenceMatcher(None, now, then, autojunk=False)
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind != "replace" or max(last - first, stop - start) > MOST_LINES:
            continue
        for number, line in enumerate(now[first:last], first):
            was = max(then[start:stop], key=lambda each: likeness(line, each))
            for lost, text in together(line, was, number, source):
                what = "a part of `{}` as it was" if lost else "beside today's what `{}` had"
                changes = tuple(parted(line, text, source.starts[number]))
                yield what.format(short(was)), number + 1, changes


def without(source: Source, old: Source) -> Iterator[Merge]:
    """Yield expressions of new lines without a call, a step or a condition that came with them."""
    lines, known = split_lines(source.text), set(split_lines(old.text))
    fresh = {place for place, line in enumerate(lines, 1) if line not in known}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.expr) or node.lineno not in fresh or part_of_text(node, source):
            continue
        for kept, gone in less(node, source):
            if not gone or gone in old.text or gone in source.text.replace(gone, "", 1):
                continue
            change = Splice(*source.span(node), fits(source, node, kept))
            what = "`{}` without `{}` as it was".format(short(source.segment(node)), gone.strip())
            yield what, node.lineno, (trimmed(source.text, change),)


def less(node: ast.expr, source: Source) -> Iterator[Tuple[str, str]]:
    """Yield what an expression is without its outermost part, and that part."""
    text = source.segment(node)
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        yield source.segment(node.args[0]), source.segment(node.func) + "("
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        left = source.segment(node.left)
        yield left, text[len(left) :] if text.startswith(left) else ""
    elif isinstance(node, ast.BoolOp):
        parts = [source.segment(each) for each in node.values]
        joint = " and " if isinstance(node.op, ast.And) else " or "
        for number, part in enumerate(parts):
            yield joint.join(parts[:number] + parts[number + 1 :]), part


def parted(line: str, text: str, start: int) -> Iterator[Splice]:
    """Yield the changes within a line, so that what only comes replaces nothing."""
    now, then = LETTERS.findall(line), LETTERS.findall(text)
    begins = [start, *itertools.accumulate(map(len, now), initial=start)][1:]
    for kind, a, b, c, d in difflib.SequenceMatcher(None, now, then, False).get_opcodes():
        if kind != "equal":
            yield Splice(begins[a], begins[b], "".join(then[c:d]))


def likeness(line: str, other: str) -> float:
    return matched(LETTERS.findall(line), LETTERS.findall(other)).ratio()


def matched(now: Sequence[str], then: Sequence[str]) -> "difflib.SequenceMatcher[str]":
    one, other = ([token.strip() or " " for token in tokens] for tokens in (now, then))
    return difflib.SequenceMatcher(None, one, other, autojunk=False)


def together(line: str, was: str, number: int, source: Source) -> Iterator[Tuple[int, str]]:
    """Yield a line with what another has of its own, and how much it loses; it parses there."""
    body = line.rstrip("\r\n")
    places = list(ways(CODE.findall(body), CODE.findall(was.rstrip()), ", "))
    found = []
    if likeness(line, was) >= ALIKE and 0 < len(places) <= MOST_PLACES:
        found = [
            (way.lost, -way.brought, way.text + line[len(body) :])
            for way in joined(places)
            if way.text not in (body, was.rstrip()) and way.brought
        ]
    begin = source.starts[number]
    for lost, _, made in sorted(set(found))[:MOST]:
        change = Splice(begin, begin + len(line), made)
        try:
            ast.parse(apply_changes(source.text, (change,)))
        except (SyntaxError, ValueError, RecursionError):
            continue
        yield lost, made


def ways(now: Sequence[str], then: Sequence[str], joint: str) -> Iterator[List[Way]]:
    """Yield what may stand in each place, in their order: what both have is one way alone."""
    for kind, first, last, start, stop in matched(now, then).get_opcodes():
        mine, theirs = now[first:last], then[start:stop]
        if kind != "replace" or len(mine) == len(theirs) == 1:
            yield in_place(mine, theirs, joint)
            continue
        texts = [[IS_STRING.sub("''", token) for token in tokens] for tokens in (mine, theirs)]
        alike = matched(*texts).get_matching_blocks()
        at = here = 0
        for one, other, size in alike:  # the last is empty, and stands behind all
            if one > at or other > here:
                yield in_place(mine[at:one], theirs[here:other], joint)
            for step in range(size):
                yield in_place(mine[one + step :][:1], theirs[other + step :][:1], joint)
            at, here = one + size, other + size


def in_place(mine: Sequence[str], theirs: Sequence[str], joint: str) -> List[Way]:
    """Return what may stand where mine do: those, theirs, both, or a string with parts of both."""
    own, other = "".join(mine), "".join(theirs)
    lost, come = len(mine), len(theirs)
    found = [Way(own, 0)]
    if [token.strip() for token in mine] == [token.strip() for token in theirs]:
        return found
    glued = not joint and own[-1:].isalnum() and other[:1].isalnum()
    if mine and theirs and not glued and not is_near(own, other):
        found.append(Way(own + joint + other.strip(), 0, come))
        if joint and own.strip().isidentifier():  # of arguments the order counts
            start = own[: len(own) - len(own.lstrip())]
            found.append(Way(start + other.strip() + joint + own.strip(), 0, come))
    found.append(Way(other, lost, come))
    if lost == come == 1 and IS_STRING.match(own) and IS_STRING.match(other):
        found += within(own, other)
    return found


def is_near(one: str, other: str) -> bool:
    """Tell a word that is another misspelt: nobody wants both."""
    mine, theirs = (BARE.sub("", text) for text in (one, other))
    spelt = all(len(word) >= SPELT and word.isidentifier() for word in (mine, theirs))
    alike = difflib.SequenceMatcher(None, mine, theirs).ratio() >= NEAR
    return spelt and (alike or sorted(mine) == sorted(theirs))


def within(mine: str, theirs: str) -> Iterator[Way]:
    """Yield a string with what another has of its own."""
    now, then = LETTERS.findall(mine), LETTERS.findall(theirs)
    places = list(ways(now, then, ""))
    if matched(now, then).ratio() < ALIKE_TEXTS:
        return
    several = [each for each in places if len(each) > 1]
    if len(several) <= MOST_PLACES:
        yield from (way for way in joined(places) if way.brought)


def joined(places: Sequence[Sequence[Way]]) -> Iterator[Way]:
    """Yield one way for each place, put together."""
    for chosen in itertools.islice(itertools.product(*places), MOST_WAYS):
        texts, lost, brought = zip(*chosen)
        yield Way("".join(texts), sum(lost), sum(brought))
