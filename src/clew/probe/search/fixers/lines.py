"""Repairs of lines that are no Python yet: each one change, near the place that is named.

What a line is mended to by itself is in `one_line`; here stands what the lines around it say.
"""

from __future__ import annotations

import itertools
import re
from typing import Dict, Iterator, List, Optional, Tuple

from ..source import SourceLines, Splice
from .one_line import HEADS, OPENING, LineRepair, line_repairs

__all__ = ["attempts"]

Repair = Tuple[float, Splice, str]  # a weight, the change, and what it is in words


class Text(SourceLines):
    """Lines of a file that does not parse."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lines = [text[start:end] for start, end in zip(self.starts, self.starts[1:])]

    def replaced(self, first: int, last: int, new: List[str]) -> Splice:
        return Splice(self.starts[first - 1], self.starts[last], "".join(new))

    def shifted(self, first: int, last: int, level: str) -> Splice:
        """Return the change that begins lines with the level, where the first one has its own."""
        own = len(space(self.lines[first - 1]))
        block = self.lines[first - 1 : last]
        return self.replaced(first, last, [level + t[own:] if t.strip() else t for t in block])


def space(line: str) -> str:
    """Return what a line is indented by."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def attempts(text: str, error: SyntaxError) -> Iterator[Repair]:
    """Yield repairs near the place that the parser names, each of which may be the one."""
    lines = Text(text)
    total = len(lines.lines)
    reported = min(max(error.lineno or 1, 1), max(total, 1))
    message = error.msg or ""
    near: Dict[int, float] = {
        reported: 0.0,
        reported - 1: 0.1,
        reported - 2: 0.25,
        reported + 1: 0.3,
    }
    yield from declared(text)
    yield from unquoted(text)
    if "outside" in message:
        yield from taken_in(lines, reported)
    opened = re.search(r"on line (\d+)", message)
    if opened:
        near.setdefault(int(opened.group(1)), 0.1)
    for depth, number in enumerate(unclosed(lines)):
        near.setdefault(number, 0.1 + 0.05 * depth)
    for number, loss in near.items():
        if not 1 <= number <= total:
            continue
        raw = lines.lines[number - 1]
        body = raw.rstrip("\r\n")
        ending = raw[len(body) :]
        column = error.offset if number == reported else None
        end = ending or "\n"
        whole = (
            looped(lines, number, body),
            parted(lines, number, body, end),
            glued(lines, number, body, end),
            unquoted_name(lines, number, body),
        )
        for weight, new, words in (*line_repairs(body, column), *itertools.chain(*whole)):
            changed = lines.replaced(number, number, [new + ending])
            yield weight - loss, changed, "line {}: {}".format(number, words)
        yield from indentation(lines, number, loss, message)


def declared(text: str) -> Iterator[Repair]:
    """Take away the declarations of another language."""
    for word in ("var", "let", "const"):
        new = re.sub(r"(?m)^([ \t]*){}[ \t]+(?=[\w, \t]+=)".format(word), r"\1", text)
        if new != text:
            yield 2.2, Splice(0, len(text), new), "drop `{}`".format(word)


def unquoted(text: str) -> Iterator[Repair]:
    """Take one string of several lines as the code that it holds."""
    for found in re.finditer(r"(\"\"\"|''')((?:(?!\1).)*)\1", text, re.DOTALL):
        for gap in ("   ", "") if "\n" in found.group(2) else ():
            change = Splice(found.start(), found.end(), gap + found.group(2))
            yield 1.9, change, "take the code out of its quotes"


def taken_in(lines: Text, number: int) -> Iterator[Repair]:
    """Take the lines up to this one, which may only stand in a function or a loop, into one.

    What stands above them at their own level, and has a body, is such a one.
    """
    own = space(lines.lines[number - 1])
    below, first, level = number, number, ""
    for above in range(number - 1, 0, -1):
        line = lines.lines[above - 1]
        if not line.strip():
            continue
        if len(space(line)) < len(own):
            return
        if len(space(line)) > len(own):
            first, level = below, space(line)
            continue
        if level:
            words = "lines {}-{}: indent by {}".format(first, number, len(level))
            yield 2.1, lines.shifted(first, number, level), words
            if line.lstrip().startswith(("def ", "async def ", "class ")):
                return
        below, level = above, ""


def looped(lines: Text, number: int, line: str) -> Iterator[LineRepair]:
    """Yield a loop over nothing as one over what the function is given, the last first."""
    loop = re.match(r"\s*(?:async\s+)?for\s+[\w, ()]+?\s+in\s*:?\s*$", line)
    if not loop:
        return
    head = re.compile(r"\s*(?:async\s+)?def\s+\w+\s*\((.*)\)")
    for above in reversed(lines.lines[: number - 1]):
        told = head.match(above)
        if told:
            names = re.findall(r"(?:^|,)\s*\**(\w+)", re.sub(r"\[[^\]]*\]", "", told.group(1)))
            for name in reversed([each for each in names if each not in ("self", "cls")]):
                yield 2.0, line.rstrip(" \t:") + " " + name + ":", "loop over `{}`".format(name)
            return


