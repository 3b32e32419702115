"""Tests that stand in the code that they test, as Rust has them: what of a file steers."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["inline_tests", "is_inline", "moved_inline"]

# A comment, a string of either kind, a character: what is in them opens and closes nothing.
TOKEN = re.compile(
    r"""
      //[^\n]* | /\*.*?\*/
    | r(?P<hashes>\#*)".*?"(?P=hashes) | "(?:\\.|[^"\\])*"
    | '(?:\\.[^']*|[^'\\])'
    | (?P<mark>[{};])
    """,
    re.VERBOSE | re.DOTALL,
)
MARK = re.compile(r"#!?\[\s*(?:cfg\s*\([^\]]*\btest\b[^\]]*\)|(?:\w+::)*test\b[^\]]*)\s*\]")
ASKS = re.compile(r"\bcfg!?\s*\([^\n]*\btest\b[^\n]*")
DOC = re.compile(r"\s*//[/!] ?(.*)")


def inline_tests(text: str) -> object:
    """Return what of a file of Rust is a test, or asks whether it is compiled for one.

    That is each item marked as test, each doc test, and each condition that names tests.
    """
    items = tuple(" ".join(text[start:end].split()) for start, end in _items(text))
    return items, tuple(_doc_tests(text)), tuple(ASKS.findall(text))


def is_inline(path: str, text: str, line: int) -> bool:
    """Tell whether a line belongs to a test that stands in the code that it tests."""
    return path.endswith(".rs") and moved_inline(text, line, text) is not None


def moved_inline(before: str, line: int, after: str) -> int | None:
    """Return where a line of such a test stands in another text; None if the test is not there."""
    for start, end in _items(before):
        first = before.count("\n", 0, start) + 1
        place = after.find(before[start:end])
        if first <= line <= first + before.count("\n", start, end) and place >= 0:
            return after.count("\n", 0, place) + 1 + line - first
    return None


def _items(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each item begins that is marked as test, and where it ends."""
    end = 0
    for found in MARK.finditer(text):
        if found.start() >= end:
            end = _end(text, found.end())
            yield found.start(), end


def _end(text: str, start: int) -> int:
    """Return where the item that begins there ends: behind its last brace, or a semicolon."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        mark = token["mark"]
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth <= 0 and mark is not None:
            return token.end()
    return len(text)


def _doc_tests(text: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines():
        found = DOC.match(line)
        if found is None:
            fenced = False
        elif found[1].lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            yield found[1].strip()
        elif fenced:
            yield found[1].strip()
