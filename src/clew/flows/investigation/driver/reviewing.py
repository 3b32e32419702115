"""A specialist's look at a root cause, before anything is fixed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clew import agents
from clew.agents.prompts import Brief
from clew.agents.replies import ReviewReply
from clew.agents.roles import REVIEW
from clew.flows.investigation.driver.calling import called
from clew.flows.investigation.driver.telling import report_of
from clew.flows.investigation.events import SpecialistReviewed
from clew.flows.investigation.states import DebugState
from clew.sessions.calling import kept
from clew.sessions.run import SessionRun
from clew.words.facts import TestCommand
from clew.words.investigations import SKILLS, SpecialistHint
from clew.words.records import AgentCall, AgentFailure

__all__ = ["review"]


def review(run: SessionRun[DebugState], intent: AgentCall) -> SpecialistReviewed | AgentFailure:
    """Have a reviewer read the root cause and the direction of the fix; it may change nothing."""

    def brief(command: TestCommand, _: Path) -> Brief:
        state, settings = run.state, run.state.settings
        hint = state.cause.specialist if state.cause else SpecialistHint.GENERAL
        skill = settings.specialist_skills.get(hint, SKILLS.get(hint, ""))
        return Brief(
            goal=f"the fix of {state.session.slug}, as a specialist in {hint} sees it",
            command_line=" ".join(command.argv),
            folder=run.project.subdir,
            report=report_of(state),
            specialty=f"{hint}; use the skill {skill} if you have it" if skill else str(hint),
            budget=settings.context_tokens,
            counter=settings.token_counter,
            templates=settings.prompts,
        )

    def told(done: agents.Done[ReviewReply], around: dict[str, Any]) -> SpecialistReviewed:
        return SpecialistReviewed(
            agent=intent.agent,
            opinion=done.reply.verdict,
            reason=done.reply.reason,
            suggestion=done.reply.suggestion,
            reply=kept(run.store, done.said),
            **around,
        )

    return called(run, intent, REVIEW, brief, told)
