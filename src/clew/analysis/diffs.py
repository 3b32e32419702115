"""A unified diff in git's words, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["HUNK", "added", "parts"]

HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
FILE_PART = re.compile(r"^diff --git ", re.MULTILINE)
NAMED_FILE = re.compile(r'^\+\+\+ "?b/(.*?)"?\t?$', re.MULTILINE)


def parts(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each file that is there afterwards, and its part of the diff."""
    for part in FILE_PART.split(diff)[1:]:
        named = NAMED_FILE.search(part.partition("\n@@")[0])
        if named:
            yield named[1], part


def added(part: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that one file's part adds, each with its number in the new file."""
    for hunk in re.split(r"^(?=@@ )", part, flags=re.MULTILINE)[1:]:
        head = HUNK.match(hunk)
        number = int(head[1]) if head else 1
        for line in hunk.split("\n")[1:]:
            if line.startswith("+"):
                yield number, line[1:]
            number += line.startswith(("+", " "))
