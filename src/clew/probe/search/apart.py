"""What the patches that mend as much as the best one do otherwise, and who speaks for which."""

from __future__ import annotations

import time
from typing import List, Sequence

from .behaviour import SideBySide, compare, compared
from .given import FAMILY as GIVEN
from .joining import instead
from .ranking import ENOUGH, Survivor, best
from .source import Patch
from .trying import Trial
from .witnesses import Testimony
from .workers import Pool

__all__ = ["set_beside", "unlike"]

COMPARING = 1.5  # seconds for what complete patches do on other inputs
BUSY = 8  # by how much longer that may take on a busy machine
QUICK = 1.0  # seconds that tests take together, whose calls are made where nothing is compared
COMPARED = 24  # patches, the best of those that are complete


def set_beside(
    survivors: Sequence[Survivor], trial: Trial, pool: Pool, targets: int
) -> List[Survivor]:
    """Return the survivors, with those that behave alike under one key, and where others part.

    Where none is complete, those that turn what the best one does are as good as it. Where
    something else than a test speaks for another one than the best, all are put beside that.
    """
    first = leading(survivors, targets)
    if not first:
        return list(survivors)
    told = beside_first(survivors, trial, pool, first)
    again = leading(told, targets)
    if again[0].patch != first[0].patch:
        told = beside_first(told, trial, pool, again)
    return told


def unlike(
    found: Sequence[Survivor], refused: Sequence[Patch], trial: Trial, pool: Pool
) -> List[Survivor]:
    """Return the survivors without those that do what a refused patch does, as far as is seen."""
    wanted = list(found)
    for start in range(0, len(found) if refused else 0, COMPARED):
        part = found[start : start + COMPARED]
        work = compare(trial, [[*refused, *(each.patch for each in part)]], COMPARING)
        _, messages = pool.run([0], work, time.monotonic() + BUSY * COMPARING, batch=1)
        told = compared(messages)
        if told is not None and told.inputs >= ENOUGH:
            groups = zip(part, told.groups[len(refused) :])
            alike = [each for each, group in groups if group < len(refused)]
            wanted = [each for each in wanted if each not in alike]
    return wanted


def leading(survivors: Sequence[Survivor], targets: int) -> List[Survivor]:
    complete = [s for s in survivors if s.complete]
    return best(complete or list(survivors), targets, COMPARED)


def beside_first(
    survivors: Sequence[Survivor], trial: Trial, pool: Pool, ranked: Sequence[Survivor]
) -> List[Survivor]:
    """Put the others beside the best one, or each beside the part of it whose place it takes."""
    first, mended = ranked[0].patch, set(ranked[0].greens)
    equals = [s for s in ranked[1:] if mended.issubset(s.greens)]
    parts = first.parts if first.family != GIVEN else ()
    found = [
        (part, [(s, each) for s in equals for each in instead(part, first, s.patch)])
        for part in parts or (first,)
    ]
    rivals = [(part, others) for part, others in found if others]
    told = list(survivors)
    quick = sum(check.cost for check in trial.checks.values()) < QUICK
    if not rivals and quick and first.family != GIVEN:
        rivals = [(first, [])]  # what held before may speak against it all the same
    if not rivals:
        return told
    groups = [[part, *(each for _, each in others)] for part, others in rivals]
    work = compare(trial, groups, COMPARING, alone=bool(parts))
    until = time.monotonic() + BUSY * COMPARING * len(groups)
    _, messages = pool.run([0], work, until, batch=1)
    for number, (_, others) in enumerate(rivals):
        side_by_side = compared(messages, number)
        if side_by_side is not None:
            set_apart(told, first, [survivor for survivor, _ in others], side_by_side)
    return told


def set_apart(
    survivors: List[Survivor], first: Patch, others: Sequence[Survivor], told: SideBySide
) -> None:
    """Note what the others do otherwise than the first one, and what speaks for which."""
    places = {survivor.patch: index for index, survivor in enumerate(survivors)}
    known = survivors[places[first]]
    keys = [known.key, *(survivor.key for survivor in others)]
    known = known._replace(inputs=known.inputs + (told.inputs if others else 0))
    testimonies = told.testimonies if first.family != GIVEN else ()
    survivors[places[first]] = heard(known, 0, testimonies)
    for index, survivor in enumerate(others, 1):
        parting = told.partings[index]
        beside = survivor._replace(
            inputs=told.inputs,
            key=keys[told.groups[index]],
            parting=(*parting, first.description) if parting else (),
        )
        survivors[places[survivor.patch]] = heard(beside, index, testimonies)
        for place, same in enumerate(survivors):
            if same.key == survivor.key and same.patch != survivor.patch:
                survivors[place] = same._replace(key=beside.key)  # it is of the same code


def heard(survivor: Survivor, index: int, testimonies: Sequence[Testimony]) -> Survivor:
    """Note what witnesses say; one that spoke against a part of a patch spoke against it."""
    for favoured, words, spoken_for in testimonies:
        if survivor.against:
            break
        if index not in favoured:
            survivor = survivor._replace(witness="", against=words, favoured=False)
        else:
            witness = words if index in spoken_for else ""
            survivor = survivor._replace(witness=witness, favoured=True)
    return survivor
