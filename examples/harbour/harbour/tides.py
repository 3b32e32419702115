"""The tide table: known heights, and what lies between them.

Times are minutes since midnight; heights are metres above chart datum.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True)
class Tide:
    """One line of the table: a high or a low water."""

    minute: int
    height: float


class TideTable:
    def __init__(self, tides: list[Tide]) -> None:
        if len(tides) < 2:
            raise ValueError("a tide table needs at least two lines")
        self.tides = sorted(tides, key=lambda tide: tide.minute)

    def height_at(self, minute: int) -> float:
        """The height at a minute, by straight lines between the known waters."""
        first, last = self.tides[0], self.tides[-1]
        if not first.minute <= minute <= last.minute:
            raise ValueError(f"minute {minute} is outside the table")
        if minute == last.minute:
            return last.height
        place = bisect_right([tide.minute for tide in self.tides], minute)
        before, after = self.tides[place - 1], self.tides[place]
        share = (minute - before.minute) / (after.minute - before.minute)
        return before.height + share * (after.height - before.height)


def next_high_water(table: TideTable, minute: int) -> Tide | None:
    """The first high water at or after a minute; None when the table ends before it."""
    for place, tide in enumerate(table.tides):
        neighbours = table.tides[max(place - 1, 0) : place] + table.tides[place + 1 : place + 2]
        if tide.minute >= minute and all(tide.height > other.height for other in neighbours):
            return tide
    return None
