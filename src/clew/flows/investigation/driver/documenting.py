"""The document on the disk: written whole, parts of others kept, edits of a person never lost."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path, PurePosixPath

from clew.documents import debug_sessions
from clew.documents.debug_sessions import DocumentUnreadable
from clew.flows.investigation.events import DocumentEdited
from clew.flows.investigation.states import DebugState, fold
from clew.flows.investigation.viewing import document_of
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.sandbox.files import write_atomically
from clew.sessions.run import SessionRun
from clew.words.debug_sessions import DebugDocument, broken_rules
from clew.words.facts import Tick
from clew.words.papers import DEBUG_FOLDERS

__all__ = ["document_in", "noticed", "path_of", "resolved_of", "write_document"]

RESOLVED = "resolved"


def resolved_of(document: str) -> str:
    """Return where a document lies once its session is resolved."""
    path = PurePosixPath(document)
    return str(path.parent / RESOLVED / path.name)


def document_in(root: Path, slug: str) -> str:
    """Return the document of that name, in whichever folder they are kept; empty where none is."""
    paths = (f"{folder}/{slug}.md" for folder in DEBUG_FOLDERS)
    return next((path for path in paths if _lies(root, path)), "")


def _lies(root: Path, path: str) -> bool:
    return any((root / place).is_file() for place in (path, resolved_of(path)))


def path_of(run: SessionRun[DebugState]) -> Path:
    """Return where the document lies now."""
    state = run.state
    return run.project.root / (state.filed.path if state.filed else state.session.document)


def write_document(run: SessionRun[DebugState]) -> None:
    """Write the document as the session stands; one that was edited by hand is kept beside it."""
    if run.state.opened is None:
        return
    run.export()
    root, path = run.project.root, path_of(run)
    own_folder(root)
    refuse_links(root, path)
    with writable(path.parent):
        standing = path.read_bytes() if path.is_file() else b""
        content = _content(standing, document_of(run.state))
        if standing and _is_theirs(run, standing, content):
            _keep(run, path, standing)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
        run.written = content


def _is_theirs(run: SessionRun[DebugState], standing: bytes, content: bytes) -> bool:
    """Whether a person wrote what stands there; a write that was cut off is no person's."""
    if standing == content:
        return False
    if run.written:
        return standing != run.written
    return edited(run, standing) is not None


def _content(standing: bytes, document: DebugDocument) -> bytes:
    """Bring what stands there up to date; what cannot be read is written anew."""
    with contextlib.suppress(DocumentUnreadable):
        if standing:
            return debug_sessions.save(standing, document)
    return debug_sessions.render(document)


def edited(run: SessionRun[DebugState], standing: bytes) -> DebugDocument | None:
    """Return what a person made of the document; None where Clew wrote it itself.

    Clew may have been cut off before it wrote, so a document of any earlier moment is its own.
    """
    try:
        told = debug_sessions.read(standing)
    except DocumentUnreadable:
        return document_of(run.state)  # it is theirs, and says nothing
    if told in (document_of(run.state), run.state.taken_over):
        return None
    state = DebugState()
    for recorded in run.journal.read(run.id):
        state = fold(state, recorded)
        if told == document_of(state):
            return None
    return told


def noticed(run: SessionRun[DebugState]) -> DocumentEdited | None:
    """Return what a person made of the document since it was written last, if it can be read."""
    path = path_of(run)
    standing = path.read_bytes() if path.is_file() else b""
    if not standing or run.written or run.state.edited is not None:
        return None
    try:
        debug_sessions.read(standing)
    except DocumentUnreadable:
        return None
    theirs = edited(run, standing)
    if theirs is None:
        return None
    broken = tuple(broken_rules(document_of(run.state), theirs))
    return DocumentEdited(document=theirs, broken=broken)


def _keep(run: SessionRun[DebugState], path: Path, standing: bytes) -> None:
    """Keep what a person wrote beside the document, and say so."""
    others = (path.with_name(f"{path.stem}.edited-{number}.md") for number in itertools.count(2))
    names = itertools.chain((path.with_name(f"{path.stem}.edited.md"),), others)
    kept = next(name for name in names if not name.exists())
    write_atomically(kept, standing)
    text = f"{path.name} was edited by hand: that is kept as {kept.name}"
    run.watcher.tick(Tick(phase="debug", text=text))
