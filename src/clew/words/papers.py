"""What Clew itself writes among a project's files: reports, debug sessions, the knowledge base.

None of it is anybody's edit. Paths are POSIX and relative to the project's root.
"""

from __future__ import annotations

import re

__all__ = ["DEBUG_SESSIONS", "KNOWLEDGE_BASE", "PATTERNS", "is_paper", "without_papers"]

KNOWLEDGE_BASE = "debug/knowledge-base.md"
DEBUG_SESSIONS = "debug/sessions"  # their documents; below it lie those that are resolved
PATTERNS = (
    "/debug/*/[0-9][0-9][0-9]*_*.md",
    f"/{KNOWLEDGE_BASE}",
    f"/{DEBUG_SESSIONS}/*.md",
    f"/{DEBUG_SESSIONS}/resolved/*.md",
)
"""The same as git's exclude files spell it."""
_WRITTEN = re.compile(
    rf"debug/[^/]+/[0-9]{{3,}}_[^/]*\.md|{DEBUG_SESSIONS}/(?:resolved/)?[^/]+\.md"
)


def is_paper(path: str) -> bool:
    """Whether a file is one that Clew writes."""
    return path == KNOWLEDGE_BASE or _WRITTEN.fullmatch(path) is not None


def without_papers(diff: str) -> str:
    """Return a difference, as git writes it, without those files."""
    files = re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE)
    return "".join(each for each in files if not is_paper(_path(each)))


def _path(diff: str) -> str:
    header = diff.partition("\n")[0]
    return header.removeprefix("diff --git a/").partition(" b/")[0]
