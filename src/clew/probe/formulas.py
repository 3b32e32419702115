"""Formulas on which the project's interpreter and Clew's agree: both import them from here."""

from __future__ import annotations

import ast
import hashlib
import json
import math
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

__all__ = ["alike", "ends_with_crlf", "ochiai", "patch_hash", "readable", "same_value"]

NEAR = 1e-9  # two numbers that are no farther apart are one, as far as a test tells
MOST_TOLD = 200_000  # places of tests that are named for one file


def ochiai(failing: int, passing: int, all_failing: int) -> float:
    """Return how well "was run" goes with "failed": 0 never, 1 by all failing tests and no other.

    `failing` and `passing` tests ran the line; `all_failing` tests failed in all.
    """
    if not failing or not all_failing:
        return 0.0
    return failing / math.sqrt(all_failing * (failing + passing))


def patch_hash(edits: Iterable[Tuple[str, str, str]]) -> str:
    """Return a name by which the same change is known again, wherever its lines have moved to.

    An edit is its path, the text it replaces, and the new text.
    """
    parts = sorted((path, current.strip(), should_be.strip()) for path, current, should_be in edits)
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def readable(text: str) -> bool:
    """Tell whether a text is a literal, which says its value by itself."""
    try:
        ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def same_value(one: str, other: str) -> bool:
    """Tell whether two literals are equal, as `0` and `0.0`: no test by `==` tells them apart."""
    try:
        first, second = ast.literal_eval(one), ast.literal_eval(other)
        if isinstance(first, (int, float)) and isinstance(second, (int, float)):
            return first == second or abs(first - second) < NEAR
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
        return False
    return bool(first == second)


def ends_with_crlf(text: str) -> bool:
    """Say whether most lines of a text end with a carriage return and a line feed."""
    return 2 * text.count("\r\n") > text.count("\n")


def alike(
    tests: Sequence[Mapping[str, Iterable[int]]], path: str
) -> Optional[Tuple[Tuple[Tuple[int, ...], Tuple[int, ...]], ...]]:
    """Group the lines of a file that the same tests run, tests by their place in `tests`.

    A test is the lines that it runs, by file. Returns None where that is too much to tell.
    """
    runs: Dict[int, List[int]] = {}
    for place, lines in enumerate(tests):
        for line in lines[path]:
            runs.setdefault(line, []).append(place)
    groups: Dict[Tuple[int, ...], List[int]] = {}
    for line in sorted(runs):
        groups.setdefault(tuple(runs[line]), []).append(line)
    if sum(map(len, groups)) > MOST_TOLD:
        return None
    return tuple((tuple(lines), places) for places, lines in groups.items())
