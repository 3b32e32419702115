"""Functions that somebody's words may mean: their names share words with a description.

A candidate to look at, and never a cause: it goes by names alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

__all__ = ["NamedFunction", "mentioned"]

_FUNCTION = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
LEAST = 3  # letters of a word
MOST = 3  # functions
COMMON = frozenset({"and", "are", "but", "for", "get", "has", "not", "set", "the", "was", "with"})


class NamedFunction(NamedTuple):
    """A function, and the words that it shares."""

    path: str
    line: int
    name: str
    shared: tuple[str, ...]


def mentioned(words: str, texts: Mapping[str, str]) -> tuple[NamedFunction, ...]:
    """Return a few functions of Python sources whose names share words, the best first.

    Words that few functions share weigh more; those of the file's own path count as well.
    """
    wanted = set(_stems(words))
    functions = [
        (path, text.count("\n", 0, found.start()) + 1, found[1], frozenset(_stems(found[1], path)))
        for path, text in texts.items()
        for found in _FUNCTION.finditer(text)
    ]
    often = Counter(stem for *_, stems in functions for stem in stems & wanted)
    weighed = [
        (-sum(math.log(1 + len(functions) / often[s]) for s in stems & wanted), path, line, name)
        for path, line, name, stems in functions
        if stems & wanted
    ]
    shared = {(path, line): tuple(sorted(stems & wanted)) for path, line, _, stems in functions}
    return tuple(
        NamedFunction(path, line, name, shared[path, line])
        for _, path, line, name in sorted(weighed)[:MOST]
    )


def _stems(*texts: str) -> Iterator[str]:
    for text in texts:
        for word in _WORD.findall(text.removesuffix(".py")):
            stem = _ENDING.sub("", word.lower())
            if len(stem) >= LEAST and stem not in COMMON:
                yield stem
