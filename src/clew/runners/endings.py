"""What a process said before it ended."""

from __future__ import annotations

from clew.processes import Completed

__all__ = ["WORDS", "last_words"]

WORDS = 2_000  # characters of output quoted in a reason


def last_words(done: Completed) -> str:
    text = done.stderr.strip() or done.stdout.strip()
    return text[-WORDS:]