def parted(lines: Text, number: int, line: str, ending: str) -> Iterator[LineRepair]:
    """Put what follows the `:` of a head on a line of its own, where a block begins below."""
    head = re.match(r"(\s*)(?:{})\b".format("|".join(HEADS)), line)
    below = next((each for each in lines.lines[number:] if each.strip()), "")
    colon = end_of_head(line, head.end()) if head else None
    if head is None or colon is None or len(space(below)) <= len(head.group(1)):
        return
    rest = line[colon + 1 :].strip()
    level = space(below)
    if rest.endswith(":"):
        level = head.group(1) + ("\t" if "\t" in level else "    ")
    if rest and not rest.startswith("#"):
        yield 2.3, line[: colon + 1] + ending + level + rest, "a line of its own for what follows"


# A statement that follows something else in its line.
GLUED = re.compile(
    r"(?<=[\w\])}'\"])(?:\s+|(?<![A-Za-z_]))(?=(?:return|raise|break|continue|pass|import)\b)"
)


def glued(lines: Text, number: int, line: str, ending: str) -> Iterator[LineRepair]:
    """Put a statement on a line of its own, at the level of this one or of one further out."""
    own = space(line)
    levels = [own]
    for above in reversed(lines.lines[: number - 1]):
        level = space(above)
        if above.strip() and len(level) < len(levels[-1]):
            levels.append(level)
    for found in GLUED.finditer(line):
        for rank, level in enumerate(levels):
            new = line[: found.start()] + ending + level + line[found.end() :]
            words = "a line of its own for `{}`".format(
                line[found.end() :].split(" ", maxsplit=1)[0]
            )
            yield 2.0 - 0.05 * rank, new, words


def unquoted_name(lines: Text, number: int, line: str) -> Iterator[LineRepair]:
    """Drop a lone quote before a name that other lines give a value: `int("i))`."""
    for found in re.finditer(r"(?<=[(\[,=\s])(['\"])([A-Za-z_]\w*)(?!\w)", line):
        quote, name = found.groups()
        if not line.count(quote) % 2:
            continue
        given = re.compile(r"\bfor\s+(?:\w+\s*,\s*)*{0}\b|^\s*{0}\s*=(?!=)".format(name))
        others = (*lines.lines[: number - 1], *lines.lines[number:])
        if any(map(given.search, others)):
            yield 2.15, line[: found.start()] + line[found.start() + 1 :], "drop the quote"


def end_of_head(line: str, start: int) -> Optional[int]:
    """Return the place of the first `:` from there that is in no bracket and no string."""
    depth = 0
    for found in re.finditer(r"'[^'\n]*'|\"[^\"\n]*\"|[(\[{)\]}:]", line):
        if found.start() < start or found.group()[0] in "'\"":
            continue
        if found.group() == ":" and not depth:
            return found.start()
        depth += (found.group() in OPENING) - (found.group() in OPENING.values())
    return None


def unclosed(lines: Text) -> List[int]:
    """Return the lines whose brackets stay open, the last first: a rough count suffices."""
    stack: List[int] = []
    for number, line in enumerate(lines.lines, 1):
        bare = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|#.*", "", line)
        for char in bare:
            if char in OPENING:
                stack.append(number)
            elif char in OPENING.values() and stack:
                stack.pop()
    return list(dict.fromkeys(reversed(stack)))[:4]


def indentation(lines: Text, number: int, loss: float, message: str) -> Iterator[Repair]:
    """Shift a line, or it and what follows, to a level that the file knows; fill an empty block."""
    line = lines.lines[number - 1]
    if not line.strip():
        return
    own = space(line)
    bonus = 0.6 if "indent" in message else 0.0
    levels: Dict[str, None] = {}
    for text in lines.lines[max(0, number - 12) : number + 4]:
        if text.strip():
            levels.setdefault(space(text))
    previous = next(
        (lines.lines[i] for i in range(number - 2, -1, -1) if lines.lines[i].strip()), ""
    )
    above = space(previous)
    unit = "\t" if "\t" in above or "\t" in own else "    "
    if previous.rstrip().endswith(":"):
        levels.setdefault(above + unit)
    levels.setdefault(own.expandtabs(4))
    levels.setdefault(own.expandtabs(8))
    last = number
    while last < len(lines.lines):
        text = lines.lines[last]
        if text.strip() and not (text.startswith(own or " ") and len(space(text)) >= len(own)):
            break
        last += 1
    inner = next((space(text) for text in lines.lines[number:] if text.strip()), "")
    for level in levels:
        if level == own:
            continue
        likely = 0.3 if level in (above, above + unit) else 0.0
        # A head that stands where the line above it does is not what is out of place.
        head = line.rstrip().endswith(":") and inner == level + unit and above != own
        alone = 0.5 if head else likely
        yield (
            1.2 + bonus + alone - loss,
            lines.shifted(number, number, level),
            "line {}: indent by {}".format(number, len(level)),
        )
        if last > number:
            yield (
                1.25 + bonus + likely - loss,
                lines.shifted(number, last, level),
                "lines {}-{}: indent by {}".format(number, last, len(level)),
            )
    if previous.rstrip().endswith(":"):
        ending = "\r\n" if line.endswith("\r\n") else "\n"
        yield (
            1.0 + bonus - loss,
            lines.replaced(number, number, [above + unit + "pass" + ending, line]),
            "line {}: add `pass`".format(number),
        )
