"""When a person is asked whether to go on: it goes in circles, or takes more than it may."""

from __future__ import annotations

from datetime import datetime, timedelta

from clew.flows.investigation.states import DebugState
from clew.journal.flow import Pause
from clew.words.investigations import Returned
from clew.words.retry_policy import Reaction, follow, wait

__all__ = ["circling", "overspent", "pause"]

UNCHANGED = 2  # returns in a row with the same next action
RESUMPTIONS = 3  # in a row
ENTRIES = 10  # of the evidence, without a root cause


def circling(state: DebugState) -> str:
    """Say why it goes in circles since a person last said something; nothing where it does not.

    A returned next action is compared by its words alone, never by when it was written.
    """
    returns = state.returns
    last = [" ".join(each.focus.next_action.lower().split()) for each in returns[-UNCHANGED:]]
    if len(last) == UNCHANGED and len(set(last)) == 1:
        return f"{UNCHANGED} investigators in a row name the same next action"
    resumed = [each.returned is Returned.CONTINUE_REQUIRED for each in returns[-RESUMPTIONS:]]
    if len(resumed) == RESUMPTIONS and all(resumed):
        return f"{RESUMPTIONS} investigators in a row ran out of room"
    if sum(len(each.evidence) for each in returns) >= ENTRIES:
        return f"{ENTRIES} entries of evidence or more, and no root cause"
    if len(returns) >= state.settings.max_iterations:
        return f"{len(returns)} cycles of investigation, which is all that `max_iterations` allows"
    return ""


def overspent(state: DebugState) -> str:
    """Say which bound is reached by what was spent since a person let it go on; or nothing."""
    settings, took = state.settings, state.spent_since
    tokens, usd = (took.input or 0) + (took.output or 0), took.usd or 0.0
    if settings.max_tokens is not None and tokens >= settings.max_tokens:
        return f"{tokens:,} tokens of {settings.max_tokens:,} are used"
    if settings.max_usd is not None and usd >= settings.max_usd:
        return f"${usd:.2f} of ${settings.max_usd:.2f} are spent"
    worked = state.worked_since
    if settings.max_seconds is not None and worked >= settings.max_seconds:
        return f"{worked:.0f} seconds of work of {settings.max_seconds:.0f} are over"
    return ""


def pause(state: DebugState, now: datetime) -> Pause | None:
    """Return the wait before an agent is asked again that was busy."""
    if not state.failures or state.failed_at is None or not state.complaint:
        return None
    last = state.failures[-1]
    if follow(last.kind) is not Reaction.LATER:
        return None
    told = min(last.after, state.settings.longest_wait)
    seconds = timedelta(seconds=wait(state.settings.retry_wait, len(state.failures), told))
    until = state.failed_at + seconds
    why = f"{last.agent} ({last.kind}) for {seconds.total_seconds():g} s"
    return Pause(until=until, why=why) if now < until <= now + seconds else None
