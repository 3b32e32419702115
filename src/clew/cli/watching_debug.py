"""Looking on at a debug session: what is found out, line by line, and how it stands at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from clew import api
from clew.cli.keyboard import typed
from clew.cli.streams import indented, json_line, say
from clew.cli.tree import show_waiting
from clew.words.models import AgentRole
from clew.words.printable import one_line, printable, shortened
from clew.words.records import (
    AgentCall,
    AgentFailure,
    ChildAsked,
    ChildEnded,
    Event,
    RunSession,
    Started,
)

if TYPE_CHECKING:
    from clew.api import ProjectSessions, SessionStatus

__all__ = ["debug_line", "reply", "show_debug_end"]


def debug_line(event: Event) -> str:
    """Say what an event of a debug session means, in a line; some mean nothing to who looks on."""
    say_ = _LINES.get(type(event))
    return say_(event) if say_ else ""


def _opened(event: api.DebugOpened) -> str:
    rows = {
        "Session": event.document,
        "Status": "investigating" if event.is_told else "gathering",
        "Goal": event.aim,
        "TDD": "yes" if event.tdd else "no",
    }
    return "; ".join(f"{name}: {value}" for name, value in rows.items())


_DOES = {
    AgentRole.WRITE_TEST: "writes a failing test",
    AgentRole.REVIEW: "reviews the root cause",
}


def _started(event: Started[Any]) -> str:
    begun = event.intent
    if isinstance(begun, AgentCall):
        return f"{begun.agent} {_DOES.get(begun.role, 'investigates')}"
    if isinstance(begun, RunSession):
        return f"it is fixed in session {begun.child}"
    return f"runs `{begun.command}`" if isinstance(begun, api.Reproduce) else ""


def _reproduced(event: api.Reproduced) -> str:
    if event.exit_code is None:
        return f"`{event.command}` could not be run: {event.why_not}"
    shown = f"{event.failed} of {event.runs} runs show it"
    return f"`{event.command}` ended with {event.exit_code} ({shown})"


def _investigated(event: api.Investigated) -> str:
    told, found = event.told, event.told.root_cause
    kind, many = told.returned.replace("_", " "), len(told.evidence)
    lacks = found.reasoning.lacks if found else ""
    back = f", sent back as its reasoning {lacks}" if lacks else ""
    cause = f": {shortened(found.root_cause, 200)}" if found else ""
    counts = f"({many} found out, {len(told.eliminated)} ruled out)"
    return f"{event.agent}: {kind}{back}{cause} {counts}"


_LINES: dict[type[Event], Callable[[Any], str]] = {
    api.DebugOpened: _opened,
    Started: _started,
    api.KnowledgeConsulted: lambda event: "".join(
        f"fixed before, a candidate to test: {match.slug}" for match in event.known[:1]
    ),
    api.Reproduced: _reproduced,
    api.Investigated: _investigated,
    api.SpecialistReviewed: lambda event: (
        f"{event.agent}: {event.opinion}: {shortened(event.suggestion or event.reason, 200)}"
    ),
    api.TestWritten: lambda event: f"test {event.file}::{event.name}",
    api.TestSeen: lambda event: (
        f"not the test of this: {event.why}" if event.why else "seen red, by what the code does"
    ),
    AgentFailure: lambda event: f"{event.agent} failed ({event.kind}): {event.message}",
    ChildAsked: lambda event: f"a person is needed in the fix: {event.text}",
    ChildEnded: lambda event: f"{event.child} ended {event.status}",
    api.PlanWritten: lambda event: f"plan {event.path}",
    api.FiledAway: lambda event: f"resolved: {event.path}; learned: {event.entry}",
}


def show_debug_end(sessions: ProjectSessions, status: SessionStatus, *, json: bool) -> int:
    """Say how a debug session stands, what is asked, what to type next; return the exit code."""
    if json:
        click.echo(json_line(status))
        return status.exit_code
    say()
    if status.question is None and status.status not in ("running", "waiting"):
        click.echo(printable(api.debug_summary(sessions, status.session).rstrip()))
        say()
    else:
        say(f"{status.session}  {status.status}")
    for line in status.lines:
        say(f"  {one_line(line)}")
    if status.question is not None:
        say()
        click.echo(indented(status.question.text))
        for number, option in enumerate(getattr(status.question, "options", ()), 1):
            say(f"  {number} {option.word:<10} {one_line(option.text)}")
            say(f"      {option.command}")
    elif status.status == "waiting":
        say()
        show_waiting(sessions, status.session)
    elif status.exit_code == 0 and not _is_in_place(sessions, status):
        say()
        say(f"see it:   clew diff {status.session}")
        say(f"take it:  clew apply {status.session}")
    return status.exit_code


def _is_in_place(sessions: ProjectSessions, status: SessionStatus) -> bool:
    """Whether the person's tree has what it came to, if it came to any change."""
    return status.commit == status.base or api.is_applied(sessions, status.session)


def reply(question: api.DebugAsked) -> str:
    """Ask a person; nothing leaves the question pending."""
    words, own = [option.word for option in question.options], "your own words"
    begin: tuple[str, ...] = ()
    if question.about == "symptoms":
        own += " (or lines as above, and an empty one)"
        begin = (*(f"{name}:" for name in api.Symptoms.__struct_fields__), "works:", "$ ")
    prompt = f"\nYour answer: a number, a word or {own} (Enter: decide later)"
    said = typed(prompt, words, begin)
    by_number = {str(number): word for number, word in enumerate(words, 1)}
    own_words = by_number.get(said, said) == "words"
    return typed("In your own words", (), begin) if own_words else said
