"""Sweeps: tests of many cases, of which one run takes a part, and some runs in a row take all.

`CLEW_SWEEP` is the number of a run; `make test-slow` counts days. The same number takes the same
part. Without it, and with `all`, every case is run.

    @pytest.mark.sweep(6)                         six of the cases of a slow test
    @pytest.mark.sweep(6, by=("level", "role"))   the same, and each value of these parameters

The slow tests that are in no sweep are one more, of which a run takes one in three.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import pytest

__all__ = ["header", "left_out", "number", "part", "rounds"]

Case = TypeVar("Case")
OF_SINGLE = 1 / 3  # of the slow tests that are in no sweep a run takes so many


def number() -> int | None:
    """Return the number of this run; None where everything is run."""
    said = os.environ.get("CLEW_SWEEP", "all")
    if said != "all" and not said.isdecimal():
        raise pytest.UsageError(f"CLEW_SWEEP is {said!r}: neither a number nor `all`")
    return None if said == "all" else int(said)


def header() -> str:
    """Say how this run can be had again."""
    run = number()
    if run is None:
        return "sweeps: whole"
    return f"sweeps: part {run} of each; CLEW_SWEEP={run} runs it again, CLEW_SWEEP=all all parts"


def part(
    cases: Sequence[Case],
    most: int,
    run: int | None,
    kinds: Sequence[Callable[[Case], Hashable]] = (),
) -> list[Case]:
    """Return the cases of one run, in their order: `most` of them, and of each kind at least one.

    Runs go through the parts, and then through them in another order: whoever runs every seventh
    day does not meet the same parts again and again.
    """
    if run is None or len(cases) <= most:
        return list(cases)
    parts = -(-len(cases) // most)
    through, place = divmod(run, parts)
    first = most * _mixed(parts, through)[place]
    mixed = _mixed(len(cases), 0)  # neighbours in a list are often alike
    turns = mixed[first:] + mixed[:first]
    chosen = set(turns[:most])
    for kind in kinds:
        known = {kind(cases[place]) for place in chosen}
        for place in turns:
            if kind(cases[place]) not in known:
                known.add(kind(cases[place]))
                chosen.add(place)
    return [cases[place] for place in sorted(chosen)]


def _mixed(many: int, seed: int) -> list[int]:
    numbers = list(range(many))
    random.Random(f"{many} {seed}").shuffle(numbers)  # noqa: S311 - no secret
    return numbers


def rounds(some: int, *, of: int) -> int:
    """Return how often to try what is another thing each time: `of` times where all is run."""
    return of if number() is None else some


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the slow tests that this run leaves out."""
    run = number()
    sweeps: dict[str, list[pytest.Item]] = {}
    single: list[pytest.Item] = []
    for item in items:
        if not item.get_closest_marker("slow"):
            continue
        if item.get_closest_marker("sweep"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
        else:
            single.append(item)
    taken = set(part(single, math.ceil(len(single) * OF_SINGLE), run))
    found = [item for item in single if item not in taken]
    for cases in sweeps.values():
        marker = cases[0].get_closest_marker("sweep")
        assert marker is not None
        kinds = [_value_of(name) for name in marker.kwargs.get("by", ())]
        chosen = part(cases, marker.args[0], run, kinds)
        found += [case for case in cases if case not in set(chosen)]
    return found


def _value_of(parameter: str) -> Callable[[pytest.Item], Hashable]:
    def value(item: pytest.Item) -> Hashable:
        assert isinstance(item, pytest.Function)
        return repr(item.callspec.params[parameter])

    return value
