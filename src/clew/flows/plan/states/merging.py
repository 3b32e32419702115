"""What becomes of the queue of finished phases: merged, held against gates, bisected, repaired."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from clew.flows.plan.events import GatesRan, MergeTried, PairFound, PhaseMerged
from clew.flows.plan.states.failing import error_of, failed, moved
from clew.flows.plan.states.known import SKIPPED, passed, recorded
from clew.flows.plan.states.record import MergeCandidate, PhaseState, PlanState, with_phase
from clew.words.errors import TransitionRefused
from clew.words.gates import GateStatus
from clew.words.phases import ErrorKind, PhaseStatus
from clew.words.plans import PhaseId, shown
from clew.words.records import ChildEnded

__all__ = ["gates_ran", "merge_tried", "merged", "pair_found", "repaired"]

GOOD = ("completed", "green")


def repaired(state: PlanState, phase: PhaseState, event: ChildEnded, at: datetime) -> PlanState:
    """Take over what a debugging session made of a merged phase, or give the phase up."""
    if event.status in GOOD and event.commit and state.candidate:
        errors = tuple(
            replace(error, resolved=True, resolution=f"session {event.child}")
            for error in phase.errors
        )
        mended = MergeCandidate(members=((phase.id, event.commit),))
        return replace(with_phase(state, replace(phase, errors=errors)), candidate=mended)
    if event.status == SKIPPED and event.known_failing and state.candidate:
        errors = tuple(replace(e, resolved=True, resolution="a known issue") for e in phase.errors)
        known = replace(phase, errors=errors, result=phase.result | recorded(event))
        alone = MergeCandidate(members=((phase.id, event.commit or state.candidate.commit),))
        return replace(with_phase(state, known), candidate=alone)
    reason = f"session {event.child} ended {event.status}: {event.reason}".rstrip(": ")
    given_up = failed(state, phase, reason, ErrorKind.VALIDATION, at)
    return replace(given_up, candidate=None)


def merged(state: PlanState, event: PhaseMerged, at: datetime) -> PlanState:
    phase = state.phase(event.phase)
    queue = tuple(each for each in state.queue if each != event.phase)
    if event.conflicts:
        files = ", ".join(event.conflicts)
        reason = f"its change does not fit what was merged before it, in {files}"
        given_up = failed(state, phase, reason, ErrorKind.FILE_CONFLICT, at)
        return replace(given_up, queue=queue)
    phase = replace(
        phase,
        created=event.created,
        modified=event.modified,
        deleted=event.deleted,
        undone=event.undone,
    )
    below = state.candidate.members if state.candidate else ()
    candidate = MergeCandidate(members=(*below, (phase.id, event.commit)))
    return replace(with_phase(state, phase), queue=queue, candidate=candidate)


def gates_ran(state: PlanState, event: GatesRan, at: datetime) -> PlanState:
    """Take in what the gates say of a batch, or of the first phases of it.

    Those that pass are completed; the first with which it fails is looked at alone, and those after
    it are merged anew.
    """
    candidate = state.candidate
    commits = [commit for _, commit in candidate.members] if candidate else []
    if candidate is None or event.commit not in commits:
        raise TransitionRefused(f"gates ran on {event.commit}, which is no candidate")
    count = len(commits) - commits[::-1].index(event.commit)
    own = frozenset().union(*(state.phase(id_).known for id_, _ in candidate.members[:count]))
    if passed(event, state.known, own):
        candidate = replace(candidate, green=count)
    else:
        candidate = replace(candidate, red=count, gates=event)
    if candidate.red and candidate.is_unknown:
        return replace(state, candidate=candidate)
    for id_, commit in candidate.members[: candidate.green]:
        state = _completed(state, id_, commit, event, at)
    if not candidate.red:
        return replace(state, candidate=None)
    after = tuple(id_ for id_, _ in candidate.members[candidate.red :])
    state = replace(state, queue=(*after, *state.queue))
    return _red(state, candidate, at)


def _completed(
    state: PlanState, id_: PhaseId, commit: str, gates: GatesRan, at: datetime
) -> PlanState:
    phase = state.phase(id_)
    errors = tuple(
        each if each.resolved else replace(each, resolved=True, resolution="retried")
        for each in phase.errors
    )
    done = replace(
        phase,
        status=moved(phase, PhaseStatus.COMPLETED),
        completed=at,
        errors=errors,
        guidance=(),
        gates=gates.summary if gates.status is not GateStatus.FAIL else phase.gates,
    )
    merges = (*state.merges, (id_, commit))
    return replace(with_phase(state, done), head=commit, merges=merges)


def _red(state: PlanState, candidate: MergeCandidate, at: datetime) -> PlanState:
    """Keep the phase that is red once merged, to be repaired, or give it up."""
    id_, commit = candidate.members[candidate.red - 1]
    gates = candidate.gates
    if gates is None:
        raise TransitionRefused(f"no gates failed with phase {shown(id_)}")
    phase = replace(state.phase(id_), gates=gates.summary)
    if gates.tests_failed and not phase.repaired:
        error = error_of(phase, f"red once merged: {gates.summary}", ErrorKind.VALIDATION, at)
        state = with_phase(state, replace(phase, errors=(*phase.errors, error)))
        alone = MergeCandidate(members=((id_, commit),), red=1, gates=gates)
        return replace(state, candidate=alone)
    given_up = failed(state, phase, f"merged: {gates.summary}", ErrorKind.VALIDATION, at)
    return replace(given_up, candidate=None)


def merge_tried(state: PlanState, event: MergeTried, _: datetime) -> PlanState:
    """Take in whether a phase is red with less below it; what does not fit ends the search."""
    candidate = state.candidate
    if candidate is None or candidate.phase != event.phase:
        raise TransitionRefused(f"phase {shown(event.phase)} is no candidate")
    candidate = replace(candidate, tried=candidate.tried + 1)
    below = [commit for _, commit in state.since(event.phase)]
    if event.status is None:
        return replace(state, candidate=replace(candidate, is_paired=True))
    count = below.index(event.onto) + 1
    if event.status is GateStatus.FAIL:
        return replace(state, candidate=replace(candidate, paired=count))
    return replace(state, candidate=replace(candidate, alone=count))


def pair_found(state: PlanState, event: PairFound, _: datetime) -> PlanState:
    """Keep with which phase another one is red; the error says it."""
    candidate = state.candidate
    if candidate is None or candidate.phase != event.phase:
        raise TransitionRefused(f"phase {shown(event.phase)} is no candidate")
    state = replace(state, candidate=replace(candidate, other=event.other, is_paired=True))
    phase = state.phase(event.phase)
    if not phase.errors:
        return state
    *before, last = phase.errors
    told = f"{last.message}\nboth green alone, red together: it and phase {shown(event.other)}"
    errors = (*before, replace(last, message=told))
    return with_phase(state, replace(phase, errors=errors))
