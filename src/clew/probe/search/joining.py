"""Several faults at once: patches that each mend a part, put together to one."""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet, Iterator, List, Sequence, Set

from .ranking import JOINED, PENALTY, WEAK, Survivor
from .source import Patch, Splice

__all__ = ["instead", "reduced", "spread", "together", "touch", "unions"]

STARTS = 4  # patches from which a union is begun
RIVALS = 3  # others in the place of each part


def spread(
    ranked: Sequence[Survivor], each: int, function: Callable[[Survivor], object]
) -> List[Survivor]:
    """Return the first few of each function, in their order: no fault hides another."""
    counts: Dict[object, int] = {}
    found: List[Survivor] = []
    for survivor in ranked:
        key = function(survivor)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= each:
            found.append(survivor)
    return found


def unions(partial: Sequence[Survivor]) -> List[Patch]:
    """Return joined patches, each of which mends more tests than any of its parts; best first.

    `partial` has the best first. Every part mends a test that the others leave red.
    """
    found: Dict[FrozenSet[Patch], Patch] = {}
    for start in partial[:STARTS]:
        members = needed(gathered(start, partial))
        if len(members) > 1:
            for joined in map(join, [members, *rivals(members, partial)]):
                found.setdefault(frozenset(joined.single), joined)
    return list(found.values())


def reduced(joined: Sequence[Survivor], partial: Sequence[Survivor]) -> List[Patch]:
    """Return joined patches without the parts that mend nothing beside the others.

    Where one fault hides another, a part may have mended a test alone, and does not any more.
    """
    known = {each.patch: each for each in partial}
    found: Dict[Patch, None] = {}
    for survivor in joined:
        left = [
            known[part]._replace(greens=tuple(set(known[part].greens) & set(survivor.greens)))
            for part in survivor.patch.parts
            if part in known
        ]
        members = needed([each for each in left if each.greens])
        if 0 < len(members) < len(survivor.patch.parts):
            found.setdefault(join(members) if len(members) > 1 else members[0].patch)
    return list(found)


def gathered(start: Survivor, partial: Sequence[Survivor]) -> List[Survivor]:
    """Take the patch that mends most of what is left, until none mends more."""
    members, mended = [start], set(start.greens)
    while True:
        more = [s for s in partial if set(s.greens) - mended and fits(s, members)]
        if not more:
            return members
        members.append(max(more, key=lambda s: len(set(s.greens) - mended)))
        mended.update(members[-1].greens)


def needed(members: Sequence[Survivor]) -> List[Survivor]:
    """Leave out what mends nothing that the others do not."""
    kept = list(members)
    for member in members:
        others: Set[str] = {i for each in kept if each is not member for i in each.greens}
        if others.issuperset(member.greens):
            kept.remove(member)
    return kept


def rivals(members: Sequence[Survivor], partial: Sequence[Survivor]) -> Iterator[List[Survivor]]:
    """Yield unions with another patch in the place of one part, which mends as much."""
    for index, member in enumerate(members):
        rest = [*members[:index], *members[index + 1 :]]
        others = [
            each
            for each in partial
            if each is not member and set(each.greens) >= set(member.greens) and fits(each, rest)
        ]
        for other in others[:RIVALS]:
            yield [*members[:index], other, *members[index + 1 :]]
        if pieces := plainer(member, rest, partial):
            yield [*members[:index], *pieces, *members[index + 1 :]]


def plainer(
    member: Survivor, rest: Sequence[Survivor], partial: Sequence[Survivor]
) -> List[Survivor]:
    """Return plain patches that mend together what an odd one does; none where there are none."""
    left = set(member.greens)
    pieces: List[Survivor] = []
    if PENALTY.get(member.patch.family, 0.0) <= 0.0:
        return []
    for each in partial:
        plain = PENALTY.get(each.patch.family, 0.0) <= 0.0 and each.patch is not member.patch
        if plain and left & set(each.greens) and fits(each, [*rest, *pieces]):
            pieces.append(each)
            left.difference_update(each.greens)
    return [] if left else pieces


def instead(part: Patch, first: Patch, other: Patch) -> Iterator[Patch]:
    """Yield what another patch has in the place of a part, if it is the first one otherwise."""
    if part == first:
        yield other
        return
    missing = [each for each in first.parts if each not in other.parts]
    fresh = [each for each in other.parts if each not in first.parts]
    if missing == [part] and len(fresh) == 1:
        yield fresh[0]


def fits(one: Survivor, members: Sequence[Survivor]) -> bool:
    """Tell whether a patch touches other text than these."""
    return not any(
        path == other and touch(a, b)
        for member in members
        for path, changes in one.patch.files
        for other, theirs in member.patch.files
        for a in changes
        for b in theirs
    )


def touch(one: Splice, other: Splice) -> bool:
    """Say whether two changes of a text lie in each other's way."""
    return one.start < max(other.end, other.start + 1) and other.start < max(one.end, one.start + 1)


def join(members: Sequence[Survivor]) -> Patch:
    """Return one patch of several, which lie where they lay; the first gives it its place."""
    return together([part for member in members for part in member.patch.single])


def together(parts: Sequence[Patch]) -> Patch:
    first = parts[0]
    family = next((part.family for part in parts if part.family in WEAK), JOINED)
    return Patch(
        first.path, first.line, family, min(part.weight for part in parts),
        "; ".join(part.description for part in parts), (), tuple(parts),
    )  # fmt: skip
