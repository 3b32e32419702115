"""Who is meant by the names of agents in plans."""

from __future__ import annotations

from clew.words.facts import BUILT_IN
from clew.words.models import NOBODY, AgentRole
from clew.words.plans import Plan, PlanPhase
from clew.words.settings import Settings

__all__ = ["agent_named", "agent_of", "agents_of", "model_named"]


def agent_of(phase: PlanPhase, settings: Settings) -> str:
    """Return the agent that carries out a phase: as the settings name it, else of the ladder."""
    return agent_named(phase.agent, settings)


def agents_of(plan: Plan, settings: Settings) -> tuple[str, ...]:
    """Return the agents that a plan needs: of its phases, and the one that supervises."""
    chosen = settings.plan_agents.get(AgentRole.SUPERVISE)
    supervisor = chosen.agent if chosen and chosen.agent != NOBODY else ""
    named = (*(agent_of(phase, settings) for phase in plan.phases), supervisor)
    return tuple(dict.fromkeys(filter(None, named)))


def agent_named(name: str, settings: Settings) -> str:
    """Return the agent that a name in plans stands for; the first of the ladder that writes."""
    chosen = settings.plan_agents.get(name)
    if chosen and chosen.agent:
        return chosen.agent
    return next((name for name in settings.agent if name != BUILT_IN), BUILT_IN)


def model_named(name: str, settings: Settings) -> str:
    """Return the model that the settings name for such an agent; nothing for its own."""
    chosen = settings.plan_agents.get(name)
    return chosen.model if chosen else ""
