"""A phase in words, for whoever carries it out, repairs it or judges it."""

from __future__ import annotations

from clew.words.plans import Criterion, PlanPhase, shown

__all__ = ["criteria_text", "phase_text"]


def phase_text(phase: PlanPhase, goal: str) -> str:
    """Return what a phase asks for, in words."""
    lines = [f"# Phase {shown(phase.id)}: {phase.name}"]
    if goal:
        lines += ["", f"Goal of the plan: {goal}"]
    lines += ["", phase.objective, "", phase.description]
    for name, paths in (
        ("Files to create", phase.creates),
        ("Files to modify", phase.modifies),
        ("Files to delete", phase.deletes),
        ("Test files", phase.test_files),
    ):
        if paths:
            lines += ["", f"{name}: {', '.join(paths)}"]
    if phase.validation:
        lines += ["", "It is checked with:"]
        lines += [f"- `{' '.join(argv)}`" for argv in phase.validation]
    return "\n".join(lines).strip()


def criteria_text(phase: PlanPhase) -> str:
    """Return what decides whether a phase is done, one line a criterion."""
    return "\n".join(map(_criterion, phase.criteria))


def _criterion(each: Criterion) -> str:
    target = f" {each.target}" if each.target else ""
    return f"- {each.criterion} (verified by {each.verify_by}{target})"
