"""What moves share: the status by its table, an entry of the evidence, another cause looked for."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from clew.documents.debug_sessions.fields import tidy
from clew.documents.templating import stamp
from clew.flows.investigation.states.record import DebugState
from clew.words.debug_sessions import MAY_FOLLOW, DebugStatus, EvidenceEntry, Resolution
from clew.words.errors import TransitionRefused

__all__ = ["found", "look_again", "moved", "refuse"]


def moved(state: DebugState, to: DebugStatus) -> DebugStatus:
    """Return the status that it is to have. Raises TransitionRefused, naming both."""
    if to not in MAY_FOLLOW[state.status]:
        raise TransitionRefused(
            f"the debug session is {state.status} and cannot become {to}",
            hint="Nothing was changed; `clew debug list` shows how each stands.",
        )
    return to


def found(
    state: DebugState, at: datetime, checked: str, result: str, implication: str
) -> DebugState:
    """Return the state with an entry of Clew's own in the evidence."""
    entry = EvidenceEntry(
        timestamp=stamp(at),
        checked=tidy(checked),
        found=tidy(result),
        implication=implication,
    )
    return replace(state, evidence=(*state.evidence, entry))


def refuse(state: DebugState) -> DebugState:
    """Look for another cause, and never propose the fix of this one again."""
    made = str(state.fix.result.get("edits", "")) if state.fix else ""
    refused = dict.fromkeys((*state.refused, state.patch, made))
    return look_again(replace(state, refused=tuple(filter(None, refused)), patch=""))


def look_again(state: DebugState) -> DebugState:
    """Look for another cause: what was thought to be it does not explain all."""
    return replace(
        state,
        cause=None,
        unread=None,
        reviewed=False,
        test=None,
        seen=None,
        rewrites=0,
        confirmed=False,
        fix=None,
        rejected=None,
        checked=None,
        still_works=None,
        plan="",
        resolution=Resolution(),
        complaint="",
    )
