"""Where an edit changes something: its lines that differ, not where its text begins."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from clew.words.facts import Candidate, Edit

__all__ = ["EditSpot", "of_candidate", "of_edit", "puts_in"]


class EditSpot(NamedTuple):
    """One place of a change: whole lines, or the part of a line that an edit names."""

    path: str
    line: int | None
    before: str
    after: str


def of_edit(edit: Edit) -> tuple[EditSpot, ...]:
    """Return the places of an edit, in order; lines that stay are no part of any."""
    before, after = edit.current.splitlines(), edit.should_be.splitlines()
    known = edit.line
    if known is None or len(before) <= 1:
        return (EditSpot(edit.path, known, edit.current, edit.should_be),)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    spots = [
        EditSpot(edit.path, known + start, "\n".join(before[start:end]), "\n".join(after[to:stop]))
        for kind, start, end, to, stop in matcher.get_opcodes()
        if kind != "equal"
    ]
    return tuple(spots) or (EditSpot(edit.path, known, edit.current, edit.should_be),)


def of_candidate(candidate: Candidate) -> tuple[EditSpot, ...]:
    """Return the places of a candidate, the first for each line, in order."""
    return _once(spot for edit in candidate.edits for spot in of_edit(edit))


def puts_in(spot: EditSpot) -> bool:
    """Whether a place is changed only by what is put in before a line."""
    stays = spot.after.rstrip().endswith(f"\n{spot.before.rstrip()}")
    return spot.line is not None and (stays or not spot.before.strip())


def _once(spots: Iterable[EditSpot]) -> tuple[EditSpot, ...]:
    found: dict[tuple[str, int | None], EditSpot] = {}
    for spot in spots:
        found.setdefault((spot.path, spot.line), spot)
    return tuple(sorted(found.values(), key=lambda spot: (spot.path, spot.line or 0)))
