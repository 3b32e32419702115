"""What agents and tests have taken, and who of the agents took it."""

from __future__ import annotations

import msgspec

from clew.words import events as ev
from clew.words.facts import Usage
from clew.words.records import AgentCall, AgentOutcome

__all__ = ["COSTLY", "Spent", "called"]

COSTLY = (ev.TestsRan, ev.Bisected, ev.Proved, ev.Abandoned, AgentOutcome)


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What agents and tests have taken; a call that tells no tokens or money adds none."""

    calls: int = 0  # of agents
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0

    def plus(self, event: ev.Event) -> Spent:
        """Add an event's seconds and usage."""
        usage = getattr(event, "usage", None) or Usage()
        return Spent(
            calls=self.calls + bool(called(event)),
            seconds=self.seconds + getattr(event, "seconds", 0.0),
            tokens=self.tokens + (usage.input or 0) + (usage.output or 0),
            usd=self.usd + (usage.usd or 0.0),
        )

    def since(self, before: Spent) -> Spent:
        """Return what was spent after another count of it."""
        return Spent(
            calls=self.calls - before.calls,
            seconds=self.seconds - before.seconds,
            tokens=self.tokens - before.tokens,
            usd=self.usd - before.usd,
        )


def called(event: ev.Event) -> str:
    """Return the agent of a call that is over, also of one that was cut off; else nobody.

    Edits that Clew makes by itself are nobody's call.
    """
    told = event.intent if isinstance(event, ev.Abandoned) else event
    if getattr(told, "exact", False):
        return ""
    return told.agent if isinstance(told, AgentCall | AgentOutcome) else ""
