"""The agent that plans: what it is told, and what its plan is held to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import PlanReply
from clew.analysis.plans import check
from clew.documents.plans import write
from clew.flows.plan.decisions.revising import OPEN, revised
from clew.flows.plan.driver.asking import AsideCaller, ask_aside
from clew.flows.plan.driver.background import Background
from clew.flows.plan.events import AskPlanner, PlanProposed
from clew.flows.plan.states import PhaseState, PlanState
from clew.sessions.run import SessionRun
from clew.words.errors import AgentFailed
from clew.words.plans import Plan, PlanPhase, shown
from clew.words.settings import Settings

__all__ = ["ask_planner", "ensure_sound", "plan_brief", "refused"]


def ask_planner(run: SessionRun[PlanState], _: int, intent: AskPlanner) -> Background:
    """Have an agent cut anew what is left of the plan; asked again, it changes nothing."""
    state, aside = run.state, AsideCaller(run, "plan")
    phase = state.phase(intent.phase)

    def brief() -> Brief:
        return plan_brief(
            state.settings,
            f"the plan «{state.plan.title}», cut anew for what is left of it",
            _asked(state, phase, intent.wanted),
            attempt=intent.attempt,
            complaint=phase.unplanned[-1].message if phase.unplanned else "",
        )

    def told(reply: PlanReply, around: dict[str, Any]) -> PlanProposed:
        _ensure(revised(state, phase, reply.plan)[1])
        return PlanProposed(agent=intent.agent, plan=reply.plan, phase=phase.id, **around)

    return Background(lambda: ask_aside(aside, intent, state.settings, brief, told))


def plan_brief(
    settings: Settings, goal: str, asked: Iterable[BriefText], *, attempt: int, complaint: str = ""
) -> Brief:
    """Return what an agent is told that writes a plan."""
    return Brief(
        iteration=attempt,
        cap=settings.agent_retries + 1,
        goal=goal,
        command_line=settings.test_command or "",
        asked=tuple(asked),
        complaint=complaint,
        budget=settings.context_tokens,
        counter=settings.token_counter,
        templates=settings.prompts,
    )


def ensure_sound(plan: Plan, settings: Settings) -> Plan:
    """Return a plan that keeps to every rule. Raises AgentFailed, naming those that it breaks."""
    wrong = (finding for finding in check(plan, settings.plan_agents) if finding.is_error)
    _ensure([f"{each.where}: {each.message} [{each.code}]" for each in wrong])
    return plan


def _ensure(wrong: Iterable[str]) -> None:
    if told := "".join(f"\n- {each}" for each in wrong):
        raise AgentFailed(f"the plan breaks rules:{told}", kind="invalid_output")


def refused(plan: Plan, why: str, number: int) -> Iterator[BriefText]:
    """Yield an earlier plan as its agent is shown it again, and what was wrong with it."""
    label = f"plan {number}"
    yield BriefText(section=BriefSection.EARLIER, label=label, text=f"{why}\n\n{write(plan)}")


def _asked(state: PlanState, phase: PhaseState, wanted: str) -> Iterator[BriefText]:
    """Yield the goal, what stands, what is left as it is planned now, and how a phase failed."""
    goal = f"{state.plan.title}\n\n{state.plan.goal}".strip()
    yield BriefText(section=BriefSection.TASK, label="goal", text=goal)
    left = replace(state.plan.bare, phases=())
    phases: list[PlanPhase] = []
    for each in state.phases.values():
        if each.status in OPEN:
            phases.append(each.phase)
            continue
        files = ", ".join(each.phase.files)
        text = f"{each.phase.name}: {each.status}; its files: {files or 'not declared'}"
        label = f"phase {json.dumps(each.id)}"
        yield BriefText(section=BriefSection.OTHERS, label=label, text=text)
    errors = "\n\n".join(error.message for error in phase.errors if not error.resolved)
    why = [f"Phase {shown(phase.id)} failed:\n{errors}", *(words for words in [wanted] if words)]
    yield from refused(replace(left, phases=tuple(phases)), "\n\n".join(why), 1)
