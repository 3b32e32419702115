"""A debug session as its document has it: the record that people and other agents read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from clew.documents.debug_sessions.fields import tidy
from clew.documents.templating import stamp
from clew.flows.investigation.events import (
    FileAway,
    LookUp,
    MapTraceback,
    Reproduce,
    SeeRed,
    WritePlan,
)
from clew.flows.investigation.states import DebugState
from clew.words.debug_sessions import DebugBounds, DebugDocument, PendingQuestion
from clew.words.models import AgentRole
from clew.words.records import AgentCall, RunSession
from clew.words.redaction import with_texts
from clew.words.settings import Settings

__all__ = ["document_of"]


def document_of(state: DebugState) -> DebugDocument:
    """Return the document of a session as it stands now."""
    session, asked = state.session, state.question
    question = None
    if asked is not None:
        answers = tuple(option.word for option in asked.options)
        question = PendingQuestion(about=str(asked.about), text=asked.text, answers=answers)
    focus = state.focus
    document = DebugDocument(
        status=state.status,
        trigger=session.trigger,
        created=state.began,
        updated=stamp(state.updated) if state.updated else "",
        session=session.session_id,
        goal=state.aim,
        tdd=session.tdd,
        cycles=state.cycles,
        fixes=state.fixes,
        bounds=_bounds(state.settings),
        question=question,
        focus=replace(focus, next_action=_doing(state) or focus.next_action),
        symptoms=state.symptoms,
        eliminated=state.eliminated,
        evidence=state.evidence,
        resolution=state.resolution,
        review=state.review,
    )
    return _in_lines(with_texts(document, tidy, keep=frozenset({"trigger"})))


def _bounds(settings: Settings) -> DebugBounds:
    return DebugBounds(
        max_iterations=settings.max_iterations,
        max_seconds=settings.max_seconds,
        max_tokens=settings.max_tokens,
        max_usd=settings.max_usd,
    )


def _in_lines(document: DebugDocument) -> DebugDocument:
    """Return it with what stands in a list of the document said in one line each."""
    focus, resolution = document.focus, document.resolution
    reasoning = focus.reasoning_checkpoint
    if reasoning is not None:
        reasoning = replace(
            reasoning,
            confirming_evidence=_lines(reasoning.confirming_evidence),
            candidate_causes=_lines(reasoning.candidate_causes),
        )
    return replace(
        document,
        focus=replace(focus, reasoning_checkpoint=reasoning),
        resolution=replace(resolution, files_changed=_lines(resolution.files_changed)),
        review=_lines(document.review),
    )


def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(text.split()) for text in texts)))


def _doing(state: DebugState) -> str:
    """Say what is done right now; an investigator does what the one before it named."""
    if state.question is not None:
        return f"wait for the answer of a person: clew answer {state.session.session_id}"
    intent = next(iter(state.in_flight.values()), None)
    if isinstance(intent, RunSession) and state.at_work.questions:
        return f"wait for the answer of a person in its fix: clew status {intent.child}"
    if isinstance(intent, AgentCall) and intent.role is AgentRole.WRITE_TEST:
        return f"{intent.agent} writes the test that fails because of it"
    if isinstance(intent, AgentCall):
        return "" if state.focus.next_action else f"{intent.agent} looks into it"
    say = _DOING.get(type(intent))
    return say(intent) if say else ""


_DOING: Mapping[type[Any], Callable[[Any], str]] = {
    LookUp: lambda _: "ask the knowledge base",
    MapTraceback: lambda _: "look up the pasted traceback in this version",
    Reproduce: lambda intent: f"run `{intent.command}`",
    SeeRed: lambda intent: f"see {', '.join(intent.tests)} red",
    RunSession: lambda intent: f"have it fixed in session {intent.child}",
    WritePlan: lambda _: "write the fix down as a plan",
    FileAway: lambda _: "put it away as resolved, and learn from it",
}
