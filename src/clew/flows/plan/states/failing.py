"""A phase that moves, and one that fails: as its transitions allow, with its error on record."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from clew.flows.plan.states.record import PhaseState, PlanState, with_phase
from clew.words.errors import TransitionRefused
from clew.words.phases import MAY_FOLLOW, ErrorKind, PhaseError, PhaseStatus
from clew.words.plans import shown

__all__ = ["error_of", "failed", "moved"]


def moved(phase: PhaseState, to: PhaseStatus) -> PhaseStatus:
    if to not in MAY_FOLLOW[phase.status]:
        raise TransitionRefused(
            f"phase {shown(phase.id)} is {phase.status} and cannot become {to}",
            hint="Nothing was changed; `clew status` shows how each phase stands.",
        )
    return to


def failed(
    state: PlanState,
    phase: PhaseState,
    reason: str,
    kind: ErrorKind,
    at: datetime,
    *,
    record: bool = True,
) -> PlanState:
    errors = (*phase.errors, error_of(phase, reason, kind, at)) if record else phase.errors
    status = moved(phase, PhaseStatus.FAILED)
    queue = tuple(each for each in state.queue if each != phase.id)
    return replace(with_phase(state, replace(phase, status=status, errors=errors)), queue=queue)


def error_of(phase: PhaseState, message: str, kind: ErrorKind, at: datetime) -> PhaseError:
    agent = phase.phase.agent or "phase"
    return PhaseError(agent=agent, timestamp=at, type=kind, message=message)
