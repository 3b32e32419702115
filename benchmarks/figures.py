"""What was measured, in the words of the document."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

import msgspec

__all__ = ["Bound", "Figure", "Measured", "Part", "Spread", "paired"]


class Spread(msgspec.Struct, frozen=True):
    """The middle of several measurements, and where the middle half of them lies."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Sum up at least one measurement."""
        found = sorted(values)
        quarters = statistics.quantiles(found, method="inclusive") if len(found) > 1 else found * 3
        return cls(quarters[1], quarters[0], quarters[2], len(found))

    def times(self, factor: float) -> Spread:
        """Return the same in another unit."""
        return Spread(self.median * factor, self.low * factor, self.high * factor, self.count)


class Bound(msgspec.Struct, frozen=True):
    """What a figure is to reach: at least or at most a number, with its unit."""

    at_least: bool
    number: float
    unit: str = "times"

    def holds(self, value: float) -> bool:
        return value >= self.number if self.at_least else value <= self.number


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table. `value` is what `bound` judges."""

    what: str
    unit: str
    clew: Spread
    peer: str = ""
    theirs: Spread | None = None
    value: float | None = None
    bound: Bound | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the bound holds; None where there is none."""
        if self.bound is None or self.value is None:
            return None
        return self.bound.holds(self.value)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One group of figures, how they were measured, and what else there is to say."""

    title: str
    how: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """When a part was measured, how long that took, and what came of it."""

    date: str
    commit: str
    seconds: float
    part: Part | None = None
    trouble: str = ""  # why there is none


def paired(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the median ratio of measurements taken in turns: drift of the machine cancels out."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))
