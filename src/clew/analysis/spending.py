"""What agents took, in tokens and money: added up, and never guessed.

A call that does not tell its tokens is counted as such a call, and so is one whose money nobody
knows; what is known is added up all the same. So a total is the sum of its parts, whichever way
the calls are parted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

import msgspec

from clew.words.facts import BUILT_IN, Fact, Usage
from clew.words.settings import Price, Settings

__all__ = ["Tally", "budget_left", "by_agent", "priced", "tally", "total"]

MILLION = 1_000_000


class Tally(Fact, frozen=True, kw_only=True):
    """What calls took, as far as that is known."""

    calls: int = 0
    input: int = 0  # those from a cache among them
    output: int = 0
    cached: int = 0  # read from a cache
    cache_write: int = 0
    usd: float = 0.0
    untold: int = 0  # calls whose tokens nobody knows
    unpriced: int = 0  # calls whose money nobody knows

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )

    @property
    def tokens(self) -> str:
        """In words: `unknown` where no call told them."""
        if self.untold == self.calls and self.untold and not (self.input or self.output):
            return "unknown"
        kinds = ((self.cached, "cached"), (self.cache_write, "written to a cache"))
        beside = ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)
        words = f"{self.input:,} in{f' ({beside})' if beside else ''}, {self.output:,} out"
        return words + _beside(self.untold)

    @property
    def money(self) -> str:
        """In words: `unknown` where it is known of no call."""
        if self.unpriced == self.calls and self.unpriced and not self.usd:
            return "unknown"
        words = f"${self.usd:.4f}" if 0 < self.usd < 1 else f"${self.usd:.2f}"
        return words + _beside(self.unpriced)


def _beside(calls: int) -> str:
    if not calls:
        return ""
    return f", and of {calls} {'call' if calls == 1 else 'calls'} not all is known"


def tally(usage: Usage) -> Tally:
    """Return what one call took."""
    return Tally(
        calls=1,
        input=usage.input or 0,
        output=usage.output or 0,
        cached=usage.cached or 0,
        cache_write=usage.cache_write or 0,
        usd=usage.usd or 0.0,
        untold=int(usage.partial or usage.input is None or usage.output is None),
        unpriced=int(usage.partial or usage.usd is None),
    )


def by_agent(calls: Iterable[tuple[str, Usage]]) -> dict[str, Tally]:
    """Return what each agent took, by name, from its name and the usage of each call."""
    taken: dict[str, Tally] = {}
    for agent, usage in sorted(calls, key=lambda call: call[0]):
        one = Tally(calls=1) if agent == BUILT_IN else tally(usage)
        taken[agent] = taken.get(agent, Tally()) + one
    return taken


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum."""
    return sum(tallies, Tally())


def budget_left(settings: Settings, usage: Usage, seconds: float = 0.0) -> dict[str, float]:
    """Return what is left of a session's bounds; a child may take no more.

    `seconds` are those of work that count against `max_seconds`.
    """
    left: dict[str, float] = {}
    if seconds and settings.max_seconds is not None:
        left["seconds"] = max(1.0, settings.max_seconds - seconds)
    if settings.max_usd is not None:
        left["usd"] = max(0.0, settings.max_usd - (usage.usd or 0.0))
    if settings.max_tokens is not None:
        taken = (usage.input or 0) + (usage.output or 0)
        left["tokens"] = max(0, settings.max_tokens - taken)
    return left


def priced(usage: Usage, agent: str, prices: Mapping[str, Price]) -> Usage:
    """Return the usage with its money, where the agent told none and a price is set.

    A pattern is one of the agent's whole name or of what stands behind one of its colons; the first
    that fits counts. What is not known stays unknown.
    """
    price = next((p for pattern, p in prices.items() if _fits(agent, pattern)), None)
    if price is None or usage.usd is not None or usage.input is None or usage.output is None:
        return usage
    dollars = usage.input * price.input + usage.output * price.output
    for of_cache, count in ((price.cached, usage.cached), (price.cache_write, usage.cache_write)):
        if of_cache is None:
            continue
        if count is None:
            return usage
        dollars += count * (of_cache - price.input)
    return msgspec.structs.replace(usage, usd=dollars / MILLION, priced=True)


def _fits(agent: str, pattern: str) -> bool:
    words = agent.split(":")
    return any(fnmatchcase(":".join(words[at:]), pattern) for at in range(len(words)))
