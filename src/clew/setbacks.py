"""What follows when an agent fails: a table from the kind of failure.

What passes by itself is worth a wait, what the agent can do better is asked for again at once, and
what no call will mend is not called again: the next agent has its turn, or a person.
"""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = ["FOLLOWS", "Follow", "follow", "kind_of", "wait"]


class Follow(StrEnum):
    """What comes after a failure."""

    LATER = "later"  # the same agent, after a wait, with more time
    AGAIN = "again"  # the same agent, at once, told what was wrong
    NEXT = "next"  # the next agent at once; without one a person


FOLLOWS: dict[str, Follow] = {
    "timeout": Follow.LATER,
    "busy": Follow.LATER,
    "locked": Follow.LATER,
    "rate_limited": Follow.LATER,
    "temporary": Follow.LATER,
    "unavailable": Follow.LATER,
    "invalid_output": Follow.AGAIN,
    "not_ready": Follow.AGAIN,
    "tool_access": Follow.AGAIN,
    "context_too_long": Follow.AGAIN,
    "error": Follow.AGAIN,
    "disk_full": Follow.NEXT,
    "permission_denied": Follow.NEXT,
    "not_installed": Follow.NEXT,
    "not_logged_in": Follow.NEXT,
    "corrupted": Follow.NEXT,
    "refusal": Follow.NEXT,
    "out_of_credit": Follow.NEXT,
}

_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        ("disk_full", r"no space left|disk (?:is )?full|ENOSPC|disk quota"),
        ("not_logged_in", r"not logged in|log ?in (?:first|required|expired)|please log ?in"),
        ("not_logged_in", r"unauthori[sz]ed|invalid api key|authentication (?:failed|required)"),
        ("rate_limited", r"rate.?limit|too many requests|\b429\b|quota exceeded|overloaded"),
        ("permission_denied", r"permission denied|access (?:is )?denied|EACCES|not permitted"),
        ("not_installed", r"command not found|no such file|not installed|ENOENT"),
        ("corrupted", r"\bcorrupt(?:ed|ion)?\b"),
        ("timeout", r"\btimed? ?-?out\b|deadline exceeded|ETIMEDOUT"),
        ("locked", r"\block(?:ed)?\b"),
        ("busy", r"\bbusy\b|EBUSY|EAGAIN"),
        ("temporary", r"\btemporar(?:y|ily)\b|\b(?:try|retry) (?:again|later)\b|ECONNRESET"),
        ("unavailable", r"\bunavailable\b|\b50[234]\b"),
    )
)


def follow(kind: str) -> Follow:
    """Return what follows on a kind of failure; an unknown one is an error."""
    return FOLLOWS.get(kind, Follow.AGAIN)


def kind_of(words: str) -> str:
    """Return the kind of failure that a program's last words speak of; `error` if of none."""
    return next((kind for kind, pattern in _WORDS if pattern.search(words)), "error")


LONGEST_WAIT = 3600.0  # seconds that are waited on an agent's word


def wait(first: float, failures: int, told: float = 0.0) -> float:
    """Return the seconds until the next call after so many failures in a row.

    They double; an agent that told how long it wants to be left alone is left alone so long.
    """
    return max(first * 2.0 ** (failures - 1), min(told, LONGEST_WAIT))
