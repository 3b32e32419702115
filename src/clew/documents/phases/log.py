"""The log of a session for people: a section a phase."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from clew.documents.markdown import sections
from clew.documents.templating import fill
from clew.words.phases import AgentOutput, PhaseRecord, PhaseStatus, SessionRecord
from clew.words.plans import shown

__all__ = ["MARKS", "log_of", "said_in", "section"]

MARKS = {
    PhaseStatus.COMPLETED: "✓",
    PhaseStatus.IN_PROGRESS: "○",
    PhaseStatus.FAILED: "✗",
    PhaseStatus.PENDING: "□",
    PhaseStatus.SKIPPED: "–",  # noqa: RUF001 - a dash is the source's sign
}
PHASE = re.compile(r"Phase (?P<id>.+?): ")
OUTPUT = " Output"
VALIDATION = "Validation Result"
KEPT = 4096  # sections, so that a document is not made anew for one phase that moved


@lru_cache(KEPT)
def section(phase: PhaseRecord) -> str:
    """Return the section of one phase."""
    return fill(
        "clew.documents",
        "phase_section",
        phase=phase,
        label=shown(phase.id),
        mark=MARKS[phase.status],
        context=[
            (name.replace("_", " ").capitalize(), entries)
            for name in phase.downstream_context.__struct_fields__
            if (entries := getattr(phase.downstream_context, name))
        ],
    ).strip("\n")


def log_of(phases: Iterable[PhaseRecord]) -> str:
    """Return the sections of all phases."""
    return "\n\n".join(map(section, phases))


def said_in(log: str, session: SessionRecord) -> SessionRecord:
    """Return a session with what its log tells and the front matter does not."""
    outputs: dict[str, list[AgentOutput]] = {}
    validations: dict[str, str] = {}
    here = ""
    for part in sections(log):
        if part.level <= 2:  # noqa: PLR2004 - a phase's heading
            found = PHASE.match(part.title)
            here = found["id"] if found else ""
        elif part.title.endswith(OUTPUT):
            said = AgentOutput(agent=part.title.removesuffix(OUTPUT), text=part.body)
            outputs.setdefault(here, []).append(said)
        elif part.title == VALIDATION:
            validations[here] = part.body
    if not outputs and not validations:
        return session
    phases = tuple(
        replace(
            phase,
            outputs=tuple(outputs.get(shown(phase.id), ())),
            validation=validations.get(shown(phase.id), ""),
        )
        for phase in session.phases
    )
    return replace(session, phases=phases)
