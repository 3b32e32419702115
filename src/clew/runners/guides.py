"""The test command that a project's notes for agents name (CLAUDE.md, AGENTS.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["NAMES", "commands_in"]

NAMES = ("CLAUDE.md", "AGENTS.md")
HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*")
TESTING = re.compile(r"\b(?:tests?|testing)\b", re.IGNORECASE)
FENCE = re.compile(r"\s*(```+|~~~+)(.*)")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PROMPT = re.compile(r"[$%>]\s+")
COMMENT = re.compile(r"(?:^|\s)#.*")


def commands_in(markdown: str) -> Iterator[str]:
    """Yield what stands as code in sections headed Test, Tests, Testing …: blocks, then inline."""
    prose: list[str] = []
    for line, in_block in _testing(markdown):
        if in_block:
            yield from filter(None, [_bare(line)])
        else:
            prose.append(line)
    for line in prose:
        yield from filter(None, (_bare(found[1]) for found in INLINE.finditer(line)))


def _testing(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of those sections, and whether each stands in a block of code."""
    fence = ""
    depth = 0  # of the heading we are under; 0 is none of ours
    for line in markdown.splitlines():
        if found := FENCE.match(line):
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence):
                fence = ""
        elif not fence and (found := HEADING.fullmatch(line)):
            level = len(found[1])
            if not depth or level <= depth:
                depth = level if TESTING.search(found[2]) else 0
        elif depth:
            yield line, bool(fence)


def _bare(line: str) -> str:
    return COMMENT.sub("", PROMPT.sub("", line.strip(), count=1)).strip()
