"""Work on debug sessions: opened, gone on with, answered, closed, reopened, taken over."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from clew import __version__, agents
from clew.agents import prompts
from clew.analysis.failures.pasted import read_traceback
from clew.analysis.failures.requests import read_requests
from clew.documents import debug_sessions
from clew.documents.debug_sessions import DocumentUnreadable
from clew.documents.debug_sessions.fields import tidy
from clew.flows.investigation.driver import FLOW, InvestigationRun, drive
from clew.flows.investigation.driver.documenting import document_in, noticed, resolved_of
from clew.flows.investigation.driver.reproducing import check_commands
from clew.flows.investigation.events import (
    CODEC,
    KIND,
    AgentsChosen,
    DebugAsked,
    DebugOpened,
    DocumentTakenOver,
    Topic,
)
from clew.flows.investigation.states import DebugState, fold
from clew.flows.investigation.states.answers import FOR_A_PERSON
from clew.sandbox import confinement
from clew.sessions import ProjectSessions, Watcher
from clew.sessions.answers import (
    CONFIRMED,
    chosen,
    is_bare_number,
    is_of_another,
    no_answer,
    plain,
    yes_or_no,
)
from clew.sessions.plans import read_file
from clew.sessions.project_sessions import topic_of
from clew.sessions.run import stop_children
from clew.words.debug_sessions import (
    Aim,
    DebugDocument,
    DebugStatus,
    Eliminated,
    EvidenceEntry,
    Symptoms,
    is_slug,
    slug_of,
)
from clew.words.errors import SessionHeld, UsageError
from clew.words.layouts import LAYOUTS
from clew.words.printable import printable
from clew.words.records import Answered, Concluded, WentBack
from clew.words.redaction import redacted, redacted_paste, with_texts
from clew.words.settings import COMMAND_LINE, Settings
from clew.words.slugs import names_after

__all__ = [
    "OVER",
    "DebugRequest",
    "answer",
    "close",
    "close_alone",
    "go_on",
    "load_debug",
    "read_alone",
    "reopen",
    "reopen_alone",
    "start",
    "take_over",
]

CLOSED = "a person closed it"
OVER = frozenset({DebugStatus.RESOLVED, DebugStatus.DIAGNOSED, DebugStatus.ABANDONED})
GONE = frozenset({"fixed", "gone", "resolved", "works", "y", "yes"})  # for "confirmed"
IN_OWN_WORDS = frozenset({Topic.CHECKPOINT, Topic.SYMPTOMS})  # may be answered by yes or no
LARGEST = 4 << 20  # bytes of a document


class DebugRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants looked into."""

    trigger: str
    aim: Aim = Aim.FIX
    tdd: bool = False
    symptoms: Symptoms = Symptoms()
    runner_args: tuple[str, ...] = ()
    after: str = ""  # the session that could not fix it, and what it found out and ruled out
    evidence: tuple[EvidenceEntry, ...] = ()
    eliminated: tuple[Eliminated, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether there is more to go by than the description."""
        pasted = read_traceback(self.trigger) or read_requests(self.trigger)
        return self.symptoms != Symptoms() or bool(pasted)


def start(
    sessions: ProjectSessions, settings: Settings, request: DebugRequest, watcher: Watcher
) -> DebugState:
    """Open a debug session and work on it until it ends or a person is needed.

    Raises UsageError for a command of the symptoms that cannot be run.
    """
    trigger = redacted_paste(printable(request.trigger)).strip()
    first = slug_of(trigger)
    _check(sessions, settings)
    check_commands(sessions.project, request.symptoms)
    for slug in names_after(first):
        if not _is_free(sessions, slug):
            continue
        opening = DebugOpened(
            session_id=f"{datetime.now(UTC):%Y-%m-%d}-{slug}",
            goal=trigger,
            kind=KIND,
            clew_version=__version__,
            root=str(sessions.project.root),
            path=str(sessions.project.path),
            settings=settings,
            slug=slug,
            trigger=trigger,
            aim=request.aim,
            tdd=request.tdd,
            symptoms=_tidied(request.symptoms),
            is_told=request.is_told,
            document=f"{LAYOUTS[settings.layout].debug}/{slug}.md",
            runner_args=request.runner_args,
            after=request.after,
            evidence=tuple(with_texts(each, tidy) for each in request.evidence),
            eliminated=tuple(with_texts(each, tidy) for each in request.eliminated),
        )
        with contextlib.suppress(SessionHeld), _opened(sessions, opening, watcher) as run:
            return drive(run)
    raise UsageError(f"{sessions.project.root} has too many debug sessions of that name")


def take_over(
    sessions: ProjectSessions, settings: Settings, slug: str, watcher: Watcher, text: str
) -> DebugState:
    """Go on from a document that no journal knows. Raises UsageError, and DocumentUnreadable."""
    path = document_in(sessions.project.root, slug) if is_slug(slug) else ""
    document = _read(sessions, slug, path)
    if document.status is DebugStatus.RESOLVED:
        raise _resolved(slug)
    taken = DocumentTakenOver(document=document, text=text)
    with _taken_over(sessions, settings, slug, watcher, taken) as run:
        return drive(run)


def reopen_alone(
    sessions: ProjectSessions, settings: Settings, slug: str, watcher: Watcher
) -> DebugState:
    """Go on from the document of a resolved session that no journal knows.

    Raises UsageError, and DocumentUnreadable.
    """
    root = sessions.project.root
    path = document_in(root, slug) if is_slug(slug) else ""
    filed = resolved_of(path) if path else ""
    place = filed if (root / filed).is_file() else path
    document = _read(sessions, slug, place)
    if document.status is not DebugStatus.RESOLVED:
        raise _open(slug, document.status)
    if place == filed:
        (root / filed).replace(root / path)
    taken = DocumentTakenOver(document=document)
    with _taken_over(sessions, settings, slug, watcher, taken) as run:
        return drive(run)


def close_alone(sessions: ProjectSessions, slug: str, watcher: Watcher) -> DebugState:
    """Close a session that only its document knows. Raises UsageError, and DocumentUnreadable."""
    path = document_in(sessions.project.root, slug) if is_slug(slug) else ""
    document = _read(sessions, slug, path)
    if document.status in OVER:
        raise _over(slug, document.status)
    taken = DocumentTakenOver(document=document)
    with _taken_over(sessions, Settings(), slug, watcher, taken) as run:
        run.record(Concluded(status=DebugStatus.ABANDONED, reason=CLOSED))
        return drive(run)


def _over(slug: str, status: DebugStatus) -> UsageError:
    again = "reopen" if status is DebugStatus.RESOLVED else "continue"
    return UsageError(
        f"debug session {slug} is {status}, so there is nothing to close",
        hint=f"`clew debug {again} {slug}` continues it.",
    )


@contextlib.contextmanager
def _taken_over(
    sessions: ProjectSessions,
    settings: Settings,
    slug: str,
    watcher: Watcher,
    taken: DocumentTakenOver,
) -> Iterator[InvestigationRun]:
    """Open a session that begins where a document stands."""
    document = taken.document
    settings = _bounded(settings, document)
    opening = DebugOpened(
        session_id=f"{datetime.now(UTC):%Y-%m-%d}-{slug}",
        goal=document.trigger,
        kind=KIND,
        clew_version=__version__,
        root=str(sessions.project.root),
        path=str(sessions.project.path),
        settings=settings,
        slug=slug,
        trigger=document.trigger,
        aim=document.goal,
        tdd=document.tdd,
        is_told=True,
        document=document_in(sessions.project.root, slug),
        continues=True,
    )
    _check(sessions, settings)
    with _opened(sessions, opening, watcher) as run:
        run.record(taken)
        yield run


def _bounded(settings: Settings, document: DebugDocument) -> Settings:
    """Return settings with the document's bounds, but for those that the command line names."""
    asked = {n for n, source in settings.sources.items() if source == COMMAND_LINE}
    told = msgspec.structs.asdict(document.bounds)
    kept = {n: value for n, value in told.items() if value is not None and n not in asked}
    return msgspec.structs.replace(settings, **kept)


def _read(sessions: ProjectSessions, slug: str, document: str) -> DebugDocument:
    path = sessions.project.root / document
    if not document:
        raise UsageError(
            f"there is no debug session {slug!r}", hint="`clew debug list` shows them."
        )
    if not path.is_file():
        raise _resolved(slug)
    lacking = f"there is no {path}"
    hint = "`clew debug list` shows what can be gone on with."
    content = read_file(path, "debug session", LARGEST, hint=hint, lacking=lacking)
    return read_alone(path, content)


def read_alone(path: Path, content: bytes) -> DebugDocument:
    """Read a document that no journal knows. Raises DocumentUnreadable: nobody writes it anew."""
    try:
        return debug_sessions.read(content)
    except DocumentUnreadable as error:
        raise DocumentUnreadable(
            f"{path}: {error.message}",
            hint="No journal here knows this session: correct that place, or describe the symptom"
            ' anew: clew debug "what you see"',
        ) from error


def _check(sessions: ProjectSessions, settings: Settings) -> None:
    """Raise UsageError for what no debug session could be carried out with."""
    confinement.detect()
    known = [str(topic) for topic in Topic if topic not in FOR_A_PERSON]
    if unknown := sorted(settings.debug_answers.keys() - known):
        raise UsageError(
            f"the setting debug_answers has {', '.join(unknown)}, which nothing answers beforehand",
            hint=f"It may have: {', '.join(known)}.",
        )
    agents.check(settings, sessions.project)
    prompts.check(settings.prompts)
    sessions.repository.check_index()


def _is_free(sessions: ProjectSessions, slug: str) -> bool:
    """Whether no debug session has that name, in the journal or on the disk."""
    on_disk = document_in(sessions.project.root, slug)
    return not on_disk and slug not in {topic_of(each.session) for each in sessions.listing()}


@contextlib.contextmanager
def _opened(
    sessions: ProjectSessions, opening: DebugOpened, watcher: Watcher
) -> Iterator[InvestigationRun]:
    with sessions.store.hold(opening.session_id):
        run = InvestigationRun(sessions=sessions, id=opening.session_id, flow=FLOW, watcher=watcher)
        run.record(opening)
        yield run


def _tidied(symptoms: Symptoms) -> Symptoms:
    told = msgspec.structs.asdict(symptoms)
    commands = {"reproduction": redacted(tidy(symptoms.reproduction))}
    return Symptoms(**{n: redacted_paste(tidy(text)) for n, text in told.items()} | commands)


def load_debug(sessions: ProjectSessions, session: str) -> DebugState:
    """Read a debug session's state. Raises JournalDamaged, and UsageError for another kind."""
    kind = sessions.listed(session).kind
    if kind != KIND:
        raise UsageError(
            f"session {session} is a {kind}, and this command is for debug sessions",
            hint=f"`clew status {session}` shows it.",
        )
    state = DebugState()
    for recorded in sessions.journal(CODEC).read(session):
        state = fold(state, recorded)
    return state


def go_on(
    sessions: ProjectSessions,
    session: str,
    watcher: Watcher,
    text: str = "",
    ladder: tuple[str, ...] = (),
) -> DebugState:
    """Go on with a session, closed or diagnosed ones too; for one that waits it may go on.

    With a `ladder` other agents work on it from here on. Raises UsageError for a resolved one.
    """
    with _at_work(sessions, session, watcher) as run:
        state = run.state
        if state.ended and state.status is DebugStatus.RESOLVED:
            raise _resolved(state.session.slug)
        if text and not state.ended and state.question is None:
            raise UsageError(
                f"debug session {state.session.slug} asks nothing",
                hint=f"`clew debug continue {state.session.slug}` continues it.",
            )
        if state.ended:
            run.record(WentBack(checkpoint=str(state.status), text=_words(text)))
        if ladder:
            run.record(AgentsChosen(agents=ladder))
        if state.question is not None and (said := _going_on(state.question, text)):
            run.record(_answer(run.state, said, text))
        return drive(run)


def _going_on(question: DebugAsked, text: str) -> str:
    """Return the answer that says to go on; none where a person has to choose."""
    if text:
        return "words"
    offered = [option.word for option in question.options]
    return next((word for word in ("continue", "again") if word in offered), "")


def _resolved(slug: str) -> UsageError:
    return UsageError(
        f"debug session {slug} is resolved",
        hint=f"If it came back: clew debug reopen {slug}",
    )


def _open(slug: str, status: DebugStatus) -> UsageError:
    return UsageError(
        f"debug session {slug} is {status}, and not resolved",
        hint=f"`clew debug continue {slug}` goes on with it.",
    )


def reopen(sessions: ProjectSessions, session: str, watcher: Watcher) -> DebugState:
    """Go on with a session that was resolved: the symptom came back."""
    with _at_work(sessions, session, watcher) as run:
        state = run.state
        if state.status is not DebugStatus.RESOLVED or not state.ended:
            raise _open(state.session.slug, state.status)
        filed = sessions.project.root / resolved_of(state.session.document)
        with contextlib.suppress(FileNotFoundError):
            filed.replace(sessions.project.root / state.session.document)
        run.record(WentBack(checkpoint=str(state.status)))
        return drive(run)


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> DebugState:
    """Answer the question that a session waits with, and go on."""
    with _at_work(sessions, session, watcher) as run:
        run.record(_answer(run.state, option, text))
        return drive(run)


def _answer(state: DebugState, option: str, text: str) -> Answered:
    """Return an answer: a word that is offered, else a person's own words where those are."""
    question = state.question
    if question is None:
        raise UsageError(
            f"debug session {state.session.slug} asks nothing",
            hint=f"`clew debug continue {state.session.slug}` continues it, and asks."
            if state.ended
            else f"`clew status {state.session.session_id}` shows how it stands.",
        )
    offered = [each.word for each in question.options]
    word = chosen(option, offered)
    if question.about is Topic.VERIFY and plain(word) in GONE:
        word = CONFIRMED
    if question.about not in IN_OWN_WORDS:
        word = yes_or_no(word, text, offered, state.session.session_id)
        if not text.strip() and is_of_another(word, offered):
            raise no_answer(option, offered)
    if word not in offered:
        close = " " not in word.strip() and difflib.get_close_matches(word, offered, 1, 0.8)
        slip = close or (not text.strip() and is_bare_number(word, offered))
        if "words" not in offered or not word or slip:
            raise no_answer(option, offered)
        word, text = "words", f"{word} {text}".strip()
    if word == "words" and not text.strip():
        raise UsageError(
            "the answer has no words",
            hint=f'clew answer {state.session.session_id} "what you know"',
        )
    return Answered(id=question.id, option=word, text=_words(text))


def _words(typed: str) -> str:
    """Return what was typed as a journal can hold it, without secrets."""
    return redacted_paste(printable(typed.encode("utf-8", "replace").decode())).strip()


def close(
    sessions: ProjectSessions, session: str, watcher: Watcher, why: str = CLOSED
) -> DebugState:
    """End a session where it is, its children too; the document stays, and it can be gone on with.

    Raises UsageError if it has ended.
    """
    with _at_work(sessions, session, watcher) as run:
        if run.state.ended:
            raise _over(run.state.session.slug, run.state.status)
        stop_children(run)
        state = run.state
        run.record(
            Concluded(
                status=DebugStatus.ABANDONED, reason=why, commit=state.commit, usage=state.usage
            )
        )
        return drive(run)


@contextlib.contextmanager
def _at_work(
    sessions: ProjectSessions, session: str, watcher: Watcher
) -> Iterator[InvestigationRun]:
    """Hold a debug session, as it stands, while it is worked on. Raises SessionHeld."""
    load_debug(sessions, session)
    with sessions.store.hold(session):
        run = InvestigationRun(sessions=sessions, id=session, flow=FLOW, watcher=watcher)
        run.catch_up()
        run.edit = noticed(run)  # before anything that the document does not have yet
        yield run
