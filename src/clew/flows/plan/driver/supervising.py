"""The agent that supervises: told how a phase failed, and asked beside other work what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import Move, SuperviseReply, SupervisorAction
from clew.flows.plan.driver.asking import AsideCaller, ask_aside
from clew.flows.plan.driver.background import Background
from clew.flows.plan.events import AskSupervisor, Supervised
from clew.flows.plan.states import PhaseState, PlanState
from clew.flows.plan.telling import criteria_text, phase_text
from clew.git.worktrees import PrivateRepository
from clew.sessions.run import SessionRun
from clew.words.errors import AgentFailed
from clew.words.papers import without_papers
from clew.words.plans import PhaseId, shown

__all__ = ["ask_supervisor"]


def ask_supervisor(run: SessionRun[PlanState], _: int, intent: AskSupervisor) -> Background:
    """Have an agent look at a phase that failed; asked again after a crash, it changes nothing."""
    state, aside = run.state, AsideCaller(run, "supervise")
    phase = state.phase(intent.phase)

    def brief() -> Brief:
        return _brief(run.repository, state, phase)

    def told(reply: SuperviseReply, around: dict[str, Any]) -> Supervised:
        action = _action(reply, intent.phase)
        return Supervised(
            agent=intent.agent,
            phase=intent.phase,
            diagnosis=reply.diagnosis,
            move=action.action,
            reason=action.reason,
            guidance=action.additional_context or "",
            wanted=action.new_model or "",
            depends_on=action.depends_on,
            asks=action.human_question or "",
            pattern=reply.pattern_detected or "",
            halt=(reply.halt_reason or "") if reply.should_halt else "",
            **around,
        )

    return Background(lambda: ask_aside(aside, intent, state.settings, brief, told))


def _action(reply: SuperviseReply, id_: PhaseId) -> SupervisorAction:
    """Return what is said of the phase that was asked about. Raises AgentFailed."""
    found = next((each for each in reply.actions if each.task_id == id_), None)
    if found is None and (why := reply.halt_reason):
        return SupervisorAction(task_id=id_, action=Move.ESCALATE, reason=why, human_question=why)
    if found is None:
        why = f"no action is for task {json.dumps(id_)}, which is the one that failed"
        raise AgentFailed(why, kind="invalid_output")
    return found


def _brief(repository: PrivateRepository, state: PlanState, phase: PhaseState) -> Brief:
    settings, work = state.settings, str(phase.result.get("work", ""))
    return Brief(
        iteration=phase.attempts,
        cap=state.session.max_retries + 1,
        goal=f"the plan «{state.plan.title}», of which phase {shown(phase.id)} failed",
        command_line=state.plan.test_command,
        asked=tuple(_told(state, phase)),
        diff=without_papers(repository.diff(phase.base, work)) if work and phase.base else "",
        complaint=phase.unadvised[-1].message if phase.unadvised else "",
        budget=settings.context_tokens,
        counter=settings.token_counter,
        templates=settings.prompts,
    )


def _told(state: PlanState, phase: PhaseState) -> Iterator[BriefText]:
    """Yield the phase, how it failed, what was done about it, and the phases beside it."""
    label = f"task {json.dumps(phase.id)}"
    text = phase_text(phase.phase, state.plan.goal)
    yield BriefText(section=BriefSection.TASK, label=label, text=text)
    criteria = criteria_text(phase.phase)
    yield BriefText(section=BriefSection.CRITERIA, label="criteria", text=criteria)
    errors = "\n\n".join(error.message for error in phase.errors if not error.resolved)
    yield BriefText(section=BriefSection.FAILURE, label="errors", text=errors)
    for number, words in enumerate(phase.guidance, 1):
        yield BriefText(section=BriefSection.EARLIER, label=f"guidance {number}", text=words)
    for other in state.phases.values():
        if other.id != phase.id:
            waits = ", ".join(map(json.dumps, other.phase.depends_on)) or "nothing"
            text = f"{other.phase.name}: {other.status}; waits for {waits}"
            if other.phase.creates:
                text += f"; creates {', '.join(other.phase.creates)}"
            label = f"task {json.dumps(other.id)}"
            yield BriefText(section=BriefSection.OTHERS, label=label, text=text)
