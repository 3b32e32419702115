"""Numbers and lists as results say them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted", "some"]

SOME = 3


def counted(number: int, thing: str) -> str:
    """Return a number of things, in words that agree with it."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def some(names: Sequence[str]) -> str:
    """Return the first few of some names, and how many more there are."""
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(names[:SOME]) + more
