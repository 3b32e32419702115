"""Which model an agent is asked to use: by what it is to do, a profile, and what has failed.

A model is asked for as a tier, which each back-end knows by a name of its own, or by that name.
Nothing means: as the agent is configured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = [
    "CHEAP",
    "INHERIT",
    "MIDDLE",
    "PROFILES",
    "ROLES",
    "STRONG",
    "TIERS",
    "TRIED",
    "is_foreign",
    "wished",
]

CHEAP, MIDDLE, STRONG = TIERS = ("cheap", "middle", "strong")
INHERIT, ADAPTIVE = "inherit", "adaptive"
# How the models begin that only one kind of agent is asked for.
_OWN = {
    "claude": re.compile(r"claude-|opus|sonnet|haiku"),
    "codex": re.compile(r"gpt-|codex-|o\d"),
    "gemini": re.compile(r"gemini-|flash|pro\b"),
}

_BY_PROFILE: dict[str, dict[str, str]] = {
    "quality": {
        "diagnose": STRONG,
        "fix": STRONG,
        "review": STRONG,
        "write-test": STRONG,
        "document": MIDDLE,
        "implement": STRONG,
    },
    "balanced": {
        "diagnose": MIDDLE,
        "fix": MIDDLE,
        "review": MIDDLE,
        "write-test": MIDDLE,
        "document": CHEAP,
        "implement": MIDDLE,
    },
    "budget": {
        "diagnose": MIDDLE,
        "fix": CHEAP,
        "review": CHEAP,
        "write-test": CHEAP,
        "document": CHEAP,
        "implement": MIDDLE,
    },
}
ROLES = tuple(_BY_PROFILE["quality"])
TRIED = tuple(role for role in ROLES if role != "implement")
"""The roles that `clew agents try` has a task for."""

PROFILES = (*_BY_PROFILE, ADAPTIVE, INHERIT)


def wished(role: str, profile: str, own: Mapping[str, str], setbacks: int, agent: str = "") -> str:
    """Return the tier or model that an agent is to be asked with in a role; nothing for its own.

    A person's `own` word comes first: one for the role and the kind of agent (`fix.codex`), then
    one for the role, unless that is known as a model of another kind. With the profile `adaptive`
    it is the cheapest tier until something failed, and one tier up for each of `setbacks`.
    """
    kind = agent.partition(":")[0]
    for key in (f"{role}.{kind}", role):
        if key in own and not (key == role and is_foreign(own[key], kind)):
            return "" if own[key] == INHERIT else own[key]
    if profile == ADAPTIVE:
        return TIERS[min(setbacks, len(TIERS) - 1)]
    return _BY_PROFILE.get(profile, {}).get(role, "")


def is_foreign(model: str, kind: str) -> bool:
    """Say whether a model is known by its name as another's, where a kind of agent has its own."""
    owners = [each for each, own in _OWN.items() if own.match(model)]
    return kind in _OWN and bool(owners) and kind not in owners
