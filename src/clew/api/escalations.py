"""What a person is handed when a round ends without success."""

from __future__ import annotations

import msgspec

from clew.documents import escalation
from clew.flows.debugging.driver import escalated
from clew.flows.debugging.states import State
from clew.sessions import ProjectSessions
from clew.words.facts import TestRun

__all__ = ["NextSteps", "next_steps"]


class NextSteps(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoint that keeps the work, and what is worth doing, most concrete first."""

    checkpoint: str
    steps: tuple[str, ...]


def next_steps(sessions: ProjectSessions, state: State) -> NextSteps | None:
    """Return what is worth doing next where a debugging session waits; None where it does not.

    Raises JournalDamaged where the record of the failing run is gone.
    """
    if state.kept is None or state.question is None or not state.checkpoints:
        return None
    run = sessions.store.get_record(state.kept.run, TestRun)
    view, told = escalated(state, run.without(state.flaky), state.question.options)
    return NextSteps(checkpoint=told.checkpoint, steps=escalation.next_steps(view, told))
