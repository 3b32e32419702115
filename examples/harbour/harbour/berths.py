"""Berths, and the stays of ships in them."""

from __future__ import annotations

from dataclasses import dataclass

from harbour.vessels import Vessel

KEEL_CLEARANCE = 0.5


@dataclass(frozen=True)
class Berth:
    """A place at the quay; depth below chart datum."""

    name: str
    length: float
    depth: float
    takes_hazardous: bool = False

    def admits(self, vessel: Vessel) -> bool:
        """Whether the vessel may lie here at all, whatever the tide."""
        return vessel.length <= self.length and (self.takes_hazardous or not vessel.hazardous)

    def afloat(self, vessel: Vessel, tide: float) -> bool:
        """Whether the vessel keeps enough water under its keel at this height of tide."""
        return self.depth + tide - vessel.draught >= KEEL_CLEARANCE


@dataclass(frozen=True)
class Stay:
    """From the first line ashore to the last line let go; minutes since midnight."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise ValueError("a stay ends after it starts")

    @property
    def minutes(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Stay) -> bool:
        """Whether both need the berth at once; a handover in the same minute is none."""
        return self.start <= other.end and other.start < self.end
