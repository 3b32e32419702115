"""A document read, and brought up to date: parts that did not change keep their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.documents.debug_sessions.front import front_of, keys_read
from clew.documents.debug_sessions.parts import BY_TITLE, PARTS, DocumentPart
from clew.documents.front_matter import DocumentUnreadable, dump, split, values
from clew.documents.markdown import fence_after
from clew.documents.weaving import changed
from clew.words.debug_sessions import DebugDocument

__all__ = ["read", "render", "save"]

LARGEST = 4 << 20  # bytes of a document
HEADING = "## "


def read(content: bytes) -> DebugDocument:
    """Read a document of any writer. Raises DocumentUnreadable."""
    parts = split(_text(content))
    told: dict[str, Any] = {}
    for title, lines in _sections(parts.body):
        part = BY_TITLE.get(title)
        if part is not None and part.name not in told:
            told[part.name] = part.read(_said(lines))
    return DebugDocument(**keys_read(values(parts.front)), **told)


def render(document: DebugDocument) -> bytes:
    """Return a new document."""
    body = "\n".join(line for part in PARTS for line in _new(part, document))
    return f"---\n{dump(front_of(document))}---\n\n{body}".encode()


def save(content: bytes, document: DebugDocument) -> bytes:
    """Return a document brought up to date. Raises DocumentUnreadable."""
    text = _text(content)
    parts, before = split(text), read(content)
    front = changed(parts.front, front_of(before), front_of(document))
    left = {part.title.lower(): part for part in PARTS}
    lines: list[str] = []
    for title, own in _sections(parts.body):
        part = left.pop(title, None)
        lines += own if part is None else _updated(part, own, before, document)
    for part in left.values():
        if getattr(document, part.name) != getattr(before, part.name):
            lines += ["", *_new(part, document)]
    return "".join([parts.opening, front, parts.closing, "\n".join(lines)]).encode()


def _text(content: bytes) -> str:
    if len(content) > LARGEST:
        raise DocumentUnreadable(
            f"the document has more than {LARGEST >> 20} MB",
            hint="Move it aside; Clew rewrites it from the session's journal.",
        )
    return content.decode("utf-8", "surrogateescape")


def _sections(body: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each part with its heading's line; what stands before the first has no title."""
    title, lines, fenced = "", list[str](), ""
    for line in body.split("\n"):
        was, fenced = fenced, fence_after(line, fenced)
        if line.startswith(HEADING) and not was:
            yield title, lines
            title, lines = line[len(HEADING) :].strip().lower(), []
        lines.append(line)
    yield title, lines


def _said(lines: list[str]) -> list[str]:
    """Return what a part says, without its heading, its comments and its line ends."""
    return [line.rstrip("\r") for line in lines[1:] if not line.startswith("<!--")]


def _new(part: DocumentPart, document: DebugDocument) -> list[str]:
    told = part.write(getattr(document, part.name))
    return [f"{HEADING}{part.title}", "", f"<!-- {part.rule} -->", *told, ""]


def _updated(
    part: DocumentPart, own: list[str], before: DebugDocument, document: DebugDocument
) -> list[str]:
    was, now = getattr(before, part.name), getattr(document, part.name)
    if was == now:
        return own
    kept = _trimmed(own)
    if part.grows and now[: len(was)] == was:
        return [*kept, *part.write(now[len(was) :]), ""]
    head = [kept[0], *(line for line in kept[1:] if line.startswith("<!--") or not line.strip())]
    return [*_trimmed(head), *part.write(now), ""]


def _trimmed(lines: list[str]) -> list[str]:
    """Return lines without the empty ones at their end."""
    while len(lines) > 1 and not lines[-1].strip():
        lines = lines[:-1]
    return lines
