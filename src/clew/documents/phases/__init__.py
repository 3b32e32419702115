"""The document of a plan's session: `clew.words.phases.SessionRecord` as Markdown, and back.

    render(session) → bytes             a document that is new
    read(content)   → SessionRecord     of any writer: YAML or JSON, CRLF, unknown keys
    save(content, session) → bytes      the same document brought up to date: what did not change
                                        keeps its bytes, keys and words of others stay
    status_text(session), summary_text(session)       what a person asks for, and gets at the end

front      the front matter: its keys and values, checked
emitting   YAML as the tools write it that share the format
reading    a document taken apart
saving     a document brought up to date
log        the log for people, a section a phase
status     the views of a session as text

Nothing here touches a disk. Raises DocumentUnreadable for a document that is broken.
"""

from clew.documents.front_matter import DocumentUnreadable
from clew.documents.phases.reading import read
from clew.documents.phases.saving import render, save
from clew.documents.phases.status import deviations, status_text, summary_text

__all__ = [
    "DocumentUnreadable",
    "deviations",
    "read",
    "render",
    "save",
    "status_text",
    "summary_text",
]
