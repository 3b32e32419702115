"""Events of the debugging loop: rounds, iterations, and the places one may go back to."""

from __future__ import annotations

from clew.words.events.words import ACCEPT, HaltKind, Result
from clew.words.records import Event, Outcome
from clew.words.settings import Budget

__all__ = ["CheckpointSaved", "Halted", "IterationBegan", "IterationEnded", "RoundBegan"]


class RoundBegan(Event, frozen=True, kw_only=True):
    """The debugging loop is entered, at first or by a person's answer after an escalation."""

    number: int
    cap: int
    topic: str
    budget: Budget | None = None  # that a person gave it; None is the session's


class IterationBegan(Event, frozen=True, kw_only=True):
    """The counter moves: here and nowhere else."""

    number: int  # within the round, from 1
    overall: int  # over all rounds, from 1


class IterationEnded(Event, frozen=True, kw_only=True):
    """The verdict on an iteration: one entry of the history."""

    iteration: int  # overall
    result: Result
    report: str | None = None
    root_cause: str = ""
    fix_attempted: str = ""
    agent: str = ""
    model: str = ""  # that the agent was asked to use
    commit: str | None = None
    patch: str = ""
    progress: bool = False
    new_errors: tuple[str, ...] = ()
    note: str = ""
    escalation_reason: str = ""
    files: tuple[str, ...] = ()
    seconds: float = 0.0  # of agents, tests and proofs
    red_before: int | None = None
    red_after: int | None = None
    total: int | None = None  # tests in the run after the fix
    doubtful: bool = False  # what refused the fix was a doubt, which a person may settle

    @property
    def acceptance(self) -> str:
        """The word of the answer that accepts its fix."""
        return f"{ACCEPT}-{self.iteration}"

    @property
    def worker(self) -> str:
        """Who worked on it, with the model that was asked for."""
        named = not self.model or self.model in self.agent.split(":")
        return self.agent if named else f"{self.agent} ({self.model})"


class CheckpointSaved(Outcome, frozen=True, kw_only=True):
    """State, events so far and tree are kept under `name`."""

    name: str
    commit: str
    path: str


class Halted(Event, frozen=True, kw_only=True):
    """The round is left before its cap; an iteration under way ends unfinished."""

    kind: HaltKind
    reason: str
