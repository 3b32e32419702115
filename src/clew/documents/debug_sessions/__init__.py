"""The document of a debug session: `clew.words.debug_sessions.DebugDocument` as Markdown, and back.

    render(document) → bytes            a document that is new
    read(content)    → DebugDocument    of any writer; parts that are unknown are passed over
    save(content, document) → bytes     the same document brought up to date: what did not change
                                        keeps its bytes, and so does every part that is unknown
    summary(document, path) → str       what a person gets at the end

fields     `name: value` lines, and lists of them
parts      each known part, as fields and back
front      the front matter
saving     a document read, and brought up to date
summary    the compact summary

Nothing here touches a disk. Raises DocumentUnreadable for a document that is broken.
"""

from clew.documents.debug_sessions.saving import read, render, save
from clew.documents.debug_sessions.summary import summary
from clew.documents.front_matter import DocumentUnreadable

__all__ = ["DocumentUnreadable", "read", "render", "save", "summary"]
