"""Tokens are counted by a counter with a name; "within the budget" means by that one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Protocol

from clew.words.errors import UsageError

__all__ = ["COUNTERS", "ESTIMATE", "TokenCounter", "counter"]

ESTIMATE = "estimate"
BYTES = 3.0  # a token, in UTF-8: code measured with o200k_base has 3 to 4


class TokenCounter(Protocol):
    """Counts the tokens of a text; the same text always has as many."""

    name: str

    def count(self, text: str) -> int:
        """Return how many tokens the text has; an empty one has none."""
        ...


class Estimate:
    """One token for every three bytes of UTF-8, rounded up: more than most tokenizers count."""

    name = ESTIMATE

    def count(self, text: str) -> int:
        """Return the estimate."""
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        return -int(-size // BYTES)


class Exact:
    """The encoding of a family of models, from a package that brings its tables along."""

    def __init__(self, name: str) -> None:
        """Load an encoding. Raises UsageError if the package is not there."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of how it opens its own tables
            try:
                import bpe_openai  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra, 40 MB
            except ImportError as error:
                raise UsageError(
                    f"the token counter {name!r} is not installed",
                    hint="pip install 'clew[tokens]', or set token_counter = \"estimate\".",
                ) from error
            self._encoding = bpe_openai.get_encoding(name)
        self.name = name

    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return len(self._encoding.encode_ordinary(text))


COUNTERS: dict[str, Callable[[], TokenCounter]] = {
    ESTIMATE: Estimate,
    "o200k_base": lambda: Exact("o200k_base"),
    "cl100k_base": lambda: Exact("cl100k_base"),
}


@cache
def counter(name: str) -> TokenCounter:
    """Return the counter of that name. Raises UsageError naming those there are."""
    if name not in COUNTERS:
        raise UsageError(
            f"unknown token counter: {name[:80]!r}", hint="Known: " + ", ".join(COUNTERS)
        )
    return COUNTERS[name]()
