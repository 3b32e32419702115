"""Debug sessions: begun from a symptom, listed by their documents, gone on with, closed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from clew.documents import debug_sessions
from clew.documents.debug_sessions import DocumentUnreadable
from clew.documents.knowledge import Match, ParsedEntry, searched
from clew.flows.debugging.sessions import load_state
from clew.flows.investigation import working
from clew.flows.investigation.events import KIND
from clew.flows.investigation.kind import status_of
from clew.flows.investigation.states.answers import told
from clew.flows.investigation.working import DebugRequest
from clew.journal.streams import ListedSession
from clew.sessions import UNWATCHED, ProjectSessions, SessionStatus, Watcher, knowledge_base
from clew.sessions.plans import read_file
from clew.sessions.project_sessions import topic_of
from clew.words.debug_sessions import (
    DebugDocument,
    Eliminated,
    EvidenceEntry,
    Symptoms,
    is_slug,
)
from clew.words.errors import JournalDamaged, UsageError
from clew.words.events import IterationEnded, Status
from clew.words.facts import Fact
from clew.words.papers import DEBUG_FOLDERS, knowledge_base_of
from clew.words.records import DEBUGGING
from clew.words.settings import COMMAND_LINE, Settings

__all__ = [
    "DebugRow",
    "clean_up_debug",
    "close_debug",
    "continue_debug",
    "debug",
    "debug_after",
    "debug_document",
    "debug_sessions_of",
    "debug_summary",
    "reopen_debug",
    "search_knowledge",
    "symptoms_in",
]

SOME = 5  # errors that are named
STALE = 30  # days without a change
LARGEST = 4 << 20  # bytes of a file of symptoms
LEFT = "nobody went on with it"


class DebugRow(Fact, frozen=True, kw_only=True):
    """A debug session in a list, as its document has it; of a malformed one only the `problem`."""

    slug: str
    path: str  # of the document, relative to the project's root
    session: str = ""
    status: str = ""
    trigger: str = ""
    hypothesis: str = ""
    next_action: str = ""
    updated: str = ""  # ISO
    problem: str = ""


def symptoms_in(path: Path) -> Symptoms:
    """Read symptoms from a file: `expected:`, `actual:`, `errors:` …; other words are what is seen.

    Raises UsageError.
    """
    hint = "Name a text file: a line each for expected, actual, errors, reproduction, started."
    return told(read_file(path, "file of symptoms", LARGEST, hint=hint).decode("utf-8", "replace"))


def debug(
    sessions: ProjectSessions,
    settings: Settings,
    request: DebugRequest,
    watcher: Watcher = UNWATCHED,
) -> SessionStatus:
    """Open a debug session and work on it until it ends or a person is needed.

    Raises UsageError for a description without words.
    """
    return status_of(working.start(sessions, settings, request, watcher))


def debug_after(
    sessions: ProjectSessions, session: str, request: DebugRequest | None = None
) -> DebugRequest:
    """Return a request that starts from a debugging session which could not fix it.

    What it tried is known from the start: each fix that failed is evidence, and its cause ruled
    out. Without a description its failing tests are the symptom. Raises UsageError where it is
    another kind of session, is green, or has not seen a test fail.
    """
    state = load_state(sessions, sessions.find(session))
    name = state.session.session_id
    red = state.baseline.red if state.baseline else ()
    if not red or state.status is Status.GREEN:
        why = "is green" if red else "has seen no test fail"
        raise UsageError(
            f"session {name} {why}, so there is nothing to look into",
            hint='Describe what you see: clew debug "checkout total is off by a cent"',
        )
    tried = [entry for entry in state.history if entry.root_cause or entry.fix_attempted]
    errors = "\n".join(each.error for each in red[:SOME])
    asked = request or DebugRequest(trigger="")
    told = asked.symptoms
    return replace(
        asked,
        trigger=asked.trigger or f"{red[0].id} fails",
        symptoms=told if told.errors else replace(told, errors=errors),
        runner_args=asked.runner_args or state.session.runner_args,
        after=name,
        evidence=tuple(_tried(name, entry) for entry in tried),
        eliminated=tuple(
            Eliminated(
                hypothesis=entry.root_cause,
                evidence=f"session {name}, iteration {entry.iteration}: {entry.result}",
            )
            for entry in tried
            if entry.root_cause and not entry.progress
        ),
    )


def _tried(session: str, entry: IterationEnded) -> EvidenceEntry:
    errors = "; ".join(entry.new_errors[:SOME])
    return EvidenceEntry(
        checked=f"session {session}, iteration {entry.iteration}:"
        f" {entry.fix_attempted or 'no fix was proposed'}",
        found=f"{entry.result}{f': {errors}' if errors else ''}",
        implication=entry.note or f"that fix is not enough; thought was: {entry.root_cause}",
    )


def debug_sessions_of(sessions: ProjectSessions, *, resolved: bool = False) -> tuple[DebugRow, ...]:
    """List debug sessions by their documents, the newest change first; malformed ones as such."""
    below = ("", "/resolved") if resolved else ("",)
    folders = [f"{folder}{place}" for folder in DEBUG_FOLDERS for place in below]
    rows = [row for folder in folders for row in _rows(sessions.project.root, folder)]
    return tuple(sorted(rows, key=lambda row: row.updated, reverse=True))


def _rows(root: Path, folder: str) -> Iterator[DebugRow]:
    for path in sorted((root / folder).glob("*.md")):
        place = path.relative_to(root).as_posix()
        if not is_slug(path.stem) or place == knowledge_base_of(folder):
            continue
        try:
            document = debug_sessions.read(_content(path))
        except (DocumentUnreadable, UsageError) as error:
            yield DebugRow(slug=path.stem, path=place, problem=error.message)
            continue
        yield DebugRow(
            slug=path.stem,
            path=place,
            session=document.session,
            status=str(document.status),
            trigger=document.trigger,
            hypothesis=document.focus.hypothesis,
            next_action=document.focus.next_action,
            updated=document.updated,
        )


def _content(path: Path) -> bytes:
    return read_file(path, "debug session", LARGEST, hint="Move it away.")


def debug_document(sessions: ProjectSessions, slug: str) -> tuple[Path, DebugDocument]:
    """Return a debug session's document and its path, resolved or not.

    Raises UsageError where there is none, DocumentUnreadable for a malformed one.
    """
    name = topic_of(slug)
    for folder in (f"{folder}{below}" for folder in DEBUG_FOLDERS for below in ("", "/resolved")):
        path = sessions.project.root / folder / f"{name}.md"
        if is_slug(name) and path.is_file():
            content = _content(path)
            if _known(sessions, slug) is None:
                return path, working.read_alone(path, content)
            return path, debug_sessions.read(content)
    raise UsageError(
        f"there is no debug session {slug[:80]!r}", hint="`clew debug list` shows them."
    )


def debug_summary(sessions: ProjectSessions, slug: str) -> str:
    """Return the compact summary of a debug session: at most 2,000 tokens."""
    path, document = debug_document(sessions, slug)
    place = path.relative_to(sessions.project.root).as_posix()
    return debug_sessions.summary(document, place, path.stem)


def continue_debug(
    sessions: ProjectSessions,
    settings: Settings,
    slug: str,
    watcher: Watcher = UNWATCHED,
    *,
    context: str = "",
) -> SessionStatus:
    """Go on with a debug session, closed or diagnosed ones too; `context` is what a person knows.

    Where no journal knows it, its document is enough, and `settings` hold from here on; else they
    name other agents, if the command line does. Raises UsageError for a resolved one, SessionHeld
    where another process works on it.
    """
    listed = _known(sessions, slug)
    if listed is None:
        name = topic_of(slug)
        return status_of(working.take_over(sessions, settings, name, watcher, context))
    chosen = settings.agent if settings.sources.get("agent") == COMMAND_LINE else ()
    return status_of(working.go_on(sessions, listed.session, watcher, context, chosen))


def close_debug(
    sessions: ProjectSessions, slug: str, watcher: Watcher = UNWATCHED
) -> SessionStatus:
    """End a debug session where it is; everything is kept. Raises UsageError if it has ended.

    Where no journal knows it, its document is enough.
    """
    listed = _known(sessions, slug)
    if listed is None:
        return status_of(working.close_alone(sessions, topic_of(slug), watcher))
    return status_of(working.close(sessions, listed.session, watcher))


def reopen_debug(
    sessions: ProjectSessions, settings: Settings, slug: str, watcher: Watcher = UNWATCHED
) -> SessionStatus:
    """Go on with a debug session that was resolved. Raises UsageError for any other.

    Where no journal knows it, its document is enough.
    """
    listed = _known(sessions, slug)
    if listed is None:
        return status_of(working.reopen_alone(sessions, settings, topic_of(slug), watcher))
    return status_of(working.reopen(sessions, listed.session, watcher))


def clean_up_debug(sessions: ProjectSessions, days: int = STALE) -> tuple[SessionStatus, ...]:
    """Close the debug sessions that nobody works on and that did not change for so many days."""
    before = datetime.now(UTC) - timedelta(days=days)
    return tuple(
        status_of(working.close(sessions, each.session, UNWATCHED, LEFT))
        for each in sessions.listing()
        if each.kind == KIND
        and each.status not in working.OVER
        and each.updated < before
        and sessions.store.holder(each.session) is None
    )


def _known(sessions: ProjectSessions, slug: str) -> ListedSession | None:
    """Return the newest debug session of that slug, or of that id."""
    return next(
        (
            each
            for each in sessions.listing()
            if each.kind == KIND and slug in (each.session, topic_of(each.session))
        ),
        None,
    )


def search_knowledge(sessions: ProjectSessions, words: tuple[str, ...]) -> tuple[Match, ...]:
    """Return what was fixed before and shares a word with these, best first: candidates to test."""
    fixes = {each.session for each in sessions.listing() if each.kind == DEBUGGING}

    def undone(entry: ParsedEntry) -> bool:
        if entry.session not in fixes:
            return False
        with contextlib.suppress(JournalDamaged):
            return load_state(sessions, entry.session).head != entry.commit
        return False

    return searched(knowledge_base.entries(sessions.project.root), words, undone)
