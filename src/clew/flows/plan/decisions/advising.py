"""What is made of a supervisor's advice: a change of the plan, where the rules let it.

An agent proposes; these rules decide. What would leave out a part of the plan, halt it or cut it
anew is a person's to decide, and so is all that the rules do not let through.
"""

from __future__ import annotations

from msgspec.structs import replace

from clew.agents.replies import Move
from clew.analysis.plans import check
from clew.flows.plan.events import PlanChanged, Supervised
from clew.flows.plan.states import PhaseState, PlanState
from clew.words.models import STRONG
from clew.words.plans import Plan, PlanPhase
from clew.words.printable import below

__all__ = ["carried_out", "told"]

_AGAIN = (Move.RETRY, Move.RETRY_ESCALATED, Move.FIX_ROOT_CAUSE)
_WAITING = (Move.RETRY_DEPENDENCY, Move.REORDER)


def carried_out(state: PlanState, phase: PhaseState, advice: Supervised) -> PlanChanged | None:
    """Return the change of the plan that an advice comes to; None: a person decides.

    A phase is tried again only with something that is new: words, a model, or something to wait
    for. What it waits for has to be in the plan, which has to hold together then.
    """
    if advice.halt:
        return None
    if advice.move in _AGAIN:
        grown = _otherwise(phase, advice)
    elif advice.move in _WAITING:
        grown = _waiting(phase.phase, advice)
    else:
        return None
    if grown is None:
        return None
    plan = with_phase(state.plan, grown)
    if any(finding.is_error for finding in check(plan, state.settings.plan_agents)):
        return None
    return PlanChanged(
        plan=plan,
        before=state.plan,
        reason=advice.guidance or advice.reason,
        by=advice.agent,
        retry=phase.id,
    )


def _otherwise(phase: PhaseState, advice: Supervised) -> PlanPhase | None:
    """Return the phase for another try, if that is one: not the same again."""
    model = advice.wanted or (STRONG if advice.move is Move.RETRY_ESCALATED else "")
    if model and model != phase.phase.model:
        return replace(phase.phase, model=model)
    is_new = bool(advice.guidance.strip()) and advice.guidance not in phase.guidance
    return phase.phase if is_new else None


def _waiting(phase: PlanPhase, advice: Supervised) -> PlanPhase | None:
    """Return the phase with what it is to wait for, if it does not yet."""
    more = [id_ for id_ in dict.fromkeys(advice.depends_on) if id_ not in phase.depends_on]
    return replace(phase, depends_on=(*phase.depends_on, *more)) if more else None


def with_phase(plan: Plan, phase: PlanPhase) -> Plan:
    """Return a plan with a phase in place of the one of that id."""
    phases = tuple(phase if each.id == phase.id else each for each in plan.phases)
    return replace(plan, phases=phases)


def told(phase: PhaseState) -> str:
    """Say to a person what a supervisor advised, or why there is no advice."""
    unplanned = [below(e.message, f"No plan of {e.agent}:") for e in phase.unplanned[-1:]]
    lines = [*_advice(phase), *unplanned]
    return "".join(f"\n{line}" for line in lines)


def _advice(phase: PhaseState) -> list[str]:
    advice = phase.advice
    if advice is None:
        return [below(e.message, f"No advice of {e.agent}:") for e in phase.unadvised[-1:]]
    lines = (
        below(advice.diagnosis, f"{advice.agent} says:"),
        below(f"{advice.move.replace('_', ' ')}. {advice.reason}", "It advises:"),
        below(advice.halt, "It asks to halt:"),
        below(advice.asks, "It asks:"),
    )
    return [line for line in lines if line]
