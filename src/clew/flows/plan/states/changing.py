"""What becomes of a plan's state when the plan itself becomes another one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from clew.flows.plan.events import AskPlanner, PlanChanged, PlanProposed
from clew.flows.plan.states.record import PhaseState, PlanState, with_phase
from clew.words.errors import TransitionRefused
from clew.words.phases import PhaseStatus

__all__ = ["NO_REVISION", "accepted", "changed", "guided", "proposed"]

NO_REVISION: dict[str, Any] = {"replan": None, "proposal": None, "taken": False, "unplanned": ()}


def accepted(state: PlanState, phase: PhaseState) -> PlanState:
    """Let a phase declare what it changed, and go on from its work."""
    declared = tuple(phase.result.get("undeclared", ()))
    grown = replace(phase.phase, modifies=(*phase.phase.modifies, *declared))
    phases = tuple(grown if each.id == phase.id else each for each in state.plan.phases)
    again = replace(phase, phase=grown, again=True, work=str(phase.result.get("work", "")))
    return replace(with_phase(state, again), plan=replace(state.plan, phases=phases))


def guided(phase: PhaseState, words: str) -> tuple[str, ...]:
    """Return what the agent of a phase is told, with more words; nothing twice."""
    return tuple(each for each in dict.fromkeys((*phase.guidance, words)) if each)


def changed(state: PlanState, event: PlanChanged, _: datetime) -> PlanState:
    """Take over another plan; phases that have begun keep where they stand."""
    known = {phase.id: phase for phase in (*state.replaced, *state.phases.values())}
    phases = {
        phase.id: replace(known.get(phase.id, PhaseState(phase=phase)), phase=phase)
        for phase in event.plan.phases
    }
    for id_ in event.revised:
        phases[id_] = _revised(phases[id_], event)
    if event.retry is not None:
        tried = phases[event.retry]
        phases[tried.id] = replace(tried, again=True, guidance=guided(tried, event.reason))
    open_ = state.question
    settled = open_ and (open_.phase in event.revised or open_.phase not in phases)
    return replace(
        state,
        plan=event.plan,
        phases=phases,
        question=None if settled else open_,
        replaced=tuple(phase for id_, phase in known.items() if id_ not in phases),
        changes=_changes(state, event),
    )


def _revised(phase: PhaseState, event: PlanChanged) -> PhaseState:
    """Return a phase that is new or another one: it has as many tries as any that begins.

    One that is as it was before stands where it stood, for a person to decide about.
    """
    phase = replace(phase, again=False, replans=event.replans, **NO_REVISION)
    if event.undoes:
        return replace(phase, taken_back=True)
    return replace(
        phase,
        again=phase.status is PhaseStatus.FAILED,
        fresh_from=phase.retries + phase.attempts,
        retried=phase.retries,
        taken_back=False,
        advice=None,
        unadvised=(),
    )


def _changes(state: PlanState, event: PlanChanged) -> tuple[PlanChanged, ...]:
    if event.undoes:
        return state.changes[:-1]
    return state.changes if event.plan == event.before else (*state.changes, event)


def proposed(state: PlanState, event: PlanProposed, _: datetime) -> PlanState:
    """Keep what an agent proposes for a phase that failed; what it took counts to the phase."""
    intent = state.in_flight[event.of]
    if not isinstance(intent, AskPlanner):
        raise TransitionRefused(f"event {event.of} called no planner")
    phase = state.phase(intent.phase)
    usage = (*phase.usage, (event.agent, event.usage))
    failed = phase.status is PhaseStatus.FAILED and not phase.again
    return with_phase(state, replace(phase, usage=usage, proposal=event if failed else None))
