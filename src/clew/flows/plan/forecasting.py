"""What a plan may take, by what phases of the same agents took in this project before."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from clew.analysis.plans import critical_path, ready
from clew.flows.plan.decisions.naming import agent_of
from clew.flows.plan.phases.events import COMPLETED, KIND
from clew.flows.plan.phases.kind import load_phase
from clew.flows.plan.working import ensure_agents, read
from clew.words.facts import Fact, Usage
from clew.words.plans import PhaseId, Plan

if TYPE_CHECKING:
    from clew.sessions import ProjectSessions
    from clew.words.settings import Settings

__all__ = ["Forecast", "PhaseTook", "forecast", "longest"]

NEWEST = 50  # sessions of phases that are looked at


class PhaseTook(Fact, frozen=True, kw_only=True):
    """What one phase took, from its beginning to its last gate."""

    agent: str
    seconds: float
    usage: Usage


class Forecast(Fact, frozen=True, kw_only=True):
    """What a plan may take: medians of what is known, and nothing where nothing is."""

    phases: int
    steps: int  # of the longest chain
    agents: dict[str, int]  # phases of each
    known: int  # phases of these agents that were completed here before
    seconds: float | None = None
    tokens: int | None = None
    usd: float | None = None


def forecast(
    sessions: ProjectSessions, settings: Settings, path: Path, *, parallel: int
) -> Forecast:
    """Say what a plan may take; nothing is run and nothing approved.

    Raises UsageError, and PlanInvalid with all that is wrong with the plan.
    """
    plan, _ = read(path, settings)
    ensure_agents(settings, plan)
    agents = {phase.id: agent_of(phase, settings) for phase in plan.phases}
    before = [took for took in _before(sessions) if took.agent in agents.values()]
    tokens = _sum(agents, {t.agent: [_tokens(o) for o in _of(before, t.agent)] for t in before})
    return Forecast(
        phases=len(plan.phases),
        steps=len(critical_path(plan)),
        agents=dict(Counter(agents.values())),
        known=len(before),
        seconds=_seconds(plan, agents, before, parallel),
        tokens=None if tokens is None else round(tokens),
        usd=_sum(agents, {t.agent: [o.usage.usd for o in _of(before, t.agent)] for t in before}),
    )


def longest(plan: Plan, seconds: Mapping[PhaseId, float], parallel: int) -> float:
    """Return when the last phase ends, if as many as may run side by side do."""
    done: dict[PhaseId, str] = {}
    ends: dict[PhaseId, float] = {}
    now = 0.0
    while len(done) < len(plan.phases) or ends:
        for id_ in ready(plan, done)[: max(0, parallel - len(ends))]:
            done[id_], ends[id_] = "in_progress", now + seconds[id_]
        if not ends:
            break
        first = min(ends, key=ends.__getitem__)
        now = ends.pop(first)
        done[first] = "completed"
    return now


def _seconds(
    plan: Plan, agents: Mapping[PhaseId, str], before: list[PhaseTook], parallel: int
) -> float | None:
    medians = {took.agent: median(o.seconds for o in _of(before, took.agent)) for took in before}
    if not medians.keys() >= set(agents.values()):
        return None
    return longest(plan, {id_: medians[agent] for id_, agent in agents.items()}, parallel)


def _sum(agents: Mapping[PhaseId, str], known: Mapping[str, list[float | None]]) -> float | None:
    """Return the medians of all phases together; None where one agent's is not known."""
    told = {agent: [n for n in numbers if n is not None] for agent, numbers in known.items()}
    if not all(told.get(agent) for agent in agents.values()):
        return None
    return sum(median(told[agent]) for agent in agents.values())


def _of(before: Iterable[PhaseTook], agent: str) -> list[PhaseTook]:
    return [took for took in before if took.agent == agent]


def _tokens(took: PhaseTook) -> float | None:
    usage = took.usage
    if usage.input is None and usage.output is None:
        return None
    return (usage.input or 0) + (usage.output or 0)


def _before(sessions: ProjectSessions) -> Iterator[PhaseTook]:
    """Yield what completed phases took, the newest first."""
    ended = (one for one in sessions.listing() if one.kind == KIND and one.status == COMPLETED)
    for one in itertools.islice(ended, NEWEST):
        state = load_phase(sessions, one.session)
        seconds = (one.updated - one.created).total_seconds()
        yield PhaseTook(agent=state.request.agent, seconds=seconds, usage=state.usage)
