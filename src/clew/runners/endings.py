"""How a process ended, in words."""

from __future__ import annotations

from clew.processes import Completed

__all__ = ["WORDS", "ending", "last_words"]

WORDS = 2_000  # characters of output quoted in a reason


def ending(done: Completed) -> str:
    if done.exit_code is None:
        return "killed, and stuck in the kernel"
    return f"exit code {done.exit_code}" if done.exit_code >= 0 else f"signal {-done.exit_code}"


def last_words(done: Completed) -> str:
    text = done.stderr.strip() or done.stdout.strip()
    return text[-WORDS:]
