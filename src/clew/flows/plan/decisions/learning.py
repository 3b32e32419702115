"""What a plan teaches, and what of that and of earlier ones its phases are told."""

from __future__ import annotations

from clew.analysis.context.counting import counter
from clew.analysis.plans.learning import PhaseFailure, lessons, told
from clew.flows.plan.states import PlanState
from clew.words.lessons import Lesson
from clew.words.plans import PlanPhase, shown

__all__ = ["learned", "taught"]


def taught(state: PlanState) -> tuple[Lesson, ...]:
    """Return what failed in phases of a plan more than once."""
    session = state.session.session_id
    failures = (
        PhaseFailure(
            seen=f"{session} phase {shown(phase.id)}",
            files=phase.phase.files,
            message=error.message,
        )
        for phase in (*state.replaced, *state.phases.values())
        for error in phase.errors
    )
    return lessons(failures)


def learned(state: PlanState, phase: PlanPhase) -> tuple[str, ...]:
    """Return what a phase is told: what this plan taught so far, and what earlier ones did."""
    settings = state.settings
    if not settings.learnings:
        return ()
    return told((*taught(state), *state.session.learned), phase, counter(settings.token_counter))
