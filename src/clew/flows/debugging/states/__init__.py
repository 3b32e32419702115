"""The states of a session and the one function that moves between them.

A state is a fold over the session's events: `fold(state, recorded)` and nothing else makes one.
`TRANSITIONS` is the whole machine: which events a stage admits, and where they may lead. Whatever
is not in the table is refused with both sides named, and changes nothing.

Laws held here:
- an outcome needs its intent in flight; an intent is in flight once;
- the iteration counter moves with `IterationBegan` alone, by one, never past the cap of its round;
- counter - 1 <= entries of the history <= counter, at every instant;
- a round begins only after the recheck of the baseline, or by a person's answer;
- a halt or a way back never shortens the history: what was tried stays known.
"""

from clew.flows.debugging.states.agents import draft
from clew.flows.debugging.states.attempts import (
    Attempt,
    acceptable,
    attempts,
    forbidden,
    guesses,
    made,
    objected,
    on_this,
    refused,
    repeated,
    taken_back_at,
    tried,
    undecided,
    undone,
    vouched,
)
from clew.flows.debugging.states.disputes import dispute
from clew.flows.debugging.states.folding import fold, replay
from clew.flows.debugging.states.ladder import doubted, fixing_agent_after
from clew.flows.debugging.states.record import ChosenChange, Departure, RestorePoint, State, require
from clew.flows.debugging.states.session import KNOWLEDGE
from clew.flows.debugging.states.spent import Spent
from clew.flows.debugging.states.table import OUTCOMES, TRANSITIONS, UNMOVING, Stage

__all__ = [
    "KNOWLEDGE",
    "OUTCOMES",
    "TRANSITIONS",
    "UNMOVING",
    "Attempt",
    "ChosenChange",
    "Departure",
    "RestorePoint",
    "Spent",
    "Stage",
    "State",
    "acceptable",
    "attempts",
    "dispute",
    "doubted",
    "draft",
    "fixing_agent_after",
    "fold",
    "forbidden",
    "guesses",
    "made",
    "objected",
    "on_this",
    "refused",
    "repeated",
    "replay",
    "require",
    "taken_back_at",
    "tried",
    "undecided",
    "undone",
    "vouched",
]
