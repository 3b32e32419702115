"""What Clew itself writes among a project's files: reports, debug sessions, the knowledge base.

None of it is anybody's edit. Paths are POSIX and relative to the project's root.
"""

from __future__ import annotations

import re

__all__ = [
    "DEBUG_FOLDERS",
    "DEBUG_SESSIONS",
    "GSD_DEBUG",
    "KNOWLEDGE_BASE",
    "PATTERNS",
    "is_paper",
    "knowledge_base_of",
    "without_papers",
]

_BASE = "knowledge-base.md"
KNOWLEDGE_BASE = f"debug/{_BASE}"
DEBUG_SESSIONS = "debug/sessions"  # their documents; below it lie those that are resolved
GSD_DEBUG = ".planning/debug"  # the same where the tool that they come from keeps them
DEBUG_FOLDERS = (DEBUG_SESSIONS, GSD_DEBUG)
PATTERNS = (
    "/debug/*/[0-9][0-9][0-9]*_*.md",
    f"/{KNOWLEDGE_BASE}",
    *(f"/{folder}/{below}*.md" for folder in DEBUG_FOLDERS for below in ("", "resolved/")),
)
"""The same as git's exclude files spell it."""
_WRITTEN = re.compile(
    rf"debug/[^/]+/[0-9]{{3,}}_[^/]*\.md"
    rf"|(?:{'|'.join(map(re.escape, DEBUG_FOLDERS))})/(?:resolved/)?[^/]+\.md"
)


def knowledge_base_of(folder: str) -> str:
    """Return the knowledge base that debug sessions of a folder add to."""
    return KNOWLEDGE_BASE if folder == DEBUG_SESSIONS else f"{folder}/{_BASE}"


def is_paper(path: str) -> bool:
    """Whether a file is one that Clew writes."""
    return path == KNOWLEDGE_BASE or _WRITTEN.fullmatch(path) is not None


def without_papers(diff: str) -> str:
    """Return a difference, as git writes it, without those files."""
    files = re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE)
    return "".join(each for each in files if not is_paper(_path(each)))


def _path(diff: str) -> str:
    names = diff.partition("\n")[0].removeprefix("diff --git a/")
    return names[: (len(names) - len(" b/")) // 2]  # both are the same: a rename is two changes
