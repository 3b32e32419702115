"""Is a red test a fault, or a coin? A sequential test, with a prior from what its code touches.

Two things may be true of a test that was red in the suite and red alone. It is a fault: then every
run of it is red. Or it is a coin: then a run is red with a chance of `RED` at most (of coins that
are red more often nothing is promised). So a green run settles it, and a red one multiplies the
odds that it is a coin by `RED`: the hardest coin makes red runs likeliest. The odds begin at
`TOUCHES` for a test whose code touches a source of chance, at `TOUCHES_NONE` for any other, and at
`FAULT` it is a fault. That is a sequential probability ratio test of a fault against the hardest
coin; it takes 46 more red runs from even odds, and 2 from 1 to 100. Of the hardest coins
0.9 ** 46 < 0.8 % are red that often, of all others fewer.

`resample` is a dialogue without any I/O, like `examining`. It asks for draws: the red tests by
themselves, in processes of their own. Several may be copies of one process that has not yet loaded
the project; they share the order of sets, and the files that tests leave, which the next process
does not find. What runs before leave behind can turn a test for good, and only chance turns
it back: so a green run counts where it was the first of its process, or a red one came after it.
After any other the count begins anew, one process a run.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Mapping
from enum import StrEnum

import msgspec

from clew.analysis.flakes.sources import Chance
from clew.analysis.flakes.trials import FlakeTrial

__all__ = ["Draws", "RerunRequest", "Resampling", "Word", "needed", "resample"]

RED = 0.9
TOUCHES = 1.0  # even odds
TOUCHES_NONE = 1 / 100
FAULT = 1 / 120
COPIES = 11  # of one process

SILENT = 3  # processes that may say nothing of a test


class Word(StrEnum):
    """What a red test is."""

    FAULT = "fault"
    COIN = "coin"  # seen green on the same code
    PERHAPS = "perhaps"  # red each time, and not often enough to rule chance out


class Draws(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run: tests in an order, in so many copies of one new process.

    Or in two new `processes` side by side, each in a checkout of its own.
    """

    order: tuple[str, ...]
    copies: int = 1
    processes: int = 1


class RerunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is known before: red tests, in the order in which they were run alone.

    `red` counts the runs alone so far, all of them red; `touched` says which sources of chance the
    code of a test touches. `suite` is the suite in its order, where one more run of it is cheap.
    `at_once` says whether two processes may run side by side.
    """

    order: tuple[str, ...]
    red: Mapping[str, int]
    touched: Mapping[str, frozenset[Chance]]
    suite: tuple[str, ...] = ()
    at_once: bool = False


class Resampling(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a test, and its runs after the first one in the suite."""

    word: Word
    runs: int
    red: int
    silent: bool = False  # too many more runs told nothing of it


Dialogue = Generator[Draws, "tuple[FlakeTrial, ...] | None", dict[str, Resampling]]


def needed(touched: Iterable[Chance]) -> int:
    """Return how many more red runs in a row make a test a fault that was red alone."""
    odds = TOUCHES if frozenset(touched) else TOUCHES_NONE
    return math.ceil(math.log(FAULT / odds) / math.log(RED))


def resample(known: RerunRequest) -> Dialogue:
    """Run red tests again until each is a coin or a fault, or no time is left (None is sent)."""
    tallies = {
        test: _Tally(known.touched.get(test, frozenset()), known.red.get(test, 1))
        for test in known.order
    }
    suite = known.suite
    while open_ := {test: tallies[test] for test in known.order if tallies[test].is_open}:
        order, copies, processes = tuple(open_), 1, 1
        most = min(tally.left for tally in open_.values())
        if suite and all(tally.touched for tally in open_.values()):
            last = max((suite.index(test) for test in open_ if test in suite), default=-1)
            order, suite = suite[: last + 1] or order, ()
        elif all(tally.may_be_copied for tally in open_.values()):
            copies = min(COPIES, most)
        elif known.at_once:
            processes = min(2, most)
        trials = yield Draws(order=order, copies=copies, processes=processes)
        if trials is None:
            break
        for ran in (trials,) if copies > 1 else zip(trials):
            for test, tally in open_.items():
                tally.note([_end(trial, test) for trial in ran])
    return {test: tally.told() for test, tally in tallies.items()}


def _end(trial: FlakeTrial, test: str) -> bool | None:
    """Tell whether a test was red in a trial; None where it said nothing."""
    if test in trial.red:
        return True
    return False if test in trial.green else None


class _Tally:
    """The runs of one test, by itself but for the one in the suite."""

    def __init__(self, touched: frozenset[Chance], red: int) -> None:
        self.touched = touched
        self.runs = self.red = self.row = red
        self.silent = 0
        self.coin = False
        self.leaves = False  # what its runs leave behind may turn it

    @property
    def left(self) -> int:
        return 1 + needed(self.touched) - self.row

    @property
    def is_open(self) -> bool:
        return not self.coin and self.left > 0 and self.silent < SILENT

    @property
    def may_be_copied(self) -> bool:
        """Whether copies of a process tell as much as processes: they share the order of sets."""
        return bool(self.touched) and Chance.HASHES not in self.touched and not self.leaves

    def note(self, ends: list[bool | None]) -> None:
        """Add the runs of one process and its copies, in their order."""
        said = [end for end in ends if end is not None]
        self.runs += len(said)
        self.red += sum(said)
        self.row += sum(said)
        self.silent += not said
        if False in said:
            self.coin |= ends[0] is False or True in said[said.index(False) :]
            self.leaves, self.row = True, 1

    def told(self) -> Resampling:
        """Without a source of chance shortness of time is no reason to doubt a red test."""
        certain = self.left <= 0 or not self.touched
        word = Word.COIN if self.coin else Word.FAULT if certain else Word.PERHAPS
        silent = self.silent >= SILENT
        return Resampling(word=word, runs=self.runs, red=self.red, silent=silent)
