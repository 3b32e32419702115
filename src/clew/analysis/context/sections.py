"""The sections of a prompt: each has a share of the budget, and none takes more than it has.

What a section leaves of its room flows on to the next, in the order of `SHARES`; so code, the last
of them, has what all others leave. The analysis has its share alone, and the reserve is for nobody:
it covers what a counter of another name would count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from clew.analysis.context.counting import TokenCounter
from clew.analysis.context.records import SectionTokens
from clew.words.facts import Fact

__all__ = [
    "ANALYSIS",
    "CODE",
    "SHARES",
    "SectionPart",
    "fit_parts",
    "halved",
    "sampled",
    "truncated",
]

CODE, ANALYSIS = "code", "analysis"
SHARES: Mapping[str, float] = {
    "task": 0.20,
    "output": 0.20,
    "diff": 0.20,
    CODE: 0.25,
    ANALYSIS: 0.05,
    "reserve": 0.10,
}
FLOWING = ("task", "output", "diff")
SHORT = 4  # lines: what is no longer than this is not worth halving
HEAD = TAIL = 500  # lines of an output
MARK = re.compile(r"\[Truncated: .*: (\d{1,9}) lines omitted\]")


class SectionPart(Fact, frozen=True, kw_only=True):
    """A text of one section, with the label that it is shown under."""

    section: str
    label: str
    text: str


def fit_parts(
    parts: Sequence[SectionPart],
    budget: int,
    counter: TokenCounter,
    *,
    fixed: int = 0,
    frame: int = 0,
) -> tuple[tuple[str, ...], tuple[SectionTokens, ...]]:
    """Return the texts as they fit into their sections, in their order, and what each took.

    `fixed` tokens of the task's room are spoken for by the instructions; every part that is shown
    takes `frame` beside its text. The last of what each took is code, which has used nothing yet.
    """
    texts = [sampled(part.text, part.label) for part in parts]
    spent, over = [], 0
    for section in FLOWING:
        room = int(budget * SHARES[section]) + over
        own = fixed if section == FLOWING[0] else 0
        places = [n for n, part in enumerate(parts) if part.section == section]
        rooms = _shared([_cost(texts[n], counter, frame) for n in places], max(0, room - own))
        for n, most in zip(places, rooms, strict=True):
            texts[n] = truncated(texts[n], parts[n].label, max(0, most - frame), counter)
        used = own + sum(_cost(texts[n], counter, frame) for n in places)
        spent.append(SectionTokens(section=section, room=room, used=used))
        over = max(0, room - used)
    spent.append(SectionTokens(section=CODE, room=int(budget * SHARES[CODE]) + over, used=0))
    return tuple(texts), tuple(spent)


def _cost(text: str, counter: TokenCounter, frame: int) -> int:
    return counter.count(text) + frame if text else 0


def _shared(wanted: Sequence[int], room: int) -> list[int]:
    """Share a room out: whoever wants less than an even share gets it all."""
    given = [0] * len(wanted)
    for left, n in enumerate(sorted(range(len(wanted)), key=lambda n: (wanted[n], n))):
        given[n] = min(wanted[n], room // (len(wanted) - left))
        room -= given[n]
    return given


def sampled(text: str, label: str) -> str:
    """Return a long text's first and last lines, saying what is left out."""
    lines = text.split("\n")
    if len(lines) <= HEAD + TAIL:
        return text
    return _without_middle(lines, HEAD, TAIL, label)


def truncated(text: str, label: str, room: int, counter: TokenCounter) -> str:
    """Return as many lines of head and tail as fit into a room; nothing if none do."""
    if counter.count(text) <= room:
        return text
    lines = text.split("\n")
    low, high = -1, (len(lines) - 1) // 2  # `low` lines of each end fit, `high` + 1 do not
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(_without_middle(lines, middle, middle, label)) <= room:
            low = middle
        else:
            high = middle - 1
    return _without_middle(lines, low, low, label) if low >= 0 else ""


def halved(text: str, label: str) -> str:
    """Return the first half of the lines, saying what is left out; nothing of a short text."""
    lines = text.split("\n")
    if len(lines) <= SHORT:
        return ""
    return _without_middle(lines, len(lines) // 2, 0, label)


def _told(line: str) -> int:
    """Return how many lines a line says are left out, itself not counted."""
    match = MARK.fullmatch(line)
    return int(match[1]) - 1 if match else 0


def _without_middle(lines: Sequence[str], head: int, tail: int, label: str) -> str:
    before, after = list(lines[:head]), list(lines[len(lines) - tail :])
    left = len(lines) - len(before) - len(after)
    left += sum(_told(line) for line in lines[head : len(lines) - tail])
    return "\n".join((*before, f"[Truncated: {label}: {left} lines omitted]", *after))
