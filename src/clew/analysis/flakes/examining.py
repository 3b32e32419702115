"""What kind of flake a test is: which trials tell, one after the other, and what they say.

`examine` is a dialogue without any I/O: it yields the conditions of the next trial and is sent how
it went, or None when there is no time for another. It ends with a verdict on each test.

A lever (the order, the seed, the clock) is the cause when two settings of it lead to different
ends, each seen again in turn, while all else was held fixed. A test that ends both ways although
all of it was held fixed is random. Whatever was not shown is unknown: the text of a test may be a
reason to look closer, never a verdict.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from clew.analysis.flakes.trials import Book, Conditions, FlakeTrial, halves, shuffled
from clew.words.events import Flake, FlakeKind

__all__ = ["Dialogue", "ExaminationRequest", "examine"]

MOST = 20  # tests that are examined in one session
AGAIN = 3  # times that two settings are seen in turn
NAMED = 3  # tests whose disturber is looked for by halving
SEED = 1
SEEDS = (2, 3, 4)
SHUFFLES = (1, 2)
DAY = 86_400.0
SHIFTS = (1.0, DAY / 2, 31 * DAY, -366 * DAY, 366 * DAY)  # seconds
SOON = 3_600.0  # a test that ends otherwise within that time is no matter of the date

Ask = Generator[Conditions, "FlakeTrial | None", "frozenset[str] | None"]
Dialogue = Generator[Conditions, "FlakeTrial | None", tuple[Flake, ...]]


class ExaminationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is known before: all tests in the suite's order, and how red ones ended by themselves.

    `again` is the order in which they ran then. `turned` were red in the suite and green then, on
    the same code. `coins` were red both times, and green when run so once more. `doubtful` were red
    each time, and there is reason to look closer. `seen` counts the runs of a test so far, and the
    red ones. `now` is the time of that, since the epoch: trials find it, unless the clock is what
    they turn.
    """

    suite: tuple[str, ...]
    again: tuple[str, ...] = ()
    turned: tuple[str, ...]
    coins: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    seen: dict[str, tuple[int, int]] = {}
    now: float


