"""Changes that are one change to a person: the same lines put in a little further up or down."""

from __future__ import annotations

from itertools import takewhile
from textwrap import dedent

from clew.words.facts import Candidate, Edit

__all__ = ["without_doubles"]

NEAR = 3  # lines between two places that count as one


def without_doubles(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Leave out what an earlier one of them puts in too, beside it, where no call parts the two."""
    found: list[Candidate] = []
    for candidate in candidates:
        if not any(_doubles(candidate, each, found[0]) for each in found):
            found.append(candidate)
    return tuple(found)


def _doubles(late: Candidate, early: Candidate, best: Candidate) -> bool:
    if (late.function, late.turns_green) != (early.function, early.turns_green):
        return False
    if late.parting != (None if early is best else early.parting):
        return False
    one, other = _put_in(early.edits), _put_in(late.edits)
    if one is None or other is None:
        return False
    return one[:2] == other[:2] and abs(one[2] - other[2]) <= NEAR


def _put_in(edits: tuple[Edit, ...]) -> tuple[str, str, int] | None:
    """Return path, text and line of what one edit puts in; None where more is changed."""
    if len(edits) != 1:
        return None
    (edit,) = edits
    old, new = edit.current.splitlines(), edit.should_be.splitlines()
    more = len(new) - len(old)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    if more <= 0 or new[same + more :] != old[same:]:
        return None
    text = dedent("\n".join(new[same : same + more])).strip()
    return edit.path, text, (edit.line or 0) + same
