"""Functions put together of lines as they were and lines that came since."""

from __future__ import annotations

import ast
import difflib
import itertools
from typing import Iterator, List, Optional, Sequence, Tuple

from ..source import Source, Splice, apply_changes, split_lines
from .merging import Merge, named
from .mixing import likeness

__all__ = ["woven"]

ALIKE = 0.5  # how alike two lines are of which one may have become the other
MOST_LINES = 30  # of a stretch that a commit changed, that are held against each other
ALL = 7  # changes of a function of which every choice is offered
MOST = 12  # of more than these none is
FEW = 2  # of more than ALL, so many come back, or all but so many
Way = Tuple[float, Optional[Tuple[int, int]], int, int]  # how alike, a pair, what is left
Change = Tuple[int, int, Sequence[str]]  # today's lines, from and to, and those that were there


def woven(source: Source, old: Source) -> Iterator[Merge]:
    """Yield today's functions with some of the lines that an older text has, those first with few.

    Lines face each other where they are alike, so that each can come back without the next.
    """
    before = named(old)
    for key, unit in named(source).items():
        was = before.get(key)
        if was is None or source.indent_of(unit.start) != old.indent_of(was.start):
            continue
        now = split_lines(source.text[unit.start : unit.end] + "\n")
        then = split_lines(old.text[was.start : was.end] + "\n")
        found = list(changes(now, then))
        if not FEW <= len(found) <= MOST:
            continue
        words = "parts of `{}` as they were".format(".".join((*key[0], key[1])))
        begins = [unit.start, *itertools.accumulate(map(len, now), initial=unit.start)][1:]
        for chosen in choices(found):
            parts = tuple(spliced(each, begins, unit.end) for each in chosen)
            if parses(source, parts):
                yield words, source.line_of(parts[0].start), parts


def choices(found: Sequence[Change]) -> Iterator[Tuple[Change, ...]]:
    """Yield two changes and more, and never all."""
    for size in range(FEW, len(found)):
        if len(found) <= ALL or size == FEW or size >= len(found) - FEW:
            yield from itertools.combinations(found, size)


def changes(now: Sequence[str], then: Sequence[str]) -> Iterator[Change]:
    """Yield what makes an older text of today's lines: as little at a time as faces each other."""
    matcher = difflib.SequenceMatcher(None, now, then, autojunk=False)
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind == "equal":
            continue
        at, here = first, start
        for line, other in (*facing(now[first:last], then[start:stop]), (None, None)):
            end = last if line is None else first + line
            stand = stop if other is None else start + other
            if end > at or stand > here:
                yield at, end, then[here:stand]
            if line is not None:
                yield end, end + 1, then[stand : stand + 1]
            at, here = end + 1, stand + 1


def facing(now: Sequence[str], then: Sequence[str]) -> List[Tuple[int, int]]:
    """Return pairs of lines, in order, of which one may have become the other."""
    if not now or not then or max(len(now), len(then)) > MOST_LINES:
        return []
    first: Way = (0.0, None, 0, 0)
    best = [[first] * (len(then) + 1) for _ in range(len(now) + 1)]
    for i, j in itertools.product(range(len(now)), range(len(then))):
        one = likeness(now[i].strip(), then[j].strip())
        ways: List[Way]
        ways = [(best[i][j + 1][0], None, i, j + 1), (best[i + 1][j][0], None, i + 1, j)]
        if one >= ALIKE:
            ways.append((best[i][j][0] + one, (i, j), i, j))
        best[i + 1][j + 1] = max(ways, key=lambda way: way[0])
    found: List[Tuple[int, int]] = []
    i, j = len(now), len(then)
    while i and j:
        _, pair, i, j = best[i][j]
        found += [pair] if pair else []
    return found[::-1]


def spliced(change: Change, begins: Sequence[int], end: int) -> Splice:
    """Return a change of lines as one of the text; the last line of a function may have no end."""
    first, last, lines = change
    start, stop, text = begins[first], begins[last], "".join(lines)
    if start > end:
        return Splice(end, end, "\n" + text[: -len("\n")])
    if stop <= end:
        return Splice(start, stop, text)
    return Splice(start, end, text[: -len("\n")]) if text else Splice(start - 1, end, "")


def parses(source: Source, parts: Tuple[Splice, ...]) -> bool:
    try:
        ast.parse(apply_changes(source.text, parts))
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
