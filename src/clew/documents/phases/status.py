"""A session as text: how it stands, and what it came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clew.analysis.plans.ownership import covers, normalised
from clew.documents.markdown import code, item
from clew.documents.phases.log import MARKS
from clew.documents.templating import duration, fill, moment
from clew.words.phases import OverallStatus, PhaseRecord, PhaseStatus, SessionRecord, TokenCount
from clew.words.plans import shown
from clew.words.printable import one_line, shortened

__all__ = ["deviations", "status_text", "summary_text"]

NONE = "No active session"
UNKNOWN = "unknown"
TOP = 3  # agents that are named
NAMED = 5  # files that are


def status_text(session: SessionRecord | None) -> str:
    """Return how a session stands: overall, each phase, what failed, files, tokens."""
    if session is None:
        return NONE
    lines = [f"{session.session_id}: {session.status}, {_done(session)}"]
    lines += [_phase(phase) for phase in session.phases]
    lines += [
        f"  ✗ {shown(phase.id)}: {shortened(error.message)} ({error.type}, {error.agent})"
        for phase in session.phases
        for error in phase.open_errors
        if not phase.status.done
    ]
    return "\n".join([*lines, f"Files: {_files(session)}", f"Tokens: {_tokens(session)}"])


def summary_text(
    session: SessionRecord,
    next_steps: Sequence[str] = (),
    others: Sequence[str] = (),
    counted: str = "",
) -> str:
    """Return the final summary: what was delivered, what deviates, what comes next.

    `others` are deviations that the session's record does not show; `counted` is what git says of
    all of it together.
    """
    return fill(
        "clew.documents",
        "phases_summary",
        session=session,
        title=item(session.task or session.session_id),
        done=_done(session),
        files=_files(session),
        counted=counted,
        tokens=_tokens(session),
        delivered=[
            _delivered(phase) for phase in session.phases if phase.status is not PhaseStatus.SKIPPED
        ],
        deviations=[told for phase in session.phases for told in deviations(phase)]
        + [item(told) for told in others],
        steps=(*next_steps, *_left(session)),
    )


def _done(session: SessionRecord) -> str:
    count = Counter(phase.status for phase in session.phases)
    told = f"{count[PhaseStatus.COMPLETED]} of {session.total_phases} phases completed"
    others = [
        f"{count[status]} {status.replace('_', ' ')}"
        for status in PhaseStatus
        if count[status] and status is not PhaseStatus.COMPLETED
    ]
    return ", ".join([told, *others])


def _phase(phase: PhaseRecord) -> str:
    told = f"{MARKS[phase.status]} {shown(phase.id)} {one_line(phase.name)}"
    if phase.started and phase.completed:
        took = duration((phase.completed - phase.started).total_seconds())
        return f"{told}: {moment(phase.completed)}, after {took}"
    return f"{told}: since {moment(phase.started)}" if phase.started else told


def _files(session: SessionRecord) -> str:
    kinds = {
        "created": {path for phase in session.phases for path in phase.files_created},
        "modified": {path for phase in session.phases for path in phase.files_modified},
        "deleted": {path for phase in session.phases for path in phase.files_deleted},
    }
    return ", ".join(f"{len(paths)} {kind}" for kind, paths in kinds.items())


def _tokens(session: SessionRecord) -> str:
    usage = session.token_usage
    most = sorted(usage.by_agent.items(), key=lambda each: -(each[1].whole or 0))[:TOP]
    named = ", ".join(f"{one_line(agent)} {_number(count.whole)}" for agent, count in most)
    told = _count(usage.total)
    return f"{told}; most: {named}" if named else told


def _count(count: TokenCount) -> str:
    if count.input is None and count.output is None:
        return UNKNOWN
    cached = f"{_number(count.cached)} cached"
    return f"{_number(count.input)} in ({cached}), {_number(count.output)} out"


def _number(tokens: int | None) -> str:
    return UNKNOWN if tokens is None else f"{tokens:,}"


def _delivered(phase: PhaseRecord) -> str:
    said = phase.outputs[-1].text.strip() if phase.outputs else ""
    words = f": {shortened(said)}" if said else ""
    return item(f"{MARKS[phase.status]} {shown(phase.id)} {phase.name}{words}")


def deviations(phase: PhaseRecord) -> list[str]:
    """Return how a phase is not as it was planned, a line each."""
    told = []
    name = f"phase {shown(phase.id)}"
    touched = dict.fromkeys((*phase.files_created, *phase.files_modified, *phase.files_deleted))
    if phase.planned_files:
        planned = [normalised(path) for path in phase.planned_files]
        if extra := [path for path in touched if not any(covers(p, path) for p in planned)]:
            told.append(f"{name} also changed {_named(extra)}")
        if phase.status is PhaseStatus.COMPLETED and (
            left := [path for path in planned if not any(covers(path, name) for name in touched)]
        ):
            told.append(f"{name} was planned to change {_named(left)} and did not")
    if phase.errors:
        times = "once" if len(phase.errors) == 1 else f"{len(phase.errors)} times"
        told.append(f"{name} failed {times} on its way: {item(phase.errors[-1].message)}")
    if phase.status is PhaseStatus.SKIPPED:
        told.append(f"{name} was skipped")
    if phase.requires_reconciliation:
        told.append(f"{name} is to be reconciled: {item(phase.reconciliation_reason)}")
    return told


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(map(code, paths[:NAMED])) + more


def _left(session: SessionRecord) -> list[str]:
    """Return what is left to do of an unfinished session."""
    if session.status is OverallStatus.COMPLETED:
        return []
    return [
        f"phase {shown(phase.id)} {item(phase.name)} is {phase.status.replace('_', ' ')}"
        for phase in session.phases
        if not phase.status.done
    ]
