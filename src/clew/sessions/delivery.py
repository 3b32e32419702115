"""What a session came to, put into the person's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.git.worktrees import Wording
from clew.sessions.kinds import Delivery, SessionStatus
from clew.words.errors import UsageError

if TYPE_CHECKING:
    from clew.sessions.project_sessions import ProjectSessions

__all__ = ["deliver"]


def deliver(sessions: ProjectSessions, status: SessionStatus, *, commit: bool) -> Delivery:
    """Apply what a session changed between its base and the commit that it came to.

    Raises UsageError where it has changed nothing, SessionHeld, and ApplyConflict.
    """
    session = status.session
    if not status.commit or status.commit == status.base:
        raise UsageError(
            f"session {session} has changed nothing yet", hint=f"`clew status {session}` shows it."
        )
    done = status.exit_code == 0
    claim = f"Carried out by Clew in session {session}"
    message = status.goal if done else f"{status.goal} (unfinished)"
    with sessions.store.hold(session):
        applied = sessions.repository.apply(
            session,
            status.base,
            status.commit,
            wording=Wording(message, claim) if commit else None,
        )
    return Delivery(session=session, kind=status.kind, applied=applied, complete=done)
