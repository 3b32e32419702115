"""A session document, new or brought up to date."""

from __future__ import annotations

from clew.documents import own_log
from clew.documents.markdown import sections
from clew.documents.phases.emitting import emit_session
from clew.documents.phases.front import front_of
from clew.documents.phases.log import PHASE, log_of
from clew.documents.phases.reading import parts_of, read
from clew.documents.templating import fill
from clew.documents.weaving import changed
from clew.words.phases import PhaseRecord, SessionRecord
from clew.words.plans import shown

__all__ = ["render", "save"]


def render(session: SessionRecord) -> bytes:
    """Return a whole new document."""
    title = fill("clew.documents", "phases", task=front_of(session)["task"] or session.session_id)
    log = own_log.marked(log_of(session.phases))
    return f"---\n{emit_session(session)}---\n\n{title}\n{log}\n".encode()


def save(content: bytes, session: SessionRecord) -> bytes:
    """Return a document brought up to date; one that says all of it already is not touched.

    Of the front matter only the values that changed are other ones: unknown keys, comments, order
    and spelling stay, and so does the body around our own log. Line ends stay what they were.
    Raises DocumentUnreadable.
    """
    parts, before = parts_of(content), read(content)
    front, body = parts.front, parts.body
    if (was := front_of(before)) != (now := front_of(session)):
        front = changed(front, was, now)
    log = _log(session, body)
    if log != _log(before, body):
        body = own_log.replaced(body, log, end="\r\n" if parts.opening.endswith("\r\n") else "\n")
    return f"{parts.opening}{front}{parts.closing}{body}".encode()


def _log(session: SessionRecord, body: str) -> str:
    """Return our log: what other tools told of a phase before stays theirs to tell."""
    theirs = _told(own_log.without(body))
    return log_of(p for p in session.phases if _ours(p) or shown(p.id) not in theirs)


def _ours(phase: PhaseRecord) -> bool:
    return bool(phase.outputs or phase.validation)


def _told(body: str) -> frozenset[str]:
    """Return the phases that have a section in a body."""
    found = (PHASE.match(part.title) for part in sections(body))
    return frozenset(each["id"] for each in found if each)
