"""Whose turn it is: the ladder of agents, for diagnoses and for the hands that carry a fix out."""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.debugging.states.attempts import tried
from clew.flows.debugging.states.record import State, require
from clew.flows.debugging.states.table import Stage
from clew.words import events as ev
from clew.words.events import Result
from clew.words.facts import BUILT_IN

__all__ = ["doubted", "first_rung", "fixing_agent_after", "handed_on", "is_overruled", "next_rung"]

FOURTH = 4  # the rules since which an agent that has said all it knows is not asked again


def doubted(state: State) -> bool:
    """Tell whether the present agent gave a diagnosis of low confidence, and is asked once more."""
    told = state.diagnosed
    return told is not None and told.agent == state.agent and told.diagnosis.confidence == "low"


def first_rung(state: State) -> int:
    """Return where the ladder is entered: not where an agent is unfit, or has nothing new."""
    repeated = {a.entry.agent for a in tried(state) if a.entry.result is Result.REPEATED}
    unfit, spent = state.unfit, _exhausted(state)
    for without in (unfit | repeated | spent, unfit | spent, unfit):
        for rung, agent in enumerate(state.settings.agent):
            if agent not in without:
                return rung
    return 0


def _exhausted(state: State) -> frozenset[str]:
    """Return the agents that have said all they know of these failures, on this very code."""
    if state.session.rules < FOURTH:
        return frozenset()
    begun = zip(state.history, state.grounds, state.signatures, strict=True)
    same = {
        entry.iteration
        for entry, ground, signature in begun
        if (ground.edition, ground.helped) == (state.edition, state.helped)
        and signature == state.signature
    }
    told = (told for told in state.diagnoses if told.iteration in same)
    return frozenset(each.agent for each in told if each.diagnosis.exhausted)


def next_rung(state: State) -> State:
    for rung in range(state.rung + 1, len(state.settings.agent)):
        if state.settings.agent[rung] not in state.unfit:
            return replace(state, rung=rung, failures=0)
    if state.diagnosed:
        return replace(state, stage=Stage.REPORTING)
    return replace(state, stage=Stage.JUDGED, verdict=Result.AGENT_FAILED)


def fixing_agent_after(state: State) -> str:
    """Return the next agent on the ladder that can carry a fix out; none if there is none."""
    if _is_back(state):
        return ""
    agents = tuple(dict.fromkeys(state.settings.agent))
    place = agents.index(state.fixing_agent) if state.fixing_agent in agents else len(agents)
    return next((agent for agent in agents[place + 1 :] if agent not in state.unfit), "")


def handed_on(state: State, fixer: str) -> State:
    """Let `fixer` carry the fix out; without one, who proposed it, if an objection passed it by."""
    if not fixer and state.fixer and is_overruled(state) and not _is_back(state):
        fixer = require(state.diagnosed).agent
    if fixer:
        return replace(state, fixer=fixer, failures=0)
    return replace(state, stage=Stage.UNDOING, verdict=Result.AGENT_FAILED)


def is_overruled(state: State) -> bool:
    """Tell whether a patch of the built-in repairer met an objection."""
    reviewed, by = state.reviewed, require(state.diagnosed).agent
    return reviewed is not None and reviewed.opinion is ev.Opinion.SUGGEST_CHANGE and by == BUILT_IN


def _is_back(state: State) -> bool:
    """Tell whether the fix has come back to who proposed it: nobody is left to hand it on to."""
    return state.fixer == require(state.diagnosed).agent
