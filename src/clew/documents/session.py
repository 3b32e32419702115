"""The session document: front matter for machines, a log for people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from clew.analysis.spending import total
from clew.documents import front_matter, own_log
from clew.documents.front_matter import DocumentUnreadable
from clew.documents.phases.front import keys_of
from clew.documents.phases.log import section
from clew.documents.templating import Safe, fill
from clew.documents.views import SessionView
from clew.documents.weaving import weave
from clew.words.phases import PhaseRecord, TokenUsage

__all__ = ["FORMAT", "DocumentUnreadable", "SessionDocument", "parse", "render", "update"]

FORMAT = 2


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
    return f"---\n{front}---\n\n{title}\n\n{own_log.marked(_log(view))}\n"


def parse(text: str) -> SessionDocument:
    """Read a session document of any version, or of the tool whose format it is.

    Raises DocumentUnreadable, naming the key, for one that is broken.
    """
    parts = front_matter.split(text)
    front = front_matter.plain(front_matter.load(parts.front))
    document = front_matter.converted(
        {key: value for key, value in front.items() if value is not None}, SessionDocument
    )
    return msgspec.structs.replace(document, front=front, body=parts.body)


def update(text: str, view: SessionView) -> str:
    """Return the document brought up to date.

    Foreign keys, comments, their order and the body stay; of the body only our own log is
    rewritten, and put at the end where there is none yet. Line ends stay what they were.
    """
    crlf = "\r\n" in text
    parts = front_matter.split(text.replace("\r\n", "\n"))
    front = front_matter.load(parts.front)
    weave(front, _front(view))
    body = own_log.replaced(parts.body, _log(view))
    result = f"---\n{front_matter.dump(front)}---\n{body}"
    return result.replace("\n", "\r\n") if crlf else result


def _log(view: SessionView) -> str:
    sections = [Safe(section(phase)) for phase in view.phases]
    return fill("clew.documents", "session_log", view=view, sections=sections)


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
            "phases": [keys_of(phase, later=False) for phase in view.phases],
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
