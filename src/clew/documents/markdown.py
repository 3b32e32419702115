"""Pieces of Markdown that no content can break out of."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from clew.words.printable import joined_lines, printable
from clew.words.redaction import redacted

__all__ = [
    "Section",
    "cell",
    "code",
    "fence",
    "fence_after",
    "item",
    "prose",
    "sections",
    "unclosed",
    "unfenced",
]

RUNS = re.compile(r"`+")
SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
# What opens or closes no span: backticks that were escaped, with those that follow, or have no end.
APART = re.compile(r"\\`+|\\.|`+")
TAG = re.compile(r"<(?=[A-Za-z/!?])")
OPENS_BLOCK = re.compile(
    r"^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|```|~~~|={2,}\s*$|(?:[-*_][ ]*){2,}$|\|)"
)
NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")


def _shown(text: str) -> str:
    """Return text from outside as documents show it: nothing unseen, and nothing secret."""
    return redacted(printable(text), frozenset())


def fence(text: str, language: str = "") -> str:
    """Return the text as a fenced block that no run of backticks within can close."""
    text = _shown(text).strip("\n")
    longest = max((len(run) for run in RUNS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def code(text: str) -> str:
    """Return the text as a code span on one line; blanks within a line say something."""
    text = joined_lines(_shown(text))
    if not text:
        return ""
    longest = max((len(run) for run in RUNS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def item(text: str) -> str:
    """Return the text on one line that stays what it is after `- ` or in a heading."""
    text = NUMBERED.sub(r"\1\\\2", joined_lines(_shown(text)))
    return _inert(f"\\{text}" if OPENS_BLOCK.match(text) else text)


def cell(text: str) -> str:
    """Return the text as a cell of a table."""
    return item(text).replace("|", "\\|")


def prose(text: str) -> str:
    """Return paragraphs, lists and fenced blocks as they are: no heading, tag, image or open fence.

    Nothing in it can start a section of the document around it.
    """
    lines = _shown(text).strip("\n").split("\n")
    out: list[str] = []
    fenced = ""
    for line in lines:
        at = FENCE.match(line)
        if fenced:
            out.append(line)  # as it is, and its fence at the margin: no list's end is its end
            if at and at.group(1).startswith(fenced) and not at.group(2).strip():
                out[-1] = line.lstrip()
                fenced = ""
        elif at and not ("`" in at.group(1) and "`" in at.group(2)):
            fenced = at.group(1)
            out.append(line.lstrip())
        else:
            out.append(_harmless(line))
    if fenced:
        out.append(fenced)
    return "\n".join(out)


def _harmless(line: str) -> str:
    bare = line.lstrip()
    if HEADING.match(line) or re.match(r"^(?:#{1,6}|=+|-+)\s*$", bare):
        line = f"{line[: len(line) - len(bare)]}\\{bare}"
    return _inert(line)


def _inert(line: str) -> str:
    """Return a line in which nothing is fetched or run for its reader: no images, no tags.

    Its spans of code are left as they are, and no backtick outside of them can open another one.
    """
    out, at = [], 0
    for part in _spans(line):
        out += [_plain(line[at : part.start()]), _part(part)]
        at = part.end()
    return "".join([*out, _plain(line[at:])])


def _spans(line: str) -> Iterator[re.Match[str]]:
    """Yield spans of code, and what could be taken for their beginning."""
    at = 0
    while found := APART.search(line, at):
        span = SPAN.match(line, found.start())
        yield (found := span or found)
        at = found.end()


def _part(part: re.Match[str]) -> str:
    if part.re is SPAN:
        return part.group()
    return part.group().replace("\\`", "`").replace("`", "\\`")


def _plain(text: str) -> str:
    return TAG.sub("&lt;", text).replace("![", "!\\[")


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A heading and what stands below it, up to the next heading of any level."""

    level: int
    title: str
    body: str


def sections(text: str) -> Iterator[Section]:
    """Yield the sections of a document in order; what stands before the first has level 0."""
    level, title = 0, ""
    body: list[str] = []
    for line, fenced in _marked(text):
        heading = None if fenced else HEADING.match(line)
        if heading is None:
            body.append(line)
            continue
        yield Section(level=level, title=title, body="\n".join(body).strip("\n"))
        level, title, body = len(heading.group(1)), heading.group(2).strip(), []
    yield Section(level=level, title=title, body="\n".join(body).strip("\n"))


def unfenced(text: str) -> str:
    """Return the lines that stand outside fenced blocks."""
    return "\n".join(line for line, fenced in _marked(text) if not fenced)


def unclosed(text: str) -> str:
    """Return what would close the fenced block that the text ends in; else nothing."""
    open_with = ""
    for line in text.splitlines():
        open_with = fence_after(line, open_with)
    return open_with


def _marked(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it belongs to a fenced block."""
    open_with = ""
    for line in text.splitlines():
        before, open_with = open_with, fence_after(line, open_with)
        yield line, bool(before or open_with)


def fence_after(line: str, open_with: str) -> str:
    """Return the fence that is open after a line, given the one before it."""
    at = FENCE.match(line)
    if not at:
        return open_with
    if open_with:
        closes = at.group(1).startswith(open_with) and not at.group(2).strip()
        return "" if closes else open_with
    return "" if "`" in at.group(1) and "`" in at.group(2) else at.group(1)
