"""What a person answers: a word that a question offers, by that word or by its number."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from clew.words.errors import UsageError

__all__ = ["chosen", "no_answer"]


def chosen(option: str, words: Sequence[str]) -> str:
    """Return the word that an answer stands for; what is neither word nor number stays as it is."""
    number = int(option) if option.isdecimal() else 0
    return words[number - 1] if 0 < number <= len(words) else option


def no_answer(option: str, words: Sequence[str]) -> UsageError:
    """Return what is said of an answer that a question does not offer."""
    close = difflib.get_close_matches(option, words, 1)
    return UsageError(
        f"{option!r} is not an answer to this question" if option else "the answer is missing",
        hint=(f"Did you mean {close[0]!r}? " if close else "") + f"Answers: {', '.join(words)}",
    )
