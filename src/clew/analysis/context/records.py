"""What the context is made of: files with their distance, what was cut, and the account of it."""

from __future__ import annotations

from enum import StrEnum

from clew.words.facts import Fact

__all__ = ["ContextFile", "Cut", "Form", "OversizedFile", "PromptAccount", "SectionTokens", "Shown"]


class Form(StrEnum):
    """How much of a file is shown."""

    FULL = "full"
    SKELETON = "skeleton"  # signatures and constants, bodies left out
    TRUNCATED = "truncated"  # a part of the skeleton
    DROPPED = "dropped"


class ContextFile(Fact, frozen=True, kw_only=True):
    """A file that may be shown.

    `distance` is 0 for what the failure itself names, 1 for what those files import, 2 for what
    these import and for what imports a file of distance 0. Without a `skeleton` no grammar is known
    for the file, or it cannot be parsed.
    """

    path: str
    distance: int
    text: str
    skeleton: str | None = None
    focus: str = ""  # the parts that the failure names, or that its tests ran, if the whole is long
    ran: bool = False  # the failing tests ran lines of it


class Shown(Fact, frozen=True, kw_only=True):
    """A file as it stands in the context."""

    path: str
    distance: int
    form: Form
    text: str = ""
    tokens: int


class Cut(Fact, frozen=True, kw_only=True):
    """What was taken away from a file, to stay within the budget."""

    file: str
    original_tier: int
    downgraded_to: Form
    tokens_saved: int
    reason: str


class OversizedFile(Fact, frozen=True, kw_only=True):
    """A file that the failure names, too long to be admitted whole; `shown` tokens of it are."""

    file: str
    tokens: int
    shown: int


class SectionTokens(Fact, frozen=True, kw_only=True):
    """What a section of the prompt took, of what it had."""

    section: str
    room: int
    used: int


class PromptAccount(Fact, frozen=True, kw_only=True):
    """What an agent was sent, in numbers; all of them are tokens by `counter`."""

    counter: str
    budget: int
    used: int = 0  # by the whole prompt
    sections: tuple[SectionTokens, ...] = ()
    files: tuple[Shown, ...] = ()  # their texts are left out
    cuts: tuple[Cut, ...] = ()
    refused: tuple[OversizedFile, ...] = ()
    listed: tuple[str, ...] = ()  # near the failure, and without a grammar: named, not shown
    beyond: int = 0  # files two steps away that were too many to be read
    wanted: int = 0  # by all files, had nothing been cut
    thin: tuple[str, ...] = ()  # files that the failure touches and that are not shown whole
    plain: str = ""  # why a plain prompt was sent instead, if one was
