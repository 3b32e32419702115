"""Rates with their intervals, and two runs over the same tasks compared.

A rate             Wilson's score interval (E. B. Wilson, 1927), 95 %
two paired rates   McNemar's test, exact (binomial on the tasks that differ), and a percentile
                   bootstrap over tasks for the difference
paired times       the same bootstrap, for the ratio of geometric means

Every bootstrap has its seed, so that a figure can be had again.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import msgspec

__all__ = ["PairedTasks", "Rate", "bootstrap", "mcnemar", "paired", "ratio", "wilson"]

Z = 1.959963984540054  # of the normal distribution, two-sided 95 %
LEVEL = 0.95
ROUNDS = 5_000


class Rate(msgspec.Struct, frozen=True):
    """So many of so many, with its interval; all 0 to 1."""

    hits: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The rate itself; 0 of none is 0."""
        return self.hits / self.total if self.total else 0.0


class PairedTasks(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs on the same tasks: how many each has alone, and what that says."""

    both: int
    first: int
    second: int
    neither: int
    p: float  # McNemar, exact, two-sided
    difference: float  # second less first
    low: float
    high: float


def wilson(hits: int, total: int) -> Rate:
    """Return a rate with Wilson's interval; of none, everything is possible."""
    if not total:
        return Rate(0, 0, 0.0, 1.0)
    share, z2 = hits / total, Z * Z
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    high = 1.0 if hits == total else min(1.0, middle + half)
    return Rate(hits, total, low, high)


def mcnemar(first: int, second: int) -> float:
    """Return the two-sided exact p-value of so many tasks that one run alone has, and the other."""
    n = first + second
    if not n:
        return 1.0
    tail = sum(math.comb(n, k) for k in range(min(first, second) + 1))
    return min(1.0, tail / (1 << (n - 1)))


def paired(first: Sequence[bool], second: Sequence[bool], *, seed: int) -> PairedTasks:
    """Compare two runs, task by task: the n-th of each is the same task."""
    pairs = list(zip(first, second, strict=True))
    gains = [int(b) - int(a) for a, b in pairs]
    low, high = bootstrap(gains, _mean, seed=seed)
    alone = pairs.count((True, False)), pairs.count((False, True))
    return PairedTasks(
        both=pairs.count((True, True)),
        first=alone[0],
        second=alone[1],
        neither=pairs.count((False, False)),
        p=mcnemar(*alone),
        difference=_mean(gains),
        low=low,
        high=high,
    )


def ratio(
    first: Sequence[float], second: Sequence[float], *, seed: int
) -> tuple[float, float, float]:
    """Return by what factor the second's times differ (geometric mean), and its interval."""
    logs = [math.log(b / a) for a, b in zip(first, second, strict=True) if a > 0 and b > 0]
    low, high = bootstrap(logs, _mean, seed=seed)
    return math.exp(_mean(logs)), math.exp(low), math.exp(high)


def bootstrap(
    values: Sequence[float], statistic: Callable[[Sequence[float]], float], *, seed: int
) -> tuple[float, float]:
    """Return the percentile interval of a statistic (B. Efron, 1979), resampling whole tasks."""
    if not values:
        return 0.0, 0.0
    chance = random.Random(seed)  # noqa: S311 -- no secret; the seed makes it repeatable
    found = sorted(statistic(chance.choices(values, k=len(values))) for _ in range(ROUNDS))
    edge = int(ROUNDS * (1 - LEVEL) / 2)
    return found[edge], found[-1 - edge]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
