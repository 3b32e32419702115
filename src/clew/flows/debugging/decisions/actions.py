"""What a decision asks for: work of the hands, a conclusion to journal, or a wait."""

from __future__ import annotations

from datetime import datetime

import msgspec

from clew.words import events as ev

__all__ = ["ESCALATION", "ITERATION", "PASSING", "START", "Action", "Pause", "Record"]

# The names that checkpoints begin with.
START = "start"
ITERATION = "iteration"
ESCALATION = "escalation"
PASSING = "tests_passing"


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is to be done before that time. It is not journalled: the failure before it is."""

    until: datetime
    why: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A conclusion, to be journalled as it is."""

    event: ev.AnyEvent


Action = Record | Pause | ev.AnyIntent
