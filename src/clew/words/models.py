"""Which model an agent is asked to use: by what it is to do, a profile, and what has failed.

A model is asked for as a tier, which each back-end knows by a name of its own, or by that name.
Nothing means: as the agent is configured.
"""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = [
    "ADAPTIVE",
    "AUTO",
    "CHEAP",
    "INHERIT",
    "MIDDLE",
    "NOBODY",
    "NO_MODELS",
    "PROFILES",
    "SAME",
    "STRONG",
    "TIERS",
    "TRIED",
    "AgentRole",
    "is_foreign",
]

CHEAP, MIDDLE, STRONG = TIERS = ("cheap", "middle", "strong")
INHERIT, ADAPTIVE = "inherit", "adaptive"
# How the models begin that only one kind of agent is asked for.
_OWN = {
    "claude": re.compile(r"claude-|opus|sonnet|haiku"),
    "codex": re.compile(r"gpt-|codex-|o\d"),
    "gemini": re.compile(r"gemini-|flash|pro\b"),
}


class AgentRole(StrEnum):
    """What an agent is asked to do; `clew.agents.roles` says how."""

    DIAGNOSE = "diagnose"
    FIX = "fix"
    REVIEW = "review"
    WRITE_TEST = "write-test"
    CHALLENGE = "challenge"
    DOCUMENT = "document"
    PLAN = "plan"
    IMPLEMENT = "implement"
    SUPERVISE = "supervise"
    INVESTIGATE = "investigate"


AUTO, SAME, NOBODY = "auto", "same", "none"  # words of settings that name an agent
NO_MODELS = ("repair", "command", "replay")  # kinds of agents that need not be language models

PROFILES = ("quality", "balanced", "budget", ADAPTIVE, INHERIT)
TRIED = ("diagnose", "fix", "review", "write-test", "challenge", "document")
"""The roles that `clew agents try` has a task for."""


def is_foreign(model: str, kind: str) -> bool:
    """Say whether a model is known by its name as another's, where a kind of agent has its own."""
    owners = [each for each, own in _OWN.items() if own.match(model)]
    return kind in _OWN and bool(owners) and kind not in owners
