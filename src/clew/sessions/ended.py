"""What is said of a session that is over, where somebody wants it to end."""

from __future__ import annotations

from clew.words.errors import UsageError

__all__ = ["nothing_to_end"]


def nothing_to_end(session: str, status: str, *, back: bool) -> UsageError:
    """Return why a session cannot be ended; `back` where it may still go back to a checkpoint."""
    how = status.replace("_", " ")
    shown = f"`clew show {session}` says what it did"
    listed = f", and `clew checkpoints {session}` where `clew rollback` can take it up again"
    return UsageError(
        f"session {session} has ended: {how}, so there is nothing to terminate",
        hint=f"{shown}{listed if back else ''}.",
    )
