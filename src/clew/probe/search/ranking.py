"""Which of the patches that work is shown first.

Those that are complete, plain in form, at a suspicious line, and as a person would write them.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from .fixers.earlier import FAMILY as HISTORY
from .fixers.earlier import OLDER
from .naturalness import UNKNOWN
from .source import Patch

__all__ = [
    "ENOUGH",
    "JOINED",
    "MAKESHIFT",
    "NAMED_NUMBER",
    "ONE_WAY",
    "PENALTY",
    "WEAK",
    "Survivor",
    "best",
    "is_odd",
]

MAKESHIFT = "makeshift"  # two edits, one of them odd and the other to make up for it
JOINED = "joined"  # several, each of which mends another fault
ONE_WAY = "one way"  # a condition that went both ways in the tests, and goes one way with it
# What passes and yet stands behind all others that do.
WEAK = (MAKESHIFT, OLDER)

# Forms that fit a few tests without mending the cause cost the most.
# What was there already, written by a person, is preferred.
PENALTY: Dict[str, float] = {
    "given": -9.0,  # all others are put beside it
    "history": -0.3,
    "renamed": -0.2,  # a commit gave the name
    "alike comparisons": -0.1,  # one of them would be alone
    "lost condition": -0.1,  # the others beside it ask for it
    OLDER: 0.3,
    ONE_WAY: 0.4,
    "delete": 0.35,
    "early return": 0.4,
    "new condition": 0.3,
    "finished condition": 0.3,
    "guard": 0.3,
    "insert": 0.25,
    "flag": 0.25,
    "case": 0.25,
    "loop": 0.3,
    "move": 0.3,
    "return": 0.2,
    "append return": 0.1,
    "exception": 0.15,
    "extend condition": 0.2,
    "extend expression": 0.25,
    "variable wrapped": 0.2,
    "expression": 0.2,
    "cut": 0.15,
    "wrap": 0.2,
    "filter": 0.2,
    "decorator": 0.15,
    "index": 0.1,
    "wrap both": 0.1,
    "argument": 0.12,
    "keyword": 0.1,
    "nested argument": 0.1,
    "key": 0.1,
    "two edits": 0.3,
    MAKESHIFT: 0.6,
    JOINED: 0.3,
    "comes around": 0.2,
    "library": 0.1,
}
# How long a name or a listed text is says nothing, nor how many lines an idiom takes, or a commit.
NAMED = frozenset(
    [
        *("function", "variable", "attribute", "element", "fresh default", "history"),
        *("swallowed", "pattern", "one of many", "take back", "used up", "spared", "cleanup"),
        *("bound late", "comes around", "compared together", "equally long", "gathered", "grouped"),
        *("once", "renamed", "reset", "taken in", "time zone", "wraps"),
    ]
)
SWALLOWED = 0.4  # an error that nobody is told of any more mends nothing
KEPT_UNASKED = 0.3  # who looks a key up does not want it kept
SIGNLESS = 0.2  # what takes a sign away fits any test of one value that has the other
NATURAL = 0.2  # measured on the development sets: from 0.1 on odd operators stand behind


NAMED_NUMBER = "named number"
ENOUGH = 20  # inputs on which two behave alike
LESS = 8  # times less that a change takes away than older code that behaves like it
Place = List[Tuple[str, List[Tuple[int, int]]]]


class Survivor(NamedTuple):
    """A patch that passed all checks so far."""

    patch: Patch
    greens: Tuple[str, ...]
    reds: Tuple[str, ...]  # of those that were asked to turn green
    suspicion: float
    key: Any  # what equal behaviour shares
    natural: float = UNKNOWN  # from 0 to 1: how likely a person writes what it brings
    inputs: int = 0  # on which it was compared with the others that are complete
    # A call, what the best does there, what this one does, the function's module, what the code
    # gave before, and the best.
    parting: Tuple[str, ...] = ()
    witness: str = ""  # what speaks for it against others that pass, and is no test
    against: str = ""  # what speaks against it and for others
    favoured: bool = False  # it was put beside those, and nothing speaks against it
    parts: float = 0.0  # what those are worth on average that it joins

    @property
    def complete(self) -> bool:
        return not self.reds

    def score(self, targets: int) -> float:
        share = len(self.greens) / max(1, targets)
        return 0.5 * share + (self.parts or self.worth)

    @property
    def worth(self) -> float:
        """How good a change it is, whatever it mends."""
        patch = self.patch
        changes = [c for _, each in patch.files for c in each]
        size = 0.0
        for change in changes if patch.family not in NAMED else ():
            grown, shrunk = len(change.text), change.end - change.start
            size += abs(grown - shrunk) + 0.3 * min(grown, shrunk)
        form = 1.0 - PENALTY.get(patch.family, 0.0) - min(0.3, size / 200.0)
        if patch.description.endswith(("by `True`", "by `False`")) and "`" in patch.description:
            form -= 0.1
        if "by `abs(" in patch.description:
            form -= SIGNLESS
        if "by `.setdefault`" in patch.description:
            form -= KEPT_UNASKED
        if patch.description.startswith(("delete `raise", "do `raise")):
            form -= SWALLOWED
        weight = sum(part.weight for part in patch.single) / len(patch.single)
        plain = 0.25 * form * 1.6 + 0.15 * weight + 0.1 * self.suspicion
        return plain + NATURAL * self.natural

    def joins(self, known: Sequence[Survivor]) -> Survivor:
        """Return it as worth what its parts are, if all of them were found alone."""
        alone = {each.patch: each.worth for each in known}
        if self.patch.family != JOINED or not alone.keys() >= {*self.patch.parts}:
            return self
        parts = [alone[part] for part in self.patch.parts]
        return self._replace(parts=sum(parts) / len(parts) - 0.4 * PENALTY[JOINED])


def is_odd(patch: Patch, natural: float) -> bool:
    """Tell an edit that one would not make for its own sake: by its kind, or what it brings."""
    return PENALTY.get(patch.family, 0.0) > 0.0 or natural < UNKNOWN


def spoken_for_first(ranked: List[Survivor]) -> List[Survivor]:
    """Put what a witness speaks for before what it speaks against, in their places.

    What was not put beside them stays where it is.
    """
    told = [s for s in ranked if s.favoured or s.against]
    told.sort(key=lambda s: s.patch.family in WEAK or not s.favoured)
    heard = iter(told)
    return [next(heard) if s.favoured or s.against else s for s in ranked]


def named_first(ranked: List[Survivor]) -> List[Survivor]:
    """Put a variable before numbers in its place that mend no more: tests gave it that value."""
    found = list(ranked)
    for named in ranked:
        if any(part.family == NAMED_NUMBER for part in named.patch.single):
            first = next(n for n, s in enumerate(found) if s is named or stands_for(named, s))
            found.remove(named)
            found.insert(first, named)
    return found


def keeping_first(ranked: List[Survivor]) -> List[Survivor]:
    """Put older code that leaves all of today's line before what undoes more there."""
    found = list(ranked)
    for kept in ranked:
        if kept.complete and adds(kept.patch):
            first = next(n for n, s in enumerate(found) if s is kept or undoes(s, kept))
            found.remove(kept)
            found.insert(first, kept)
    return found


