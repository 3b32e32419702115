"""Which status of a phase follows which, and what a session looks like once it moved on.

    pending ──► in_progress ──► completed        once what blocks it is completed or skipped
       │          ▲    └──────► failed
       │          └─── retry ─────┤
       └──► skipped ◄─────────────┘              a person's decision only

Nothing else is admitted. Going back to a checkpoint is no transition: it puts the earlier record
in the place of this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec.structs import replace

from clew.words.errors import TransitionRefused
from clew.words.phases.records import (
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
    SessionRecord,
    TokenCount,
)
from clew.words.plans import PhaseId, shown

__all__ = [
    "MAY_END",
    "MAY_FOLLOW",
    "amended",
    "current",
    "ended",
    "erred",
    "moved",
    "settled",
    "spent",
    "unmet",
]

MAY_FOLLOW: Mapping[PhaseStatus, frozenset[PhaseStatus]] = MappingProxyType(
    {
        PhaseStatus.PENDING: frozenset({PhaseStatus.IN_PROGRESS, PhaseStatus.SKIPPED}),
        PhaseStatus.IN_PROGRESS: frozenset({PhaseStatus.COMPLETED, PhaseStatus.FAILED}),
        PhaseStatus.FAILED: frozenset({PhaseStatus.IN_PROGRESS, PhaseStatus.SKIPPED}),
        PhaseStatus.COMPLETED: frozenset(),
        PhaseStatus.SKIPPED: frozenset(),
    }
)
MAY_END: Mapping[OverallStatus, frozenset[OverallStatus]] = MappingProxyType(
    {
        OverallStatus.IN_PROGRESS: frozenset(OverallStatus) - {OverallStatus.IN_PROGRESS},
        OverallStatus.FAILED: frozenset({OverallStatus.IN_PROGRESS, OverallStatus.ABORTED}),
        OverallStatus.ABORTED: frozenset({OverallStatus.IN_PROGRESS}),
        OverallStatus.COMPLETED: frozenset(),
    }
)


def moved(
    session: SessionRecord,
    phase: PhaseId,
    to: PhaseStatus,
    at: datetime,
    *,
    by_person: bool = False,
) -> SessionRecord:
    """Return the session once a phase has another status; a retry is counted.

    Raises TransitionRefused, naming both states, for what the table does not have, for a phase
    that starts before those it is blocked by are done, and for one that no person skips.
    """
    before = _found(session, phase)
    if to not in MAY_FOLLOW[before.status]:
        raise _refused(before, to, _next(before.status))
    if to is PhaseStatus.SKIPPED and not by_person:
        raise _refused(before, to, "only a person may skip a phase")
    if to is PhaseStatus.IN_PROGRESS and (blockers := unmet(session, before)):
        names = ", ".join(map(shown, blockers))
        raise _refused(before, to, f"it depends on phases that are not done: {names}")
    retried = before.status is PhaseStatus.FAILED and to is PhaseStatus.IN_PROGRESS
    after = replace(
        before,
        status=to,
        started=before.started or (at if to is PhaseStatus.IN_PROGRESS else None),
        completed=at if to is PhaseStatus.COMPLETED else None,
        retry_count=before.retry_count + retried,
    )
    return _put(session, after, at)


def unmet(session: SessionRecord, phase: PhaseRecord) -> tuple[PhaseId, ...]:
    """Return what still blocks a phase; a blocker that was skipped does not."""
    blockers = ((each, session.find(each)) for each in phase.blocked_by)
    return tuple(each for each, found in blockers if found is None or not found.status.done)


def ended(session: SessionRecord, to: OverallStatus, at: datetime) -> SessionRecord:
    """Return the session with another status of the whole: ended, or gone on with again.

    Raises TransitionRefused, naming both states; also for a session that is called completed while
    a phase is not.
    """
    if to not in MAY_END[session.status]:
        raise TransitionRefused(
            f"session {session.session_id} is {session.status} and cannot become {to}",
            hint="`clew status` shows its state.",
        )
    open_ = [phase for phase in session.phases if not phase.status.done]
    if to is OverallStatus.COMPLETED and open_:
        left = ", ".join(f"phase {shown(phase.id)} is {phase.status}" for phase in open_)
        raise TransitionRefused(
            f"session {session.session_id} is {session.status} and cannot become {to}: {left}",
            hint="Every phase must be completed, or skipped by a person.",
        )
    return replace(session, status=to, updated=_later(session.updated, at))


def amended(session: SessionRecord, phase: PhaseRecord, at: datetime) -> SessionRecord:
    """Return the session with a phase that has its id and status, and otherwise what it is given.

    Raises TransitionRefused for another status: that is what `moved` is for.
    """
    before = _found(session, phase.id)
    if before.status is not phase.status:
        raise _refused(before, phase.status, "this is not a transition")
    return _put(session, phase, at)


def erred(session: SessionRecord, phase: PhaseId, error: PhaseError, at: datetime) -> SessionRecord:
    """Return the session with an error of a phase recorded."""
    before = _found(session, phase)
    return _put(session, replace(before, errors=(*before.errors, error)), at)


def settled(session: SessionRecord, phase: PhaseId, resolution: str, at: datetime) -> SessionRecord:
    """Return the session with every open error of a phase resolved, in these words."""
    before = _found(session, phase)
    errors = tuple(
        each if each.resolved else replace(each, resolved=True, resolution=resolution)
        for each in before.errors
    )
    return _put(session, replace(before, errors=errors), at)


def spent(session: SessionRecord, agent: str, count: TokenCount, at: datetime) -> SessionRecord:
    """Return the session with the tokens of a call counted, for its agent and so in total."""
    usage = session.token_usage.plus(agent, count)
    return replace(session, token_usage=usage, updated=_later(session.updated, at))


def current(session: SessionRecord) -> tuple[PhaseId | None, str | None]:
    """Return `current_phase` and `current_batch`.

    Of the phases that run, the lowest is the current one, and the batch names the others. Where
    none runs it is the first that is pending or failed, and at the end it stays what it was.
    """
    running = sorted(
        (p.id for p in session.phases if p.status is PhaseStatus.IN_PROGRESS), key=_by_id
    )
    if running:
        return running[0], ", ".join(map(shown, running[1:])) or None
    ahead = (phase.id for phase in session.phases if not phase.status.done)
    return next(ahead, session.current_phase), None


def _by_id(phase: PhaseId) -> tuple[bool, int, str]:
    return (False, phase, "") if isinstance(phase, int) else (True, 0, phase)


def _put(session: SessionRecord, phase: PhaseRecord, at: datetime) -> SessionRecord:
    phases = tuple(phase if each is session.find(phase.id) else each for each in session.phases)
    after = replace(session, phases=phases, updated=_later(session.updated, at))
    first, batch = current(after)
    return replace(after, current_phase=first, current_batch=batch)


def _later(before: datetime | None, at: datetime) -> datetime:
    """Return the time of a change: a clock that was set back does not go into the record."""
    return max(before, at) if before else at


def _found(session: SessionRecord, phase: PhaseId) -> PhaseRecord:
    found = session.find(phase)
    if found is None:
        raise TransitionRefused(
            f"session {session.session_id} has no phase {shown(phase)}",
            hint=f"It has {', '.join(shown(each.id) for each in session.phases) or 'none'}.",
        )
    return found


def _refused(phase: PhaseRecord, to: PhaseStatus, why: str) -> TransitionRefused:
    return TransitionRefused(
        f"phase {shown(phase.id)} is {phase.status} and cannot become {to}: {why}",
        hint="Nothing was changed; `clew status` shows the state of each phase.",
    )


def _next(status: PhaseStatus) -> str:
    after = sorted(MAY_FOLLOW[status])
    return f"next can be {' or '.join(after)}" if after else "that status is final"