def examine(asked: ExaminationRequest) -> Dialogue:
    """Find out the kind of each test; those that turned all have a verdict in the end."""
    return (yield from Examination(asked).go())


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of all levers; `kind` names the one that was turned."""

    conditions: Conditions
    kind: FlakeKind | None
    number: int = 0  # of the shuffle

    def name(self, kind: FlakeKind) -> str:
        """Return the setting of one lever, for people."""
        if kind is FlakeKind.RANDOM:
            return f"seed {self.conditions.seed}"
        if kind is FlakeKind.TIME and self.conditions.clock is not None:
            at = datetime.fromtimestamp(self.conditions.clock, UTC)
            return f"the clock at {at:%Y-%m-%d %H:%M:%S} UTC"
        return f"the order shuffled by {self.number}" if self.number else "the suite's order"

    def shift(self, base: Setting) -> float:
        """Return the seconds between two clocks."""
        return abs((self.conditions.clock or 0.0) - (base.conditions.clock or 0.0))


def others(base: Setting) -> Iterator[Setting]:
    """Yield settings that differ from a base in one lever."""
    known = base.conditions
    for seed in SEEDS:
        yield Setting(conditions=replace(known, seed=seed), kind=FlakeKind.RANDOM)
    for shift in SHIFTS:
        at = (known.clock or 0.0) + shift
        yield Setting(conditions=replace(known, clock=at), kind=FlakeKind.TIME)
    for number in SHUFFLES if len(known.order) > 1 else ():
        order = shuffled(known.order, number)
        conditions = replace(known, order=order)
        yield Setting(conditions=conditions, kind=FlakeKind.ORDER, number=number)


class Examination:
    """The dialogue, with what was seen so far."""

    def __init__(self, asked: ExaminationRequest) -> None:
        """Begin with the two runs that are known."""
        self.asked = asked
        self.place = {test: n for n, test in enumerate(asked.suite)}
        self.book = Book()
        self.over = False
        self.lost: frozenset[str] = frozenset()  # of the last trial: tests that said nothing
        self.found: dict[str, Flake] = {}

    def go(self) -> Dialogue:
        """Order first, then chance and the clock, for the tests that the one before left open."""
        in_order = [t for t in self.asked.turned if t in self.place][:MOST]
        turned = [*in_order, *(t for t in self.asked.coins if t in self.place)][:MOST]
        doubtful = [t for t in self.asked.doubtful if t in self.place and t not in turned]
        if in_order:
            yield from self.in_order(in_order)
        open_ = [t for t in turned if t not in self.found]
        group = self.sorted([*open_, *doubtful[: MOST - len(open_)]])
        if group:
            yield from self.levers(group)
        for test in (*self.asked.turned, *self.asked.coins):
            if test not in self.found:
                self.settle(test, FlakeKind.UNKNOWN, self.unknown(test))
        return tuple(self.found[test] for test in sorted(self.found))

    # Asking

    def ask(self, order: Iterable[str], seed: int | None = SEED, clock: float | None = None) -> Ask:
        """Have one trial; return the red tests of it, or None when there is no time for it."""
        at = self.asked.now if clock is None else clock
        conditions = Conditions(order=tuple(order), seed=seed, clock=at)
        trial = None if self.over else (yield conditions)
        if trial is None:
            self.over = True
            return None
        self.book.note(trial)
        self.lost = frozenset(conditions.order) - trial.red - trial.green
        return trial.red

    # The order

    def in_order(self, turned: Sequence[str]) -> Generator[Conditions, FlakeTrial | None, None]:
        """Tell the tests that depend on what ran before them."""
        last = max(self.place[t] for t in turned)
        red = yield from self.ask(self.asked.suite[: last + 1])
        disturbers: list[str] = []
        halvings = 0
        for test in self.sorted(red or ()):
            alone = (yield from self.ask((test,))) if test in turned else None
            if alone is None or test in self.lost:
                continue
            if test in alone:
                yield from self.leaning(test)
                continue
            before = self.asked.suite[: self.place[test]]
            near = tuple(d for d in disturbers if d in before)
            if near and (yield from self.disturbs(near, test)):
                before = near
            if halvings < NAMED or before == near:
                halvings += 1
                before = yield from self.halved(before, test)
            if (yield from self.confirmed(before, test, red=True)):
                disturbers += before if len(before) == 1 else ()
                self.settle(test, FlakeKind.ORDER, self.said_order(before, test), before)

    def leaning(self, test: str) -> Generator[Conditions, FlakeTrial | None, None]:
        """Tell a test that is green only after others: red in the suite and alone, it is red."""
        again = self.asked.again
        before = again[: again.index(test)] if test in again else ()
        if before and (yield from self.confirmed(before, test, red=False)):
            said = f"green only after other tests, red in the suite and alone; {self.counted(test)}"
            self.settle(test, FlakeKind.ORDER, said, counts=True)

    def disturbs(
        self, before: tuple[str, ...], test: str
    ) -> Generator[Conditions, FlakeTrial | None, bool]:
        red = yield from self.ask((*before, test))
        return red is not None and test in red

    def halved(
        self, before: tuple[str, ...], test: str
    ) -> Generator[Conditions, FlakeTrial | None, tuple[str, ...]]:
        """Return the fewest tests found by halving after which `test` is red."""
        while len(before) > 1:
            for half in halves(before):
                if (yield from self.disturbs(half, test)):
                    before = half
                    break
            else:
                break
        return before

    def confirmed(
        self, before: tuple[str, ...], test: str, *, red: bool
    ) -> Generator[Conditions, FlakeTrial | None, bool]:
        """See in turn that the test ends so after others, and otherwise without them."""
        for order, expected in (((*before, test), red), ((test,), not red)) * AGAIN:
            ended = yield from self.ask(order)
            if ended is None or test in self.lost or (test in ended) is not expected:
                return False
        return True

    def said_order(self, before: tuple[str, ...], test: str) -> str:
        after = before[0] if len(before) == 1 else f"{len(before)} tests that run before it"
        return f"red after {after}, green without; {self.counted(test)}"

    # Chance and the clock

    def levers(self, group: tuple[str, ...]) -> Generator[Conditions, FlakeTrial | None, None]:
        """Tell random tests from those that look at the clock, by turning one lever at a time."""
        base = Setting(
            conditions=Conditions(order=group, seed=SEED, clock=self.asked.now), kind=None
        )
        first = yield from self.set(base)
        lost = self.lost
        second = yield from self.set(base)
        if first is None or second is None:
            return
        for test in group:
            if (test in first) != (test in second) and test not in self.lost | lost:
                self.both_ways(test)
        for other in others(base):
            rest = [t for t in group if t not in self.found and t not in lost]
            red = (yield from self.set(other)) if rest else None
            if red is None:
                return
            changed = [t for t in rest if (t in red) != (t in first) and t not in self.lost]
            for test in (yield from self.kept_up(base, other, first, changed)):
                self.pulled(test, base, other, red=test in red)

    def set(self, setting: Setting) -> Ask:
        conditions = setting.conditions
        return (yield from self.ask(conditions.order, conditions.seed, conditions.clock))

    def kept_up(
        self, base: Setting, other: Setting, first: frozenset[str], changed: list[str]
    ) -> Generator[Conditions, FlakeTrial | None, list[str]]:
        """Return the tests that end in one way with one setting, and in the other with the other.

        One that does not is random: it ended both ways under equal conditions.
        """
        for setting in (base, other) * AGAIN:
            red = (yield from self.set(setting)) if changed else None
            if red is None:
                return []
            for test in changed:
                if ((test in red) == (test in first)) is not (setting is base):
                    self.both_ways(test)
            changed = [t for t in changed if t not in self.found and t not in self.lost]
        return changed if self.book.held else []

    def both_ways(self, test: str) -> None:
        if self.book.held and test not in self.lost:
            said = "ended both ways in the same order, with the same seed, at the same time"
            self.settle(test, FlakeKind.RANDOM, f"{said}; {self.counted(test)}")

    def pulled(self, test: str, base: Setting, other: Setting, *, red: bool) -> None:
        """Settle a test that a lever turns, time and again."""
        kind = other.kind or FlakeKind.UNKNOWN
        names = [base.name(kind), other.name(kind)]
        bad, good = names[::-1] if red else names
        said = f"red with {bad}, green with {good}, time and again"
        # Red in the suite and alone, whenever it is run these days: that is no flake.
        counts = other.shift(base) > SOON and test not in (*self.asked.turned, *self.asked.coins)
        self.settle(test, kind, f"{said}; {self.counted(test)}", counts=counts)

    # Verdicts

    def settle(
        self,
        test: str,
        kind: FlakeKind,
        evidence: str,
        after: tuple[str, ...] = (),
        *,
        counts: bool = False,
    ) -> None:
        self.found[test] = Flake(
            test=test,
            kind=kind,
            evidence=evidence,
            after=after[0] if len(after) == 1 else "",
            runs=self.book.runs[test],
            red=self.book.reds[test],
            counts=counts,
        )

    def counted(self, test: str) -> str:
        known = 2, 1 if test in self.asked.turned else 2
        runs, red = self.asked.seen.get(test, known)
        return f"red in {self.book.reds[test] + red} of {self.book.runs[test] + runs} runs"

    def unknown(self, test: str) -> str:
        why = "; no time was left to find out why" if self.over else ""
        return f"red in the suite, then green on the same code; {self.counted(test)}{why}"

    def sorted(self, tests: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(dict.fromkeys(tests), key=lambda test: self.place[test]))
