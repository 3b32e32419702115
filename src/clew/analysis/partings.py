"""Where two runs of a program part: the first function that gives another value, or goes elsewhere.

by_value   the same input on two versions of the code: who was given the same, and gave another
by_way     two inputs on the same code: the line after which they go different ways
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from clew.words.facts import Fact

__all__ = ["FollowedCall", "ValueParting", "WayParting", "by_value", "by_way", "same_ways"]


class FollowedCall(Fact, frozen=True, kw_only=True):
    """One call of a function of the project's, as it ended; values are short pictures."""

    number: int  # in the order in which they began
    path: str
    function: str
    line: int  # where the function begins
    given: dict[str, str]
    gave: str = ""
    raised: str = ""  # instead
    at: int = 0  # the line at which it ended
    steps: tuple[int, ...] = ()  # the lines that it ran

    @property
    def outcome(self) -> str:
        """What it gave, or raised."""
        return f"raised {self.raised}" if self.raised else f"gave {self.gave}"

    @property
    def shown(self) -> str:
        """The call, as it could be written."""
        given = ", ".join(f"{name}={text}" for name, text in self.given.items())
        return f"{self.function}({given})"


class ValueParting(Fact, frozen=True, kw_only=True):
    """A function that was given the same in both runs, and gave another value."""

    works: FollowedCall
    fails: FollowedCall


class WayParting(Fact, frozen=True, kw_only=True):
    """The line up to which both runs are alike, and where each goes on; 0 where it returns."""

    fails: FollowedCall  # that goes the other way
    line: int  # the last that both run
    works_to: int
    fails_to: int


def by_value(works: Sequence[FollowedCall], fails: Sequence[FollowedCall]) -> ValueParting | None:
    """Return the first call to end otherwise than its like; both are in the order of their ends.

    Since callees end before their callers, what it called gave the same, as far as it was given
    the same.
    """
    like: dict[tuple[str, str, str], deque[FollowedCall]] = defaultdict(deque)
    for call in works:
        like[_key(call)].append(call)
    for call in fails:
        same = like[_key(call)]
        if same and (other := same.popleft()).outcome != call.outcome:
            return ValueParting(works=other, fails=call)
    return None


def _key(call: FollowedCall) -> tuple[str, str, str]:
    return call.path, call.function, call.shown


def by_way(works: Sequence[FollowedCall], fails: Sequence[FollowedCall]) -> WayParting | None:
    """Return where the first two calls part that go different ways, in the order they began."""
    pairs = zip(_begun(works), _begun(fails), strict=False)
    for one, other in pairs:
        if (one.path, one.function) != (other.path, other.function):
            return None
        common = 0
        for a, b in zip(one.steps, other.steps, strict=False):
            if a != b:
                break
            common += 1
        if one.steps != other.steps and common:
            return WayParting(
                fails=other,
                line=other.steps[common - 1],
                works_to=one.steps[common] if common < len(one.steps) else 0,
                fails_to=other.steps[common] if common < len(other.steps) else 0,
            )
    return None


def same_ways(works: Sequence[FollowedCall], fails: Sequence[FollowedCall]) -> bool:
    """Whether both call the same functions, and run the same lines of them."""

    def ways(calls: Sequence[FollowedCall]) -> list[tuple[str, str, tuple[int, ...]]]:
        return [(call.path, call.function, call.steps) for call in _begun(calls)]

    return ways(works) == ways(fails)


def _begun(calls: Sequence[FollowedCall]) -> Iterator[FollowedCall]:
    return iter(sorted(calls, key=lambda call: call.number))
