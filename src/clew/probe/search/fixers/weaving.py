"""Functions put together of lines as they were and lines that came since."""

from __future__ import annotations

import ast
import difflib
import itertools
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..source import Source, Splice, apply_changes, split_lines
from .merging import Merge, depth, named
from .mixing import likeness

__all__ = ["woven"]

ALIKE = 0.5  # how alike two lines are of which one may have become the other
MOST_LINES = 30  # of a stretch that a commit changed, that are held against each other
ALL = 7  # changes of a function of which every choice is offered
MOST = 12  # of more than these none is
FEW = 2  # of more than ALL, so many come back, or all but so many
Way = Tuple[float, Optional[Tuple[int, int]], int, int]  # how alike, a pair, what is left


class LineChange(NamedTuple):
    """Today's lines, from and to, and the older ones in their place, from and to."""

    first: int
    last: int
    start: int
    stop: int


Group = Tuple[LineChange, ...]  # that go together


def woven(source: Source, old: Source) -> Iterator[Merge]:
    """Yield today's functions with some of the lines that an older text has, those first with few.

    Lines face each other where they are alike, so that each can come back without the next. The
    head of a block and what changed in the block come back together.
    """
    before = named(old)
    for key, unit in named(source).items():
        was = before.get(key)
        if was is None or source.indent_of(unit.start) != old.indent_of(was.start):
            continue
        now = split_lines(source.text[unit.start : unit.end] + "\n")
        then = split_lines(old.text[was.start : was.end] + "\n")
        groups = grouped(list(changes(now, then)), now, then)
        if not 1 < len(groups) <= MOST:
            continue
        words = "parts of `{}` as they were".format(".".join((*key[0], key[1])))
        begins = [unit.start, *itertools.accumulate(map(len, now), initial=unit.start)][1:]
        for chosen in choices(groups):
            parts = tuple(
                spliced(each, begins, unit.end, "".join(then[each.start : each.stop]))
                for each in sorted(change for group in chosen for change in group)
            )
            if parses(source, parts):
                yield words, source.line_of(parts[0].start), parts


def choices(groups: Sequence[Group]) -> Iterator[Tuple[Group, ...]]:
    """Yield some of the groups, and never all."""
    for size in range(1, len(groups)):
        if len(groups) <= ALL or size <= FEW or size >= len(groups) - FEW:
            yield from itertools.combinations(groups, size)


def grouped(found: Sequence[LineChange], now: Sequence[str], then: Sequence[str]) -> List[Group]:
    """Put the changes of a block's head together with those in the block."""
    groups: List[List[LineChange]] = [[each] for each in found]
    for each in found:
        ends = (
            max([each.last, *(block(now, at) for at in range(each.first, each.last))]),
            max([each.stop, *(block(then, at) for at in range(each.start, each.stop))]),
        )
        inside = [
            other
            for other in found
            if each.last <= other.first < ends[0] or each.stop <= other.start < ends[1]
        ]
        mine = [group for group in groups if any(other in group for other in (each, *inside))]
        groups = [group for group in groups if group not in mine]
        groups.append([change for group in mine for change in group])
    return [tuple(sorted(group)) for group in sorted(groups)]


def block(lines: Sequence[str], at: int) -> int:
    """Return where the block ends that a line is the head of; the line itself where it is none."""
    if not lines[at].rstrip().endswith(":"):
        return at
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or depth(lines[end]) > depth(lines[at])):
        end += 1
    return end


def changes(now: Sequence[str], then: Sequence[str]) -> Iterator[LineChange]:
    """Yield what makes an older text of today's lines: as little at a time as faces each other."""
    matcher = difflib.SequenceMatcher(None, now, then, autojunk=False)
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind == "equal":
            continue
        at, here = first, start
        for line, other in facing(now[first:last], then[start:stop]):
            end, stand = first + line, start + other
            if end > at or stand > here:
                yield LineChange(at, end, here, stand)
            yield LineChange(end, end + 1, stand, stand + 1)
            at, here = end + 1, stand + 1
        if last > at or stop > here:
            yield LineChange(at, last, here, stop)


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


def spliced(change: LineChange, begins: Sequence[int], end: int, text: str) -> Splice:
    """Return a change of lines as one of the text; the last line of a function may have no end."""
    start, stop = begins[change.first], begins[change.last]
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
