"""The design beside a plan, as a document for people."""

from __future__ import annotations

from datetime import datetime

from clew.documents import front_matter
from clew.documents.templating import fill, stamp
from clew.words.plans import DRAFT, Design

__all__ = ["design_text"]


def design_text(title: str, design: Design, author: str, at: datetime) -> str:
    """Return a design as a document: a draft of `author`'s."""
    fields = {"title": title, "created": stamp(at), "status": DRAFT, "authors": [author]}
    body = fill("clew.documents", "design", title=title, design=design)
    return f"---\n{front_matter.dump(fields)}---\n\n{body}"
