"""One run of chosen tests under stated conditions, and how each test ended in it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

__all__ = ["Book", "Conditions", "FlakeTrial", "shuffled"]


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What a trial holds fixed; None is left as it comes.

    `order` names the tests to be run and their order, in a process of their own. `seed` settles
    chance (`random`, the order of sets), `clock` is the time that each test finds when it begins.
    """

    order: tuple[str, ...]
    seed: int | None = None
    clock: float | None = None  # seconds since the epoch


class FlakeTrial(msgspec.Struct, frozen=True, kw_only=True):
    """How tests ended; one in neither set said nothing.

    `held` tells whether seed and clock could be settled as the conditions have them.
    """

    red: frozenset[str]
    green: frozenset[str]
    held: bool = True


class Book:
    """How often each test ran in an examination, and how often it was red."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.runs: Counter[str] = Counter()
        self.reds: Counter[str] = Counter()
        self.held = True

    def note(self, trial: FlakeTrial) -> None:
        """Add a trial."""
        self.runs.update(trial.red | trial.green)
        self.reds.update(trial.red)
        self.held = self.held and trial.held


def shuffled(tests: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the tests in an order that looks like chance, and is the same for the same seed."""

    def place(test: str) -> bytes:
        return hashlib.sha256(f"{seed}\0{test}".encode("utf-8", "surrogatepass")).digest()

    return tuple(sorted(tests, key=place))


def halves(tests: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return two halves, the later one first: what disturbs a test mostly stands near it."""
    middle = len(tests) // 2
    return tuple(tests[middle:]), tuple(tests[:middle])
