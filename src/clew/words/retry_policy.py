"""What follows when an agent fails: a table from the kind of failure.

What passes by itself is worth a wait, what the agent can do better is asked for again at once, and
what no call will mend is not called again: the next agent has its turn, or a person. An agent that
was ended for what it took up may do with less, once it is told: it is called once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

__all__ = [
    "FOLLOWS",
    "Reaction",
    "Signs",
    "follow",
    "is_hopeless",
    "kind_of",
    "signs",
    "told_wait",
    "wait",
]


class Reaction(StrEnum):
    """What comes after a failure."""

    LATER = "later"  # the same agent, after a wait, with more time
    AGAIN = "again"  # the same agent, at once, told what was wrong
    ONCE = "once"  # so it is, but when it fails the same way again, it is as NEXT
    NEXT = "next"  # the next agent at once; without one a person


FOLLOWS: dict[str, Reaction] = {
    "timeout": Reaction.LATER,
    "silent": Reaction.LATER,
    "busy": Reaction.LATER,
    "locked": Reaction.LATER,
    "rate_limited": Reaction.LATER,
    "temporary": Reaction.LATER,
    "unavailable": Reaction.LATER,
    "invalid_output": Reaction.AGAIN,
    "lone_option": Reaction.AGAIN,
    "not_ready": Reaction.AGAIN,
    "tool_access": Reaction.AGAIN,
    "endless_output": Reaction.AGAIN,
    "context_too_long": Reaction.AGAIN,
    "error": Reaction.AGAIN,
    "limit": Reaction.ONCE,
    "unknown_model": Reaction.NEXT,
    "sandbox": Reaction.NEXT,  # it did not start: no fault of the agent's, and no call mends it
    "disk_full": Reaction.NEXT,
    "permission_denied": Reaction.NEXT,
    "not_installed": Reaction.NEXT,
    "not_logged_in": Reaction.NEXT,
    "corrupted": Reaction.NEXT,
    "refusal": Reaction.NEXT,
    "out_of_credit": Reaction.NEXT,
    "unsupported": Reaction.NEXT,
}

Signs = tuple[tuple[str, re.Pattern[str]], ...]
"""Kinds of failure, each with what a program's words look like then."""


def signs(*patterns: tuple[str, str]) -> Signs:
    """Return kinds of failure with their patterns, in which case does not matter."""
    return tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in patterns)


_SIGNS = signs(
    ("context_too_long", r"(?:prompt|input|request|context)\b.{0,20} too (?:long|large)"),
    ("context_too_long", r"context.?(?:length|window|limit).{0,40}exceed|maximum context"),
    ("context_too_long", r"exceeds? the.{0,40} context|too many (?:input )?tokens"),
    (
        "out_of_credit",
        r"credit balance is too low|insufficient_quota|insufficient (?:credit|balance|funds)",
    ),
    ("refusal", r"usage polic|content (?:policy|filter)|\brefusal\b"),
    ("unknown_model", r"model.{0,60}(?:not found|(?:does|may) not exist)|unknown model"),
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


def follow(kind: str) -> Reaction:
    """Return what follows on a kind of failure; an unknown one is an error."""
    return FOLLOWS.get(kind, Reaction.AGAIN)


def is_hopeless(kind: str, before: Collection[str]) -> bool:
    """Say whether no further call helps; `before` are the failures that led up to this one."""
    answer = follow(kind)
    return answer is Reaction.NEXT or (answer is Reaction.ONCE and kind in before)


def kind_of(words: str, status: int | None = None, own: Signs = ()) -> str:
    """Return the kind of failure that a program's last words speak of; `error` if of none.

    The program's `own` signs come first. `status` is HTTP's, where it is known what a model's
    server answered: it comes next.
    """
    if kind := _shown(words, own):
        return kind
    if status in _STATUS:
        return _STATUS[status]
    unknown = "temporary" if status is not None and status >= SERVERS else "error"
    return _shown(words, _SIGNS) or unknown


def _shown(words: str, known: Signs) -> str:
    return next((kind for kind, pattern in known if pattern.search(words)), "")


SERVERS = 500  # from here on it is the server that failed
_STATUS: dict[int | None, str] = {
    401: "not_logged_in",
    402: "out_of_credit",
    403: "not_logged_in",
    404: "unknown_model",
    408: "timeout",
    413: "context_too_long",
    429: "rate_limited",
    529: "rate_limited",
}
_TOLD = re.compile(
    r"(?:retry|try again|resets?|available)[\s_-]*(?:after|again in|in)?[\s\"':=]*"
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?)?\b",
    re.IGNORECASE,
)
_SECONDS = {"ms": 0.001, "m": 60.0, "h": 3600.0}


def told_wait(words: str) -> float:
    """Return the seconds after which a program says that another call may succeed; else 0.

    "Retry-After: 30", "try again in 5 minutes", "resets in 2h": a number alone is seconds.
    """
    found = _TOLD.search(words)
    if found is None:
        return 0.0
    unit = (found[2] or "s").lower()
    short = "ms" if unit.startswith(("ms", "milli")) else unit[0]
    return float(found[1]) * _SECONDS.get(short, 1.0)


def wait(first: float, failures: int, told: float = 0.0) -> float:
    """Return the seconds until the next call after so many failures in a row.

    They double; an agent that told how long it wants to be left alone is left alone so long.
    """
    return max(first * 2.0 ** (failures - 1), told)
