"""Exceptions that came before the one that ended a test."""

from __future__ import annotations

from collections.abc import Iterator

from clew.words.facts import Crash

__all__ = ["reasons"]


def reasons(crash: Crash) -> Iterator[str]:
    """Yield what each exception was raised for, nearest first, with the place of that."""
    while (before := crash.before) is not None:
        how = "caused by" if crash.cause else "raised while handling"
        told = f"{before.type}: {before.message}".rstrip(": ")
        at = f" at {before.frames[-1].path}:{before.frames[-1].line}" if before.frames else ""
        yield f"{how} {told}{at}"
        crash = before
