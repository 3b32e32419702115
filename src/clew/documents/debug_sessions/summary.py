"""The compact summary that a debug session ends with, in the headings of its source."""

from __future__ import annotations

from clew.documents.debug_sessions.fields import tidy
from clew.words.debug_sessions import DebugDocument, DebugStatus
from clew.words.printable import shortened

__all__ = ["summary"]

SENTENCE = 600  # characters: all of it stays below 2,000 tokens


def summary(document: DebugDocument, path: str, slug: str) -> str:
    """Return the summary; `path` is where the document lies now."""
    resolution = document.resolution
    abandoned = document.status is DebugStatus.ABANDONED
    cycles = f"{document.cycles} (investigation) + {document.fixes} (fix)"
    rows = [
        ("Session", path),
        ("Root Cause", _sentence(resolution.root_cause) or "not determined"),
        ("Fix", (not abandoned and _sentence(resolution.fix)) or "not applied"),
        ("Cycles", str(document.cycles) if abandoned else cycles),
        ("TDD", "yes" if document.tdd else "no"),
        ("Specialist review", document.review[-1].partition(":")[0] if document.review else "none"),
    ]
    if abandoned:
        rows.append(("Status", f"ABANDONED — session saved for `clew debug continue {slug}`"))
    lines = [f"**{name}:** {text}" for name, text in rows]
    return "\n".join(["## DEBUG SESSION COMPLETE", "", *lines, ""])


def _sentence(text: str) -> str:
    """Return the first paragraph on one line."""
    return shortened(tidy(text).partition("\n\n")[0], SENTENCE)