def adds(patch: Patch) -> bool:
    """Tell older code that is put into a line of today's, of which everything stays."""
    within = all(each.start == each.end and "\n" not in each.text for each in patch.changes)
    return patch.family == HISTORY and bool(patch.changes) and within


def undoes(other: Survivor, kept: Survivor) -> bool:
    """Tell older code that behaves otherwise, in the place of the line that the other one keeps."""
    mine, theirs = kept.patch, other.patch
    if other.key == kept.key or (theirs.family, theirs.path) != (HISTORY, mine.path):
        return False
    place = mine.changes[0].start
    here = theirs.line == mine.line or any(c.start <= place <= c.end for c in theirs.changes)
    return here and not adds(theirs)


def stands_for(named: Survivor, other: Survivor) -> bool:
    """Tell whether the other has but numbers for this one's variables, and mends no more."""
    mine, theirs = named.patch.single, other.patch.single
    return (
        placed(named.patch) == placed(other.patch)
        and {part.family for part in mine if part not in theirs} == {NAMED_NUMBER}
        and {part.family for part in theirs if part not in mine} == {"constant"}
        and set(named.greens) >= set(other.greens)
    )


def placed(patch: Patch) -> Place:
    return sorted((path, [(c.start, c.end) for c in changes]) for path, changes in patch.files)


def best(survivors: List[Survivor], targets: int, keep: int) -> List[Survivor]:
    """Return the best of each kind of behaviour, best first."""
    ranked = sorted(
        survivors,
        key=lambda s: (
            not s.complete,
            s.complete and s.patch.family in WEAK,
            # With a module that loads again tests are red that could not run before.
            -s.score(targets) - (len(s.greens) - len(s.reds) if not s.complete else 0),
            s.patch.path,
            s.patch.line,
            s.patch.files,
        ),
    )
    ranked = keeping_first(named_first(spoken_for_first(ranked)))
    alike: Dict[Any, List[Survivor]] = {}
    for survivor in ranked:
        alike.setdefault(survivor.key, []).append(survivor)
    return [shorter(each) for each in alike.values()][:keep]


def shorter(alike: List[Survivor]) -> Survivor:
    """Return the first of those that behave alike, or a plain change in place of older code.

    That is one that takes much less of what came since away.
    """
    first = alike[0]
    if first.patch.family != HISTORY or not first.complete or first.inputs < ENOUGH:
        return first
    most = taken(first.patch) // LESS
    plain = (
        each
        for each in alike[1:]
        if each.complete and each.inputs >= ENOUGH and not each.against
        and each.patch.family != HISTORY and not is_odd(each.patch, each.natural)
        and taken(each.patch) + brought(each.patch) <= most
    )  # fmt: skip
    return next(plain, first)


def taken(patch: Patch) -> int:
    """Count the letters of today's code that go with a patch."""
    return sum(change.end - change.start for _, each in patch.files for change in each)


def brought(patch: Patch) -> int:
    return sum(len(change.text) for _, each in patch.files for change in each)
