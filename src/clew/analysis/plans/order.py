"""The order of a plan's phases: by what each depends on, and by batches.

Phases are counted by their place in the plan, so that a plan in which an id stands twice can still
be looked at; an id then means the first phase of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from clew.analysis.plans.ownership import owned, shared
from clew.words.phases import PhaseStatus
from clew.words.plans import DOCUMENTATION, PhaseId, Plan

__all__ = ["before", "critical_path", "cycles", "dependencies", "ready", "sorted_out", "waves"]

Edges = dict[int, set[int]]  # the places of the phases that each waits for

DONE = frozenset(status for status in PhaseStatus if status.done)


def waves(plan: Plan) -> tuple[tuple[PhaseId, ...], ...]:
    """Return the phases by depth: each wave waits for nothing but the ones before it.

    Raises graphlib.CycleError for a plan that `check` finds a cycle in.
    """
    depths = _depths(_edges(_This(plan)))
    found: list[list[PhaseId]] = [[] for _ in range(max(depths.values(), default=-1) + 1)]
    for place, phase in enumerate(plan.phases):
        found[depths[place]].append(phase.id)
    return tuple(map(tuple, found))


def critical_path(plan: Plan) -> tuple[PhaseId, ...]:
    """Return the longest chain of phases that wait for each other, first to last.

    No number of agents works a plan off in fewer steps. Raises graphlib.CycleError.
    """
    edges = _edges(_This(plan))
    depths = _depths(edges)
    chain: list[int] = []
    ahead: Sequence[int] = range(len(plan.phases))
    while ahead:
        chain.append(max(ahead, key=lambda place: (depths[place], -place)))
        ahead = sorted(edges[chain[-1]])
    return tuple(plan.phases[place].id for place in reversed(chain))


def ready(plan: Plan, statuses: Mapping[PhaseId, str]) -> tuple[PhaseId, ...]:
    """Return the pending phases that may all start now, side by side, in the order of the plan.

    What each waits for is completed or skipped; none shares a file with another or with a running
    phase; and one that is not parallel starts alone. A phase without a status is pending.
    """
    edges = _edges(_This(plan))
    pending: list[int] = []
    busy: list[int] = []
    done: set[int] = set()
    for place, phase in enumerate(plan.phases):
        match statuses.get(phase.id, PhaseStatus.PENDING):
            case PhaseStatus.PENDING:
                pending.append(place)
            case PhaseStatus.IN_PROGRESS:
                busy.append(place)
            case status if status in DONE:
                done.add(place)

    def beside(one: int, other: int) -> bool:
        first, second = plan.phases[one], plan.phases[other]
        return first.parallel and second.parallel and not shared(owned(first), owned(second))

    started: list[PhaseId] = []
    for place in pending:
        if edges[place] <= done and all(beside(place, other) for other in busy):
            busy.append(place)
            started.append(plan.phases[place].id)
    return tuple(started)


def dependencies(plan: Plan) -> Edges:
    """Return what each phase depends on; ids that no phase has are left out.

    Documentation depends on all that is not documentation.
    """
    places: dict[PhaseId, int] = {}
    for place, phase in enumerate(plan.phases):
        places.setdefault(phase.id, place)
    edges = {
        place: {places[each] for each in phase.depends_on if each in places}
        for place, phase in enumerate(plan.phases)
    }
    manuals = {place for place, phase in enumerate(plan.phases) if phase.kind == DOCUMENTATION}
    for place in manuals:
        edges[place] |= edges.keys() - manuals
    return edges


class _This(NamedTuple):
    """A plan by which it is, not by what it says: looked at again and again while it runs."""

    plan: Plan

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _This) and self.plan is other.plan

    def __hash__(self) -> int:
        return id(self.plan)


@lru_cache(8)
def _edges(this: _This) -> Edges:
    """Return what each phase waits for: its dependencies, and every phase of a lower batch."""
    plan = this.plan
    edges = dependencies(plan)
    batches: dict[int, set[int]] = {}
    for place, phase in enumerate(plan.phases):
        if phase.batch is not None:
            batches.setdefault(phase.batch, set()).add(place)
    lower: set[int] = set()
    for _, members in sorted(batches.items()):
        for place in members:
            edges[place] |= lower
        lower = members
    return edges


def _depths(edges: Edges) -> dict[int, int]:
    depths: dict[int, int] = {}
    for place in sorted_out(edges):
        depths[place] = max((depths[each] + 1 for each in edges[place]), default=0)
    return depths


def sorted_out(edges: Edges) -> Iterable[int]:
    """Return each phase after all that it waits for. Raises graphlib.CycleError."""
    return TopologicalSorter(edges).static_order()


def before(plan: Plan) -> dict[int, int]:
    """Return all that each phase waits for, directly or not, as bits of a number.

    Raises graphlib.CycleError.
    """
    edges = _edges(_This(plan))
    bits: dict[int, int] = {}
    for place in sorted_out(edges):
        bits[place] = 0
        for each in edges[place]:
            bits[place] |= bits[each] | 1 << each
    return bits


def cycles(edges: Edges) -> Iterator[list[int]]:
    """Yield cycles that have no phase in common, until no other is left.

    In each, every phase waits for the next one, and the last one is the first again.
    """
    left = edges
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            found: list[int] = error.args[1]
            yield found[::-1]  # graphlib lists who is waited for first
            gone = set(found)
            left = {place: waits - gone for place, waits in left.items() if place not in gone}
        else:
            return
