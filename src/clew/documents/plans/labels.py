"""Markdown cut into sections, and these at their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from clew.documents.plans.lines import Line

__all__ = ["NOTHING", "Labelled", "PlanSection", "blocks", "cut", "fences", "items"]

BOLD = re.compile(r"(?:[-*+][ \t]+)?\*\*([^*]{1,60}?)(?:[ \t]*:\*\*|\*\*[ \t]*:)[ \t]*(.*)")
BARE = re.compile(
    r"(?:[-*+][ \t]+)?(agent|blocked[ _]by|blocks|depend(?:encies|s[ _]on)|objective|parallel|tasks"
    r"|testing|validation)[ \t]*:[ \t]*(.*)",
    re.IGNORECASE,
)
ITEM = re.compile(r"([ \t]*)(?:[-*+]|[0-9]+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
NOTHING = frozenset({"", "-", "–", "—", "none", "n/a", "na", "[]", "nothing"})  # noqa: RUF001 - a dash that people write


class PlanSection(msgspec.Struct, frozen=True):
    """A heading and the lines below it; the text before any heading has none."""

    level: int
    title: str
    line: int
    lines: list[Line]


class Labelled(msgspec.Struct, frozen=True):
    """A label, what stands behind it, and the lines that belong to it."""

    label: str
    value: str
    line: int
    lines: list[Line]


def cut(lines: Sequence[Line], level: int) -> list[PlanSection]:
    """Cut a document at its headings down to a level."""
    starts = [n for n, line in enumerate(lines) if n == 0 or 0 < line.heading[0] <= level]
    found = []
    for one, after in pairwise([*starts, len(lines)]):
        depth, title = lines[one].heading
        below = [
            line
            for line in lines[one + (0 < depth <= level) : after]
            if line.fenced or not RULE.fullmatch(line.text)
        ]
        found.append(PlanSection(depth, title, lines[one].number, below))
    return found


def blocks(lines: Sequence[Line]) -> list[Labelled]:
    """Cut lines at their labels; the first block is what stands before any.

    A label with words behind it has the indented lines that follow; what comes after has no label.
    """
    found = [Labelled("", "", lines[0].number if lines else 0, [])]
    for line in lines:
        label = None if line.fenced else _label(line)
        if label is not None:
            found.append(Labelled(*label, line.number, []))
        elif found[-1].value and line.text[:1].strip() and not line.fenced:
            found.append(Labelled("", "", line.number, [line]))
        else:
            found[-1].lines.append(line)
    return found


def _label(line: Line) -> tuple[str, str] | None:
    level, title = line.heading
    if level:
        label, _, value = title.partition(":")
        return label.strip(), value.strip()
    found = BOLD.fullmatch(line.text) or BARE.fullmatch(line.text)
    return (found[1].strip(), found[2].strip()) if found else None


def items(block: Labelled) -> list[tuple[int, str]]:
    """Return what stands behind a label and the items of its list, each with what is below it.

    Items that only say that there is none are left out; blocks of code are no items.
    """
    found = [(block.line, block.value)] if block.value else []
    depth: int | None = None
    for line in (line for line in block.lines if line.text.strip() and not line.fenced):
        item = ITEM.fullmatch(line.text)
        if item and (depth is None or len(item[1]) <= depth):
            depth = len(item[1])
            found.append((line.number, item[2].strip()))
        elif found and (depth is not None or not item):
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line.text.strip()}")
        else:
            found.append((line.number, line.text.strip()))
    return [(number, text) for number, text in found if text.casefold().rstrip(".") not in NOTHING]


def fences(lines: Sequence[Line]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield each fenced block: its language, the number of its first line, and its lines."""
    inside: list[Line] = []
    for line in [*lines, Line(0, "", fenced=False)]:
        ends = bool(inside) and line.text.strip() == inside[0].text.strip()[:3]
        if line.fenced and not ends:
            inside.append(line)
        elif inside:
            language = inside[0].text.strip().strip("`~").strip()
            yield language, inside[0].number + 1, [each.text for each in inside[1:]]
            inside = []
