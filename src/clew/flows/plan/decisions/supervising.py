"""What becomes of a phase that failed, as far as rules can say it from the evidence."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from msgspec.structs import replace

from clew.analysis.plans import check
from clew.flows.plan.events import PlanChanged
from clew.flows.plan.states import PhaseState, PlanState
from clew.words.phases import ErrorKind
from clew.words.plans import Plan, PlanPhase, shown

__all__ = ["supervise"]

_MISSING = re.compile(r"No module named ['\"]([\w.]+)['\"]|cannot import name ['\"](\w+)['\"]")
RULES = "rules"


def supervise(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    """Return a change of the plan after which the phase is tried again; None: a person decides.

    - It needs what another phase creates, and does not wait for it: now it does.
    - Its change did not fit what was merged meanwhile: it is made anew on top of that.
    """
    if phase.retries + phase.attempts > state.session.max_retries + 1:
        return None
    return _dependency(state, phase) or _conflict(state, phase)


def _dependency(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    text = "\n".join(error.message for error in phase.errors[-3:])
    for module, name in _MISSING.findall(text):
        wanted = module or name
        for other in state.plan.phases:
            if other.id in (phase.id, *phase.phase.depends_on):
                continue
            if any(_is_module(path, wanted) for path in other.creates):
                grown = replace(phase.phase, depends_on=(*phase.phase.depends_on, other.id))
                plan = _with_phase(state.plan, grown)
                if any(f.is_error for f in check(plan, state.session.settings.plan_agents)):
                    return None
                return PlanChanged(
                    plan=plan,
                    before=state.plan,
                    reason=f"it needs {wanted}, which phase {shown(other.id)} creates",
                    by=RULES,
                    retry=phase.id,
                )
    return None


def _is_module(path: str, name: str) -> bool:
    """Whether a file is the module, or the package, of that name."""
    parts = PurePosixPath(path).with_suffix("").parts
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    wanted = tuple(name.split("."))
    return parts[-len(wanted) :] == wanted


def _conflict(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    last = phase.errors[-1] if phase.errors else None
    if last is None or last.type is not ErrorKind.FILE_CONFLICT:
        return None
    return PlanChanged(
        plan=state.plan, before=state.plan, reason=last.message, by=RULES, retry=phase.id
    )


def _with_phase(plan: Plan, phase: PlanPhase) -> Plan:
    phases = tuple(phase if each.id == phase.id else each for each in plan.phases)
    return replace(plan, phases=phases)
