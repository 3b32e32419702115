"""What a decision asks for: work of the hands, a conclusion to journal, or a wait."""

from __future__ import annotations

from clew.journal.flow import Pause, Record
from clew.words import events as ev

__all__ = ["ESCALATION", "ITERATION", "PASSING", "START", "Action", "Pause", "Record"]

# The names that checkpoints begin with.
START = "start"
ITERATION = "iteration"
ESCALATION = "escalation"
PASSING = "tests_passing"

Action = Record | Pause | ev.AnyIntent
