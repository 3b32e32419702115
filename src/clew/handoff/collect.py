"""The facts that a decision rests on, read from where they are kept."""

from __future__ import annotations

from clew.handoff.deciding import HandoffFacts
from clew.handoff.questions import pending
from clew.handoff.quick import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.handoff.records import HandoffStore

__all__ = ["facts"]


def facts(
    desk: HandoffStore, session: str, chain: str, now: float, *, started: float | None = None
) -> HandoffFacts:
    """Return what is known of a session that asks, and of its chain."""
    known, so_far = (desk.session(session) or {}) if session else {}, desk.chain(chain)
    return HandoffFacts(
        now=now,
        started=started or number(known, "started"),
        stopped=desk.stopped(),
        begun=so_far.begun,
        hops=so_far.hops,
        tokens=so_far.tokens,
        questions=pending(desk.project),
    )
