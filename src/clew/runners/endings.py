"""What a process said before it ended."""

from __future__ import annotations

from clew.sandbox.processes import Completed

__all__ = ["WORDS", "last_words"]

WORDS = 2_000  # characters of output quoted in a reason
LINES = 5
TRACEBACK = "Traceback (most recent call last):"


def last_words(done: Completed) -> str:
    """Return the last few lines of a process; of a traceback, what it comes to.

    What it was killed for goes before what it said itself.
    """
    if done.over_limit:
        return done.over_limit
    lines = [line for line in (done.stderr.strip() or done.stdout).splitlines() if line.strip()]
    if TRACEBACK in lines:
        start = len(lines) - lines[::-1].index(TRACEBACK)
        lines = [line for line in lines[start:] if not line[0].isspace()]
    return "\n".join(lines[-LINES:])[-WORDS:]
