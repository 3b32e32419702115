"""What the Markdown forms of a plan share: front matter, lines by number, headings of phases."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from clew.documents.front_matter import CLOSING, OPENING
from clew.documents.markdown import HEADING, fence_after
from clew.documents.plans.located import Located, Misread, from_json, from_yaml, node
from clew.words.plans import PhaseId, VerifyBy

__all__ = [
    "Line",
    "as_id",
    "criterion",
    "front_and_lines",
    "joined",
    "misread_phase",
    "phase_in",
    "unified",
]

PHASE = re.compile(
    r"Phase[ \t]+(?P<id>[^\s:]+?)(?:[ \t]*:|[ \t]+[-–—][ \t])[ \t]*(?P<name>.*)"  # noqa: RUF001 - as it is written
    r"|Phase[ \t]+(?P<number>[0-9]+)(?:\.[ \t]+(?P<rest>.*))?"
    r"|Phase:[ \t]*(?P<unnumbered>.*)",
    re.IGNORECASE,
)
SEVERAL = re.compile(r"Phase[ \t]+[^\s:]+[ \t]+[^:]*?(?::|[ \t][-–—][ \t])", re.IGNORECASE)  # noqa: RUF001
LONGEST = 9  # digits of a number that counts phases
WAY = re.compile(rf"(.*)\(({'|'.join(VerifyBy)})(?::[ ]*(.*))?\)\.?")


class Line(msgspec.Struct, frozen=True):
    """A line of a file by its number; `fenced` if it belongs to a fenced block."""

    number: int
    text: str
    fenced: bool

    @property
    def heading(self) -> tuple[int, str]:
        """The level and the words of a heading; 0 and nothing where it is none."""
        found = None if self.fenced else HEADING.match(self.text)
        return (len(found[1]), found[2].strip()) if found else (0, "")


def unified(text: str) -> str:
    """Return a file's text without a byte order mark, each line ended by one character."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def front_and_lines(text: str) -> tuple[Located, list[Line]]:
    """Take a document apart: the map of its front matter, and the lines after it.

    Raises Misread.
    """
    opening = OPENING.match(text)
    front, begins = Located({}, 1), 0
    if opening:
        closing = CLOSING.search(text, opening.end())
        if closing is None:
            raise Misread("the front matter has no closing ---", 1)
        inner = text[opening.end() : closing.start()]
        found = (from_json if inner.lstrip().startswith("{") else from_yaml)(inner, 2)
        begins = closing.end()
        if found.value is not None:
            front = found
        if not isinstance(front.value, dict):
            raise Misread("the front matter is not a map of keys to values", 2)
    return front, _lines(text[begins:], text.count("\n", 0, begins) + 1)


def _lines(text: str, first: int) -> list[Line]:
    """Return the lines of a text of which the first has that number; a block of code is closed."""
    lines: list[Line] = []
    begun, fence = 0, ""
    for number, line in enumerate(text.split("\n"), first):
        before, fence = fence, fence_after(line, fence)
        begun = begun if before else number
        lines.append(Line(number, line, bool(before or fence)))
    if fence:
        raise Misread(f"the block of code that begins here is not closed by {fence}", begun)
    return lines


def phase_in(title: str) -> tuple[PhaseId | None, str] | None:
    """Return the id and the name that a heading gives a phase; None if it begins no phase."""
    found = PHASE.fullmatch(title)
    if found is None:
        return None
    if found["unnumbered"] is not None:
        return None, found["unnumbered"].strip()
    name = found["name"] or found["rest"] or ""
    return as_id(found["id"] or found["number"]), name.strip()


def misread_phase(title: str) -> bool:
    """Whether a heading looks like a phase's and begins none: its id is more than one word."""
    return phase_in(title) is None and SEVERAL.match(title) is not None


def as_id(text: str) -> PhaseId:
    """Return an id as Markdown writes it: digits are a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST else text


def criterion(line: int, text: str) -> Located:
    """Read a criterion of Markdown: `words (test: tests/test_a.py)`; without that it is manual."""
    said = {"criterion": " ".join(text.split())}
    found = WAY.fullmatch(said["criterion"])
    if found and found[1].strip():
        said = {"criterion": found[1].strip(), "verify_by": found[2], "target": found[3] or ""}
    return node(said, line)


def joined(lines: Iterable[Line]) -> str:
    """Return lines as one text, without blank ones around it."""
    return "\n".join(line.text for line in lines).strip("\n")
