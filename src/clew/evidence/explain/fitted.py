"""Numbers that fit the failing tests, and that nothing else speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clew.evidence.explain.rivals import as_good
from clew.evidence.explain.scene import code
from clew.words.facts import Candidate

__all__ = ["made_up", "other_divisor", "other_rounding"]

NUMBERS = re.compile(r"replace `(-?\d+)` by `(-?\d+)`")
PLAIN = frozenset([-1, 0, 1, 2])
NEAREST = ("round to the nearest", "+ 0.5)", "round(")
ROUNDING = (
    "To round up and to round to the nearest both pass: the tests do not say which one is wanted."
)


def other_divisor(best: Candidate, sources: Mapping[str, str]) -> str:
    """Say that a divisor is replaced by a multiple or a part of it, which nothing speaks of."""
    was, comes = _numbers(best)
    if not was or not comes or (was % comes and comes % was) or _known(comes, best, sources):
        return ""
    if not any(re.search(rf"(?:%|//)=?\s*{was}\b", edit.current) for edit in best.edits):
        return ""
    return (
        f"The change divides by {comes} in place of {was}: what the failing tests need may be a"
        " case of its own, and others change with it."
    )


def made_up(best: Candidate, sources: Mapping[str, str]) -> str:
    """Say that a number comes that stands nowhere else, and is none that one slips to."""
    was, comes = _numbers(best)
    slip = abs(was - comes) <= 1 or comes in PLAIN
    if was == comes or slip or _known(comes, best, sources):
        return ""
    return f"The number {comes} stands nowhere else in {code(best.path)}: it may fit these tests."


def other_rounding(candidates: tuple[Candidate, ...]) -> str:
    """Say that two ways to round pass."""
    best, *_ = candidates
    up = any("-(-" in e.should_be and "-(-" not in e.current for e in best.edits)
    rivals = as_good(candidates) if up and not best.witness else ()
    nearest = any(any(word in each.description for word in NEAREST) for each in rivals)
    return ROUNDING if nearest else ""


def _numbers(best: Candidate) -> tuple[int, int]:
    """Return the number that one change replaces, and the other; twice nought where it is none."""
    pair = None if best.parts else NUMBERS.fullmatch(best.description)
    return (int(pair[1]), int(pair[2])) if pair else (0, 0)


def _known(number: int, best: Candidate, sources: Mapping[str, str]) -> bool:
    """Tell whether the code, or what its file says, has a number already."""
    return bool(re.search(rf"(?<![\w.]){abs(number)}(?![\w.])", sources.get(best.path, "")))
