"""What failed more than once while plans were carried out, as guidance for those who come after."""

from __future__ import annotations

from clew.words.facts import Fact

__all__ = ["Lesson"]


class Lesson(Fact, frozen=True, kw_only=True):
    """One thing that went wrong again: its evidence, and the words that agents are told."""

    title: str
    text: str = ""
    files: tuple[str, ...] = ()  # of phases that it went wrong in; none: it concerns all
    weight: int = 1  # how often
    seen: tuple[str, ...] = ()  # sessions, with the phase
