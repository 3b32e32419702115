"""The records of a run in figures: whole, by suite, by kind of fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

import msgspec

from clew.evaluation.counting import PairedTasks, Rate, paired, ratio, wilson
from clew.evaluation.records import BenchRun, TaskOutcome
from clew.words.errors import UsageError
from clew.words.facts import Usage

__all__ = ["TOPS", "BenchSummary", "Contrast", "contrast", "grouped", "summarise"]

TOPS = (1, 3, 5, 10)


class BenchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of some outcomes; rates are of all of them unless they say otherwise."""

    tasks: int
    plausible: Rate
    correct: Rate  # known to be right; what is unknown counts as not
    wrong: int  # plausible, and known not to be right
    unknown: int  # plausible, and nothing could tell
    flawed: int = 0  # whose fault is the suite's: `flaw` in their records says which
    iterations: dict[int, Rate]  # green by the end of iteration n
    lines: dict[int, Rate]  # first true line within the first n suspects; of those ranked
    files: dict[int, Rate]
    ranked: int
    ends: dict[str, int]
    agents: dict[str, int]  # accepted fixes by who made them
    seconds: float  # median of all sessions
    seconds_solved: float | None  # median of the plausible ones
    usage: Usage  # sums; unknown if a part is


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs on the tasks that both have."""

    tasks: int
    left_out: int  # tasks that only one of them has
    changed: tuple[str, ...]  # left out as well: not the same task in both
    plausible: PairedTasks
    correct: PairedTasks
    ratio: tuple[float, float, float]  # of the second's times to the first's, with its interval
    gained: tuple[str, ...]  # plausible in the second run alone
    lost: tuple[str, ...]


def summarise(outcomes: Sequence[TaskOutcome]) -> BenchSummary:
    """Return the figures of some outcomes."""
    good = [o for o in outcomes if o.plausible]
    ranked = [o for o in outcomes if o.suspects is not None and o.truth]
    most = max((o.iteration or 0 for o in outcomes), default=0)

    def rate(among: Sequence[TaskOutcome], holds: Callable[[TaskOutcome], bool]) -> Rate:
        return wilson(sum(map(holds, among)), len(among))

    def within(place: int | None, top: int) -> bool:
        return place is not None and place <= top

    return BenchSummary(
        tasks=len(outcomes),
        plausible=rate(outcomes, lambda o: o.plausible),
        correct=rate(outcomes, lambda o: o.plausible and o.correct is True),
        wrong=sum(o.correct is False for o in good),
        unknown=sum(o.correct is None for o in good),
        flawed=sum(bool(o.flaw) for o in outcomes),
        iterations={
            n: rate(outcomes, lambda o, n=n: within(o.iteration, n))  # type: ignore[misc]
            for n in range(1, max(most, 3) + 1)
        },
        lines={n: rate(ranked, lambda o, n=n: within(o.line_rank, n)) for n in TOPS},  # type: ignore[misc]
        files={n: rate(ranked, lambda o, n=n: within(o.file_rank, n)) for n in TOPS},  # type: ignore[misc]
        ranked=len(ranked),
        ends=_counted(o.end for o in outcomes),
        agents=_counted(o.agent for o in good),
        seconds=median([o.seconds for o in outcomes]) if outcomes else 0.0,
        seconds_solved=median([o.seconds for o in good]) if good else None,
        usage=Usage.total([o.usage for o in outcomes]),
    )


def grouped(
    outcomes: Iterable[TaskOutcome], key: Callable[[TaskOutcome], str]
) -> dict[str, tuple[TaskOutcome, ...]]:
    """Sort outcomes into groups, by name."""
    found: dict[str, list[TaskOutcome]] = {}
    for outcome in outcomes:
        found.setdefault(key(outcome), []).append(outcome)
    return {name: tuple(found[name]) for name in sorted(found)}


def contrast(first: BenchRun, second: BenchRun, *, seed: int = 0) -> Contrast:
    """Compare two runs on the tasks that both have unchanged. Raises UsageError without any."""
    left = {o.name: o for o in first.outcomes}
    right = {o.name: o for o in second.outcomes}
    both = sorted(left.keys() & right.keys())
    changed = tuple(name for name in both if _differ(left[name].digest, right[name].digest))
    names = [name for name in both if name not in changed]
    if not names:
        raise UsageError(
            f"{first.folder} and {second.folder} have no task in common",
            hint="Compare two runs of one suite, as it was for both.",
        )
    pairs = [(left[name], right[name]) for name in names]

    def compared(holds: Callable[[TaskOutcome], bool]) -> PairedTasks:
        return paired([holds(a) for a, _ in pairs], [holds(b) for _, b in pairs], seed=seed)

    return Contrast(
        tasks=len(names),
        left_out=len(left.keys() ^ right.keys()),
        changed=changed,
        plausible=compared(lambda o: o.plausible),
        correct=compared(lambda o: o.plausible and o.correct is True),
        ratio=ratio([a.seconds for a, _ in pairs], [b.seconds for _, b in pairs], seed=seed),
        gained=tuple(b.name for a, b in pairs if b.plausible and not a.plausible),
        lost=tuple(a.name for a, b in pairs if a.plausible and not b.plausible),
    )


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other


def _counted(words: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in sorted(words):
        found[word] = found.get(word, 0) + 1
    return found
