"""What people read of a plan: its document, rendered at every change, and the final summary."""

from __future__ import annotations

from collections import Counter
from typing import Any

from clew.flows.plan.states import PlanState
from clew.sandbox.files import write_atomically
from clew.sessions.run import SessionRun
from clew.words.phases import PhaseStatus
from clew.words.plans import shown

__all__ = ["summary_text", "write_document", "write_summary"]


def write_document(run: SessionRun[PlanState]) -> None:
    """Render the plan's document as it is now."""


def write_summary(run: SessionRun[PlanState]) -> str:
    """Write the final summary; return its path, relative to the project."""
    folder = run.sessions.project.documents / run.id
    path = folder / "summary.md"
    write_atomically(path, summary_text(run.state).encode())
    return path.relative_to(run.sessions.project.root).as_posix()


def summary_text(state: PlanState) -> str:
    """Return what was delivered, what it took, and what deviates from the plan."""
    lines = [f"# {state.plan.title or state.session.goal}", "", *_delivered(state), ""]
    lines += ["## Phases", ""]
    for phase in state.phases.values():
        lines.append(f"- {shown(phase.id)} {phase.phase.name}: {phase.status}")
        if summary := str(phase.result.get("summary", "")).strip():
            lines.append(f"  {summary.splitlines()[0]}")
    deviations = list(_deviations(state))
    lines += ["", "## Deviations from the plan", "", *(deviations or ["- none"]), ""]
    return "\n".join(lines)


def _delivered(state: PlanState) -> list[str]:
    count: Counter[str] = Counter()
    for phase in state.phases.values():
        for kind in ("created", "modified", "deleted"):
            count[kind] += len(getattr(phase, kind))
    done = sum(p.status is PhaseStatus.COMPLETED for p in state.phases.values())
    files = ", ".join(f"{count[kind]} {kind}" for kind in ("created", "modified", "deleted"))
    usage: dict[str, Any] = {"in": state.usage.input, "out": state.usage.output}
    tokens = ", ".join(f"{value} {name}" for name, value in usage.items() if value is not None)
    return [
        f"{done} of {len(state.phases)} phases completed. Files: {files}.",
        f"Tokens: {tokens or 'unknown'}.",
    ]


def _deviations(state: PlanState) -> list[str]:
    told = []
    for phase in state.phases.values():
        declared = set(phase.phase.files)
        touched = (*phase.created, *phase.modified, *phase.deleted)
        if extra := [path for path in touched if declared and path not in declared]:
            told.append(f"- phase {shown(phase.id)} also changed {', '.join(extra)}")
        if phase.errors:
            told.append(f"- phase {shown(phase.id)} failed {len(phase.errors)} times on its way")
        if phase.status is PhaseStatus.SKIPPED:
            told.append(f"- phase {shown(phase.id)} was left out")
    return told
