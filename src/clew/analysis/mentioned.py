"""Functions that somebody's words may mean: their text shares words with a description.

A candidate to look at, and never a cause: it goes by words alone, by BM25 with its usual constants.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

__all__ = ["NamedFunction", "mentioned"]

_FUNCTION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SPELT = re.compile(r"\w+_\w+|\w+(?=\()|(?<=`)\w+(?=`)")  # a name as code has it
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
LEAST = 3  # letters of a word
TOLD = 5  # words that one shares
NAME = 5  # times that a word of the name counts
COMMON = frozenset({
    *("and", "are", "but", "for", "from", "get", "has", "have", "not", "set", "that", "the"),
    *("there", "they", "this", "was", "what", "when", "where", "which", "with"),
})  # fmt: skip
SATURATION, LENGTH = 1.2, 0.75  # of BM25: of a word that comes again, of a long text


class NamedFunction(NamedTuple):
    """A function, and the words that it shares, the rarest first."""

    path: str
    line: int
    name: str
    shared: tuple[str, ...]
    last: int  # line

    def is_run(self, lines: Collection[int]) -> bool:
        """Whether lines that are run are of its body."""
        return any(self.line < line <= self.last for line in lines)

    def __str__(self) -> str:
        """Return its place, and why it is named."""
        return f"{self.path}:{self.line} in {self.name} (shares {', '.join(self.shared)})"


def mentioned(words: str, texts: Mapping[str, str]) -> tuple[NamedFunction, ...]:
    """Return the functions of Python sources that share words, the best first.

    Those that are named as code has them come first: `update_in`, `total()`. Words that few
    functions share weigh more; those of the name weigh as if they came often, and those of the
    file's own path count as well.
    """
    said, spelt = dict(_words(words)), frozenset(_SPELT.findall(words))
    wanted = said.keys()
    functions = [
        (path, line, line + text.count("\n"), name, Counter(_stems(text, path, *[name] * NAME)))
        for path, whole in texts.items()
        for line, name, text in _functions(whole)
    ]
    if not functions:
        return ()
    often = Counter(stem for *_, stems in functions for stem in stems.keys() & wanted)
    rare = {s: math.log(1 + (len(functions) - n + 0.5) / (n + 0.5)) for s, n in often.items()}
    usual = sum(stems.total() for *_, stems in functions) / len(functions)
    weighed = [
        (
            (name not in spelt, -_weight(stems, rare, stems.total() / usual), path, line),
            NamedFunction(path, line, name, _rarest(said, stems, rare), last),
        )
        for path, line, last, name, stems in functions
        if stems.keys() & wanted
    ]
    return tuple(each for _, each in sorted(weighed))


def _rarest(
    said: Mapping[str, str], stems: Collection[str], rare: Mapping[str, float]
) -> tuple[str, ...]:
    """Return words as they were said, of those that a function shares."""
    shared = sorted(said.keys() & stems, key=lambda stem: (-rare[stem], stem))
    return tuple(said[stem] for stem in shared[:TOLD])


def _weight(stems: Counter[str], rare: Mapping[str, float], length: float) -> float:
    bound = SATURATION * (1 - LENGTH + LENGTH * length)
    return sum(
        weight * stems[s] * (SATURATION + 1) / (stems[s] + bound) for s, weight in rare.items()
    )


def _functions(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the name and the text of each function: up to what is indented no deeper."""
    for found in _FUNCTION.finditer(text):
        end = re.compile(rf"^[ \t]{{0,{len(found[1])}}}(?![ \t\n\r)\]}}#])", re.MULTILINE)
        after = end.search(text, text.find("\n", found.end()) + 1 or len(text))
        line = text.count("\n", 0, found.start()) + 1
        yield line, found[2], text[found.start() : after.start() if after else len(text)]


def _stems(*texts: str) -> Iterator[str]:
    for text in texts:
        yield from (stem for stem, _ in _words(text))


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the stem of each word, and the word."""
    for word in map(str.lower, _WORD.findall(text.removesuffix(".py"))):
        stem = _ENDING.sub("", word)
        if len(stem) >= LEAST and word not in COMMON and stem not in COMMON:
            yield stem, word
