"""The agent that plans: what it is told, and what its plan is held to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.analysis.plans import check
from clew.documents.plans import write
from clew.words.errors import AgentFailed
from clew.words.plans import Plan
from clew.words.settings import Settings

__all__ = ["ensure_sound", "plan_brief", "refused"]


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
    wrong = [finding for finding in check(plan, settings.plan_agents) if finding.is_error]
    if wrong:
        told = "\n".join(
            f"- {finding.where}: {finding.message} [{finding.code}]" for finding in wrong
        )
        raise AgentFailed(f"the plan breaks rules:\n{told}", kind="invalid_output")
    return plan


def refused(plan: Plan, why: str, number: int) -> Iterator[BriefText]:
    """Yield an earlier plan as its agent is shown it again, and what was wrong with it."""
    label = f"plan {number}"
    yield BriefText(section=BriefSection.EARLIER, label=label, text=f"{why}\n\n{write(plan)}")
