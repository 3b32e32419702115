"""The session document: front matter for machines, a log for people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from clew.analysis.spending import total
from clew.documents import front_matter
from clew.documents.front_matter import DocumentUnreadable
from clew.documents.templating import fill
from clew.documents.views import SessionView
from clew.words.phases import PhaseRecord, TokenUsage

__all__ = ["FORMAT", "DocumentUnreadable", "SessionDocument", "parse", "render", "update"]

FORMAT = 2
LOG_BEGINS = "<!-- clew:log -->"
LOG_ENDS = "<!-- /clew:log -->"
MARKS = {"completed": "✓", "in_progress": "○", "failed": "✗", "pending": "□", "skipped": "–"}  # noqa: RUF001 - a dash is the source's sign


class SessionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A session document as it was read; `front` holds every key, ours or not."""

    session_id: str
    status: str
    created: datetime | None = None
    updated: datetime | None = None
    design_document: str | None = None
    implementation_plan: str | None = None
    current_phase: int | str | None = None
    total_phases: int = 0
    token_usage: TokenUsage = TokenUsage()
    phases: tuple[PhaseRecord, ...] = ()
    front: dict[str, Any] = msgspec.field(default_factory=dict)
    body: str = ""


def render(view: SessionView) -> str:
    """Return the whole document."""
    front = front_matter.dump(_front(view))
    title = fill("clew.documents", "session", view=view).strip("\n")
    return f"---\n{front}---\n\n{title}\n\n{_log(view)}\n"


def parse(text: str) -> SessionDocument:
    """Read a session document of any version, or of the tool whose format it is.

    Raises DocumentUnreadable, naming the key, for one that is broken.
    """
    parts = front_matter.split(text)
    front = front_matter.plain(front_matter.load(parts.front))
    try:
        document = msgspec.convert(
            {key: value for key, value in front.items() if value is not None},
            SessionDocument,
        )
    except msgspec.ValidationError as error:
        raise DocumentUnreadable(
            f"the front matter does not hold: {error}",
            hint="Correct that key, or move the document aside to have it written anew.",
        ) from error
    return msgspec.structs.replace(document, front=front, body=parts.body)


def update(text: str, view: SessionView) -> str:
    """Return the document brought up to date.

    Foreign keys, comments, their order and the body stay; of the body only our own log is
    rewritten, and put at the end where there is none yet. Line ends stay what they were.
    """
    crlf = "\r\n" in text
    parts = front_matter.split(text.replace("\r\n", "\n"))
    front = front_matter.load(parts.front)
    front_matter.weave(front, _front(view))
    head, begins, rest = parts.body.partition(LOG_BEGINS)
    _, ends, tail = rest.partition(LOG_ENDS)
    if begins and ends:
        body = f"{head}{_log(view)}{tail}"
    else:
        kept = parts.body.rstrip("\n")
        body = f"{kept}\n\n{_log(view)}\n" if kept.strip() else f"\n{_log(view)}\n"
    result = f"---\n{front_matter.dump(front)}---\n{body}"
    return result.replace("\n", "\r\n") if crlf else result


def _log(view: SessionView) -> str:
    inner = fill("clew.documents", "session_log", view=view, marks=MARKS).strip("\n")
    return f"{LOG_BEGINS}\n\n{inner}\n\n{LOG_ENDS}"


def _front(view: SessionView) -> dict[str, Any]:
    spent = total(view.spent.values())
    cleaned: dict[str, Any] = front_matter.clean(
        {
            "session_id": view.session_id,
            "created": view.created,
            "updated": view.updated,
            "status": view.status,
            "design_document": view.design_document,
            "implementation_plan": view.implementation_plan,
            "current_phase": view.current_phase,
            "total_phases": view.total_phases,
            "token_usage": {
                "total_input": spent.input,
                "total_output": spent.output,
                "total_cached": spent.cached,
                "by_agent": {
                    agent: {"input": n.input, "output": n.output, "cached": n.cached}
                    for agent, n in view.spent.items()
                },
            },
            "phases": [_phase(phase) for phase in view.phases],
            "clew": {
                "format": FORMAT,
                "goal": view.goal,
                "project": view.project,
                "outcome": view.outcome or None,
                "iteration": view.iteration,
                "max_iterations": view.cap,
                "topic": view.topic or None,
                "branch": view.branch or None,
                "reports": view.reports,
                "checkpoints": view.checkpoints,
                "summary": view.summary,
                "question": view.question.id if view.question else None,
                "flaky": view.flaky,
                "known_issues": view.known_issues,
                "proof": view.proof.accepted if view.proof else None,
                "money": {agent: took.money for agent, took in view.spent.items()},
            },
        }
    )
    return cleaned


def _phase(phase: PhaseRecord) -> dict[str, Any]:
    return {
        "id": phase.id,
        "name": phase.name,
        "status": phase.status,
        "agents": phase.agents,
        "parallel": phase.parallel,
        "started": phase.started,
        "completed": phase.completed,
        "blocked_by": phase.blocked_by,
        "files_created": phase.files_created,
        "files_modified": phase.files_modified,
        "files_deleted": phase.files_deleted,
        "errors": [
            {
                "agent": error.agent,
                "timestamp": error.timestamp,
                "type": error.type,
                "message": error.message,
                "resolution": error.resolution,
                "resolved": error.resolved,
            }
            for error in phase.errors
        ],
        "retry_count": phase.retry_count,
    }
