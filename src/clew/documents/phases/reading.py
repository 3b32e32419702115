"""A session document taken apart."""

from __future__ import annotations

from clew.documents import own_log
from clew.documents.front_matter import DocumentUnreadable, Parts, split, values
from clew.documents.phases.front import record_of
from clew.documents.phases.log import said_in
from clew.words.phases import SessionRecord

__all__ = ["parts_of", "read"]


def read(content: bytes) -> SessionRecord:
    """Read a session document of any writer. Raises DocumentUnreadable, saying where."""
    parts = parts_of(content)
    session = record_of(values(parts.front))
    return said_in(own_log.found(parts.body.replace("\r\n", "\n")) or "", session)


def parts_of(content: bytes) -> Parts:
    """Take a document apart; its line ends stay."""
    try:
        return split(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DocumentUnreadable(
            f"the document is not UTF-8: line {line} has byte {content[error.start]:#04x}",
            hint="Save it as UTF-8, or move it aside.",
        ) from error
