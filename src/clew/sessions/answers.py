"""What a person answers: a word that a question offers, by that word or by its number.

Where a question can be confirmed, only that word goes on. A yes with more words may praise or
blame, and a plain no says nothing of why: none of these is guessed at.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from clew.words.errors import UsageError

__all__ = [
    "CONFIRMED",
    "chosen",
    "is_bare_number",
    "is_of_another",
    "no_answer",
    "plain",
    "yes_or_no",
]

CONFIRMED = "confirmed"
WORDS = "words"
YES = frozenset({"y", "yes"})
NO = frozenset({"n", "no"})
# A slip of the hand rather than words about a fix: what other questions of Clew offer.
OF_QUESTIONS = frozenset(
    re.findall(
        r"\w+",
        """
        abort accept again approve confirmed continue discard done fault fixed guidance import
        investigate later manual now other plan reject retry revise rewrite rollback skip stop
        terminate value words
        """,
    )
)
_NUMBERED = re.compile(r"accept-\d+")
_SAYS_YES = re.compile(r"\s*yes\b", re.IGNORECASE)


def chosen(option: str, words: Sequence[str]) -> str:
    """Return the word that an answer stands for; what is neither word nor number stays as it is."""
    number = int(option) if option.isdecimal() else 0
    return words[number - 1] if 0 < number <= len(words) else option


def no_answer(option: str, words: Sequence[str]) -> UsageError:
    """Return what is said of an answer that a question does not offer."""
    close = difflib.get_close_matches(option, words, 1)
    said = WORDS in words and is_bare_number(option, words)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    hint += f"Answers: {', '.join(words)}"
    return UsageError(
        f"{option!r} is not an answer to this question" if option else "the answer is missing",
        hint=hint + (f" (`{WORDS} {plain(option)}` says the number itself)" if said else ""),
    )


def is_bare_number(word: str, words: Sequence[str]) -> bool:
    """Whether an answer to a question with these words is a number, and no more.

    It counts answers, and is said as a value only behind the word for words of one's own.
    """
    return word not in words and plain(word).isdecimal()


def plain(typed: str) -> str:
    """Return a word as it is compared: in small letters, without what ends a sentence."""
    return typed.strip().rstrip(".!").lower()


def is_of_another(word: str, words: Sequence[str]) -> bool:
    """Whether an answer to a question with these words is a word that only others offer."""
    bare = plain(word)
    return word not in words and (bare in OF_QUESTIONS or _NUMBERED.fullmatch(bare) is not None)


def yes_or_no(word: str, text: str, words: Sequence[str], session: str) -> str:
    """Return an answer to a question with these words as it is, a yes or no aside.

    `text` is what follows the word. Raises UsageError for a yes or no that leaves something open.
    """
    if word in words or WORDS not in words:
        return word
    said = f"{word} {text}".strip()
    bare = plain(said)
    if CONFIRMED not in words:
        if bare in YES | NO:
            raise no_answer(said, words)
        return word
    own = f'in your own words, which are taken as criticism: clew answer {session} words "…"'
    if bare in NO:
        raise UsageError(f"{said!r} does not say what is wrong", hint=f"Say it {own}")
    if bare in YES or _SAYS_YES.match(said):
        more = "" if bare in YES else ", and more, which may be criticism"
        raise UsageError(
            f"only {CONFIRMED!r} goes on here: {said!r} says yes{more}",
            hint=f"To agree: clew answer {session} {CONFIRMED}. Else answer {own}."
            f" Answers: {', '.join(words)}",
        )
    return word
