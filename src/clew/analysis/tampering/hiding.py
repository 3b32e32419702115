"""What runs or is read with a fix, and does not show in its diff.

A diff shows lines of text. It does not show what a link leads to, the bytes of a program, what an
encoding makes of a line, a character that no screen draws, or what stands far to the right.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from clew.words.encodings import as_run
from clew.words.printable import unseen

__all__ = ["hidden", "leads_out"]

NOT_ASCII = re.compile(rb"[\x80-\xff]")
LONG = 1_000  # characters of a line that nobody reads to its end
GAP = re.compile(r"\S[ \t]{80,}\S")  # what follows stands outside of the window
DRAWN = re.compile(r"(?<=[^\x00-\x7f])[\u200d\ufe0e\ufe0f]")  # they belong to the sign before them
QUOTED = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")  # a diff writes these of a name as numbers
SHOWN = 3


def hidden(path: str, before: bytes | None, after: bytes) -> tuple[str, ...]:
    """Say what a diff does not show of a new name, and of new lines, each with its number."""
    odd = _characters(QUOTED.sub("", path)) if before is None else ""
    said = [f"its name {odd}"] if odd else []
    if b"\0" in after:
        return (*said, "it is no text")
    return (*said, *_lines(path, before or b"", after))


def leads_out(path: str, target: str) -> tuple[str, ...]:
    """Say where a link leads, if that is not within the project."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    inside = not place.startswith(("/", "../")) and place != ".."
    return () if inside else (f"it is a link to {target}, outside of the project",)


def _lines(path: str, before: bytes, after: bytes) -> Iterator[str]:
    known = frozenset(before.split(b"\n"))
    lines, run = after.split(b"\n"), as_run(path, after).split("\n")
    if len(lines) != len(run):
        yield "its encoding makes other lines of it than its bytes show"
        return
    for number, (line, text) in enumerate(zip(lines, run, strict=True), 1):
        if line not in known and (why := _line(line, text)):
            yield f"line {number} {why}"


def _line(line: bytes, text: str) -> str:
    if NOT_ASCII.sub(b"", line) != text.encode("ascii", "ignore"):
        return "is another text than its bytes show"
    if "\N{REPLACEMENT CHARACTER}" in text and b"\xef\xbf\xbd" not in line:
        return "is no text"
    if odd := _characters(text.removesuffix("\r")):
        return odd
    if GAP.search(text):
        return "goes on behind a long gap"
    return f"has {len(text):,} characters" if len(text) > LONG else ""


def _characters(text: str) -> str:
    """Name the characters that cannot be seen."""
    found = dict.fromkeys(each for each in DRAWN.sub("", text) if each != "\t" and unseen(each))
    named = ", ".join(f"U+{ord(each):04X}" for each in list(found)[:SHOWN])
    return f"has what cannot be seen: {named}" if named else ""
