"""The agent that supervises: told how a phase failed, and asked beside other work what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew import agents, runners
from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import Move, SuperviseReply, SupervisorAction
from clew.agents.roles import SUPERVISE
from clew.flows.plan.driver.background import Background
from clew.flows.plan.events import AskSupervisor, Supervised
from clew.flows.plan.states import PhaseState, PlanState
from clew.flows.plan.telling import criteria_text, phase_text
from clew.git.worktrees import PrivateRepository
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling, hold, kept
from clew.sessions.run import SessionRun
from clew.words.errors import AgentFailed
from clew.words.facts import Runner, TestCommand
from clew.words.papers import without_papers
from clew.words.plans import PhaseId, shown
from clew.words.records import AgentFailure

if TYPE_CHECKING:
    from clew.git.project import Project
    from clew.journal.store import Store
    from clew.sessions import Watcher

__all__ = ["ask_supervisor"]

NO_TESTS = TestCommand(runner=Runner.COMMAND, argv=("true",), source="none")


def ask_supervisor(run: SessionRun[PlanState], _: int, intent: AskSupervisor) -> Background:
    """Have an agent look at a phase that failed; asked again after a crash, it changes nothing."""
    state, beside = run.state, _Beside(run)

    def work() -> Supervised | AgentFailure:
        worktree = run.repository.add_worktree(beside.id, intent.base)
        try:
            return _asked(beside, state, intent, worktree)
        finally:
            run.repository.remove(worktree, even_dirty=True)

    return Background(work)


@dataclass(frozen=True)
class _Beside:
    """A plan's session as a call sees it that is made beside its work: in a worktree of its own.

    It appends nothing to the journal: that is for who holds the session.
    """

    run: SessionRun[PlanState]
    conversation: str = ""

    @property
    def id(self) -> str:
        return f"{self.run.id}-supervise"

    @property
    def project(self) -> Project:
        return self.run.project

    @property
    def store(self) -> Store:
        return self.run.store

    @property
    def repository(self) -> PrivateRepository:
        return self.run.repository

    @property
    def watcher(self) -> Watcher:
        return self.run.watcher

    @property
    def state(self) -> _Beside:
        return self

    @property
    def mark(self) -> str:
        return self.run.mark

    @property
    def scratch(self) -> Path:
        return self.run.scratch

    @property
    def pulse(self) -> Path:
        return self.run.pulse

    def record(self, _: object) -> int:
        return 0


def _asked(
    beside: _Beside, state: PlanState, intent: AskSupervisor, worktree: Path
) -> Supervised | AgentFailure:
    settings, phase = state.settings, state.phase(intent.phase)
    calling = AgentCalling(session=beside, intent=intent, settings=settings, base=intent.base)

    def call(_: agents.Agent) -> agents.Call[SuperviseReply]:
        scratch = beside.scratch
        return agents.Call(
            number=intent.call,
            role=SUPERVISE,
            brief=_brief(beside.repository, state, phase),
            site=runners.site_for(beside.project, worktree, NO_TESTS, settings, scratch),
            limits=limits.for_agents(settings),
            scratch=scratch,
            seconds=settings.agent_timeout * SUPERVISE.time * intent.attempt,
            idle_seconds=settings.agent_idle_timeout * intent.attempt,
        )

    def ask(agent: agents.Agent, call: agents.Call[SuperviseReply]) -> agents.Done[SuperviseReply]:
        return agent.do(call, beside.watcher.tick)

    def told(done: agents.Done[SuperviseReply], around: dict[str, Any]) -> Supervised:
        hold(beside, SUPERVISE, intent.base)
        action = _action(done.reply, intent.phase)
        return Supervised(
            agent=intent.agent,
            phase=intent.phase,
            diagnosis=done.reply.diagnosis,
            move=action.action,
            reason=action.reason,
            guidance=action.additional_context or "",
            wanted=action.new_model or "",
            depends_on=action.depends_on,
            asks=action.human_question or "",
            pattern=done.reply.pattern_detected or "",
            halt=(done.reply.halt_reason or "") if done.reply.should_halt else "",
            reply=kept(beside.store, done.said),
            **around,
        )

    return calling.settled(call, ask, told, lambda _, fields: AgentFailure(**fields))


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
