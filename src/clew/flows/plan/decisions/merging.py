"""How finished phases are merged: in batches, and which two of them do not go together."""

from __future__ import annotations

from clew.flows.plan.events import PairFound, RunGates, TryMerge
from clew.flows.plan.states import MergeCandidate, PhaseState, PlanState
from clew.journal.flow import Record
from clew.words.phases import ErrorKind, PhaseStatus
from clew.words.plans import PhaseId
from clew.words.settings.loading import FOR_ONE_RUN

__all__ = ["has_room", "pair", "refused", "run_gates"]


def has_room(state: PlanState) -> bool:
    """Whether one more phase goes into what is held against the gates next."""
    candidate = state.candidate
    if candidate is None:
        return True
    begun = candidate.gates or candidate.green or state.phase(candidate.phase).repaired
    return not begun and len(candidate.members) < _most(state)


def _most(state: PlanState) -> int:
    """Return how many phases a batch has: by the command line, the plan, the settings."""
    settings, planned = state.settings, state.plan.merge_batch
    by_hand = settings.sources.get("merge_batch") in FOR_ONE_RUN
    return settings.merge_batch if by_hand or planned is None else planned


def run_gates(state: PlanState, candidate: MergeCandidate) -> RunGates:
    """Hold all of a batch against the gates, or half of what is not known of a red one."""
    count = (candidate.green + candidate.red) // 2 or len(candidate.members)
    phase, commit = candidate.members[count - 1]
    return RunGates(phase=phase, base=state.head, commit=commit)


def pair(state: PlanState, candidate: MergeCandidate) -> TryMerge | Record | None:
    """Return the next step in the search for what a phase does not go together with.

    It was green on what it began with, and is red on all that was merged since: one of those made
    it so. None once that is known, or where nothing was merged meanwhile.
    """
    below = state.since(candidate.phase)
    if candidate.is_paired or not below:
        return None
    green, red = candidate.alone, len(below) if candidate.paired < 0 else candidate.paired
    if red - green == 1:
        found = PairFound(phase=candidate.phase, other=below[green][0], tried=candidate.tried)
        return Record(event=found)
    phase = state.phase(candidate.phase)
    onto = below[(green + red) // 2 - 1][1]
    return TryMerge(phase=phase.id, base=phase.base, commit=phase.commit, onto=onto)


def refused(state: PlanState) -> tuple[PhaseId, ...]:
    """Return the phases that failed with work that the gates refused: others may let it pass."""
    failed = (p for p in state.phases.values() if p.status is PhaseStatus.FAILED and not p.again)
    return tuple(phase.id for phase in failed if _is_refused(phase))


def _is_refused(phase: PhaseState) -> bool:
    if phase.commit:  # merged, or it did not fit
        return bool(phase.errors) and phase.errors[-1].type is ErrorKind.VALIDATION
    return bool(phase.result.get("gates")) and phase.result.get("work", "") not in ("", phase.base)
