"""What another cut of a plan comes to: which phases it divides, joins, adds, widens or rewords."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from clew.analysis.plans.ownership import covers, owned, shared
from clew.words.plans import (
    Criterion,
    PhaseId,
    Plan,
    PlanPhase,
    PlanRevision,
    RevisionType,
    VerifyBy,
)

__all__ = ["dropped", "left_out", "revisions"]


def revisions(before: Plan, after: Plan) -> tuple[PlanRevision, ...]:
    """Return what was done to a plan, by the phases and the files that they own.

    A phase that is gone was divided among those that own its files now, or joined to the one that
    does; see `left_out` for one whose work nobody does.
    """
    return tuple(_revisions(before, after))


def left_out(before: Plan, after: Plan) -> tuple[PhaseId, ...]:
    """Return the phases that are gone, and whose work no new or changed phase does."""
    return tuple(gone.id for gone in _gone(before, after) if not _heirs(gone, before, after))


def dropped(before: Plan, after: Plan) -> tuple[str, ...]:
    """Name the files, commands and criteria that no phase has any more, in words."""
    files = {path for phase in after.phases for path in owned(phase)}
    paths = sorted({path for phase in before.phases for path in owned(phase)})
    gone = [f"`{path}`" for path in paths if not any(covers(each, path) for each in files)]
    commands = [set(_commands(plan)) for plan in (after, before)]
    gone += [f"the check `{shlex.join(c)}`" for c in sorted(commands[1] - commands[0])]
    kept = {_meaning(each) for phase in after.phases for each in phase.criteria}
    criteria = dict.fromkeys(each for phase in before.phases for each in phase.criteria)
    gone += [f"the criterion `{c.criterion}`" for c in criteria if _meaning(c) not in kept]
    return tuple(gone)


def _commands(plan: Plan) -> Iterator[tuple[str, ...]]:
    return (command for phase in plan.phases for command in phase.validation)


def _meaning(criterion: Criterion) -> tuple[str, str]:
    """Return how a criterion is met; one that a person decides is what it says."""
    manual = criterion.verify_by is VerifyBy.MANUAL or not criterion.target
    return criterion.verify_by, criterion.criterion if manual else criterion.target


def _revisions(before: Plan, after: Plan) -> Iterator[PlanRevision]:
    old = {phase.id: phase for phase in before.phases}
    told: set[PhaseId] = set()
    heirs = {gone.id: _heirs(gone, before, after) for gone in _gone(before, after)}
    for id_, into in heirs.items():
        told.update(into)
        yield PlanRevision(type=_lost(id_, heirs, old), phase=id_, into=into)
    added = [phase for phase in after.phases if phase.id not in old]
    for phase in after.phases:
        was = old.get(phase.id)
        if was is None or was == phase or phase.id in told:
            continue
        parts = tuple(each.id for each in added if shared(owned(was), owned(each)))
        told.update(parts)
        yield PlanRevision(type=_changed(was, phase, parts), phase=phase.id, into=parts)
    for phase in added:
        if phase.id not in told:
            yield PlanRevision(type=RevisionType.ADD_PHASE, phase=phase.id)


def _lost(
    id_: PhaseId, heirs: dict[PhaseId, tuple[PhaseId, ...]], old: dict[PhaseId, PlanPhase]
) -> RevisionType:
    """Say what became of a phase that is gone."""
    into = heirs[id_]
    if len(into) > 1:
        return RevisionType.SPLIT_PHASE
    joined = any(each in old for each in into)
    joined |= any(into == others for other, others in heirs.items() if other != id_)
    return RevisionType.COLLAPSE_PHASE if joined else RevisionType.UPDATE_TASKS


def _changed(was: PlanPhase, now: PlanPhase, parts: tuple[PhaseId, ...]) -> RevisionType:
    if parts:
        return RevisionType.SPLIT_PHASE
    return RevisionType.EXPAND_PHASE if owned(now) > owned(was) else RevisionType.UPDATE_TASKS


def _gone(before: Plan, after: Plan) -> Iterator[PlanPhase]:
    kept = {phase.id for phase in after.phases}
    return (phase for phase in before.phases if phase.id not in kept)


def _heirs(gone: PlanPhase, before: Plan, after: Plan) -> tuple[PhaseId, ...]:
    """Return the new and the changed phases that own files of one that is gone.

    Where it declares none, that are all new ones: nobody can tell.
    """
    old = {phase.id: phase for phase in before.phases}
    files = owned(gone)
    return tuple(
        phase.id
        for phase in after.phases
        if old.get(phase.id) != phase
        and (shared(files, owned(phase)) if files else phase.id not in old)
    )
