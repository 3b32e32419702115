"""What failing tests tell: the texts they mention, and what their assertions got and wanted."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .crashes import SearchCrash
from .source import shared

__all__ = ["Clues", "Mismatch", "mismatches", "rewritten", "vocabulary"]

MOST_WORDS = 2000
MOST_MISMATCHES = 20
LONGEST = 20_000  # letters of a text that is compared
MOST_STEPS = 250_000  # letters of a pattern by letters of the message it was not found in
DEEPEST = 4  # lists in lists that are looked into
# What stands between the plain pieces of a format.
FIELD = re.compile(r"(\{[^{}]*\}|%[-+ #0-9.]*[sdrfixXeg])")
GOT, WANTED = re.compile(r"^ *\+ (.+)$", re.MULTILINE), re.compile(r"^ *- (.+)$", re.MULTILINE)


# A message that a pattern was not found in, as pytest and as unittest say it.
UNMATCHED = re.compile(
    r"(?:Expected regex|Regex): (?P<regex>.+)\n\s*(?:Actual message|Input): (?P<got>.+)"
)
MATCHLESS = re.compile(r"\"(?P<regex>.+)\" does not match \"(?P<got>.+)\"$", re.DOTALL)
ESCAPED = re.compile(r"\\(\W)")
SPECIAL = re.compile(r"\\|[\[\](){}*+?|^$]")


class Mismatch(NamedTuple):
    """Two texts, or two numbers, that an assertion took for different."""

    got: Any
    wanted: Any


class Clues:
    """One for a project: what it learns later is known wherever it was handed to."""

    def __init__(self) -> None:
        self.words: List[str] = []
        self.marks: List[str] = []  # the letters among them that are none, the most usual first
        self.mismatches: List[Mismatch] = []

    def learn(self, words: Sequence[str], parted: Sequence[Sequence[Any]]) -> None:
        self.words = list(words)
        self.mismatches = [Mismatch(*each) for each in parted]
        marks = Counter(c for text in words for c in text if not (c.isalnum() or c == " "))
        self.marks = [mark for mark, _ in marks.most_common(8)]


def vocabulary(paths: Sequence[str]) -> List[str]:
    """Return the strings that test files mention: a slip in the code may be near one of them."""
    found: Dict[str, None] = {}
    for path in sorted(set(paths))[:20]:
        try:
            with open(path, "rb") as file:
                tree = ast.parse(file.read(1_000_000))
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and 2 < len(value) < 60:
                found.setdefault(value)
    return list(found)[:MOST_WORDS]


def mismatches(crashes: Sequence[Optional[SearchCrash]]) -> List[Mismatch]:
    """Return the texts and numbers in which failing assertions part.

    Which side is the value and which was wanted is not always known: each is taken for both.
    """
    found: Dict[Mismatch, None] = {}
    for crash in crashes:
        told = compared(crash.message) if crash is not None and "Assert" in crash.type else None
        for got, wanted in parted(*told) if told is not None else ():
            found.setdefault(Mismatch(got, wanted))
            found.setdefault(Mismatch(wanted, got))
    return list(found)[:MOST_MISMATCHES]


def compared(message: str) -> Optional[Tuple[Any, Any]]:
    """Return the two values of `assert 3 == 4` or of `3 != 4`, or the lines of a diff of texts."""
    unmatched = searched(message)
    if unmatched is not None:
        return unmatched
    claim, _, more = message.partition("\n")
    pytests = claim.startswith("assert ")
    try:
        tree = ast.parse(claim[len("assert ") :] if pytests else claim, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        tree = ast.Constant(None)
    kind = ast.Eq if pytests else ast.NotEq
    if isinstance(tree, ast.Compare) and [type(each) for each in tree.ops] == [kind]:
        try:
            left, right = ast.literal_eval(tree.left), ast.literal_eval(tree.comparators[0])
        except (ValueError, TypeError, SyntaxError, RecursionError):
            return None
        if left != right:
            return left, right
    got, wanted = GOT.search(more), WANTED.search(more)
    return (got.group(1), wanted.group(1)) if got and wanted else None


def searched(message: str) -> Optional[Tuple[str, str]]:
    """Return a message, and as it has to be for a pattern that was not found in it."""
    found, plain = UNMATCHED.search(message), MATCHLESS.match(message)
    if found is not None:
        try:
            regex, got = (ast.literal_eval(found.group(name)) for name in ("regex", "got"))
        except (ValueError, TypeError, SyntaxError, RecursionError):
            return None
    elif plain is not None:
        regex, got = plain.group("regex"), plain.group("got")
    else:
        return None
    texts = isinstance(regex, str) and isinstance(got, str) and len(regex) * len(got) < MOST_STEPS
    if not texts or SPECIAL.search(ESCAPED.sub("", regex)):
        return None
    wanted = ESCAPED.sub(r"\1", regex)
    cost, start, end = nearest(wanted, got)
    return (got, got[:start] + wanted + got[end:]) if 2 * cost < len(wanted) else None


def nearest(part: str, text: str) -> Tuple[int, int, int]:
    """Return how many letters differ where a text is most like a part, and where that is."""
    row = [(0, place) for place in range(len(text) + 1)]
    for done, letter in enumerate(part, 1):
        new = [(done, 0)]
        for place, other in enumerate(text):
            (same, begun), (less, before), (more, after) = row[place], row[place + 1], new[place]
            new.append(
                min((same + (letter != other), begun), (less + 1, before), (more + 1, after))
            )
        row = new
    cost, end, start = min((cost, end, start) for end, (cost, start) in enumerate(row))
    return cost, start, end


def parted(got: Any, wanted: Any, depth: int = 0) -> Iterator[Tuple[Any, Any]]:
    """Yield the texts and numbers that differ at the same place of two values."""
    number = all(type(each) in (int, float) for each in (got, wanted))
    if got == wanted or depth > DEEPEST:
        return
    if number or (isinstance(got, str) and isinstance(wanted, str)):
        yield got, wanted
    elif isinstance(got, (list, tuple)) and type(got) is type(wanted):
        for one, other in zip(got, wanted):
            yield from parted(one, other, depth + 1)
    elif isinstance(got, dict) and isinstance(wanted, dict):
        for key in got:
            if key in wanted:
                yield from parted(got[key], wanted[key], depth + 1)


def rewritten(value: str, parted: Sequence[Mismatch]) -> Iterator[str]:
    """Yield a text as it has to be for what was wanted: where it lies over the first difference.

    A format is taken apart into what stands between its fields.
    """
    pieces = FIELD.split(value)
    for got, wanted in parted:
        if not isinstance(got, str) or len(got) > LONGEST:
            continue
        for index in range(0, len(pieces), 2):
            piece = pieces[index]
            for new in replaced(piece, got, wanted) if piece else ():
                yield "".join([*pieces[:index], new, *pieces[index + 1 :]])


def replaced(piece: str, got: str, wanted: str) -> Iterator[str]:
    """Yield what stands in one text where a piece of the other stands over all that differs."""
    head = shared(got, wanted)
    tail = min(shared(got[::-1], wanted[::-1]), min(len(got), len(wanted)) - head)
    first, last = head, len(got) - tail
    start = got.find(piece, max(0, last - len(piece)))
    while 0 <= start <= first:
        yield wanted[start : len(wanted) - (len(got) - start - len(piece))]
        start = got.find(piece, start + 1)
