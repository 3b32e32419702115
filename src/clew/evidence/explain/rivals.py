"""The other changes that pass, and where they part from the best one."""

from __future__ import annotations

import re
from itertools import zip_longest

from clew.evidence.explain.scene import code, place, whole
from clew.probe.formulas import same_value
from clew.words.facts import Candidate, Unsettled

__all__ = ["apart", "as_good", "choice", "passes_too", "rivals", "undecided", "unsettled"]

RAISES = "raises "
SETTLES = "a test that tells them apart would settle it"
UNKNOWN = ", and no call was found on which they part"
CUT = "…"
BEFORE = 20  # characters that are shown before two values part
KEPT = 3  # other changes that are kept, of one that mends a part


def undecided(candidates: tuple[Candidate, ...]) -> str:
    """Say how many other changes turn the same tests green; nothing where none does."""
    rivals = as_good(candidates)
    if not rivals:
        return ""
    one, rival = len(rivals) == 1, _rival(candidates) or rivals[0]
    differs = f" and {'behaves' if one else 'behave'} differently elsewhere"
    return (
        f"{len(rivals)} other {'change turns' if one else 'changes turn'} the same tests green"
        f"{differs if rival.parting else UNKNOWN}"
        f"{_to_settle(choice(rival, candidates[0]), '' if one else ', such as')}"
    )


def passes_too(other: Unsettled) -> str:
    """Say that another change passes in the place of one."""
    differs = " and behaves differently elsewhere" if other.call else UNKNOWN
    return f"another change passes in its place{differs}{_to_settle(other)}"


def _to_settle(other: Unsettled, such: str = "") -> str:
    """Show where another change parts, and say what would settle which one is right.

    `such` says that it is one of several, where no call is known that shows it.
    """
    if not other.call:
        return f"{such}: {other.other}; {SETTLES}."
    shown = _shown(other.call, other.gives, other.other_gives, other.other, other.before)
    ends = (other.gives, other.other_gives)
    told = other.module and CUT not in other.call and all(map(_can_be_asked, ends))
    can = "A test of that call would settle it." if told else f"{SETTLES}."
    can = can[0].upper() + can[1:]
    if other.gives == other.other_gives or same_value(other.gives, other.other_gives):
        can = "By the value of that call no test can tell these apart."
    return f": {shown}. {can}"


def apart(candidate: Candidate, candidates: tuple[Candidate, ...]) -> str:
    """Show the smallest input on which a change parts from another one; nothing if unknown."""
    best = candidates[0]
    is_best = candidate is best
    other = (_rival(candidates) or best) if is_best else best
    parting = other.parting if is_best else candidate.parting
    if parting is None:
        return ""
    pair = (parting.best, parting.this) if is_best else (parting.this, parting.best)
    return _shown(parting.call, *pair, _told_from(candidate, other), parting.before)


def _shown(call: str, ours: str, theirs: str, other: str, before: str) -> str:
    gave = f"gave {code(before)} before, " if before and before != ours else ""
    ours, theirs = _from_where_they_part(ours, theirs)
    return f"{whole(call)} {gave}{_does(ours)} with this change, and {_does(theirs)} with: {other}"


def _from_where_they_part(one: str, other: str) -> tuple[str, str]:
    """Leave out what two values begin with, where they part only behind what is shown of them."""
    if one == other or code(one) != code(other):
        return one, other
    pairs = enumerate(zip_longest(one, other))
    start = max(0, next(at for at, (a, b) in pairs if a != b) - BEFORE)
    return f"…{one[start:]}", f"…{other[start:]}"


def unsettled(candidates: tuple[Candidate, ...]) -> Unsettled | None:
    """Return what a person is asked where the best change and another one pass.

    One that is known to part from the best, if there is one.
    """
    others = as_good(candidates) if candidates and candidates[0].complete else []
    return choice(_rival(candidates) or others[0], candidates[0]) if others else None


def rivals(candidates: tuple[Candidate, ...]) -> tuple[Unsettled, ...]:
    """Return other changes that mend the same part as the best one; none of one that mends all."""
    if not candidates or candidates[0].complete:
        return ()
    best, others = candidates[0], sorted(as_good(candidates), key=_hard)
    return tuple(choice(each, best) for each in others[:KEPT])


def choice(rival: Candidate, best: Candidate) -> Unsettled:
    """Return another change than the best as what a person may take, and where the two part."""
    parting = rival.parting
    return Unsettled(
        call=parting.call if parting else "",
        module=parting.module if parting else "",
        gives=parting.best if parting else "",
        other=_told_from(best, rival),
        other_gives=parting.this if parting else "",
        before=parting.before if parting else "",
        edits=rival.edits,
    )


def _told_from(known: Candidate, other: Candidate) -> str:
    """Name a change with its place, where that is another one; else with its code, if need be."""
    if (other.path, other.line) != (known.path, known.line) and not other.parts:
        return f"{other.description} at {place(other.path, other.line)}"
    if other.description != known.description:
        return other.description
    edit = next((each for each in other.edits if each not in known.edits), None)
    becomes = f", which makes it {code(edit.should_be.strip())}" if edit else ""
    return f"{other.description}{becomes}"


def _rival(candidates: tuple[Candidate, ...]) -> Candidate | None:
    """Return the one that parts from the best where it is easiest to say which is right."""
    return min((c for c in as_good(candidates) if c.parting), key=_hard, default=None)


def as_good(candidates: tuple[Candidate, ...]) -> list[Candidate]:
    """Return the others that turn all tests green which the best one turns."""
    wanted = set(candidates[0].turns_green)
    return [c for c in candidates[1:] if wanted.issubset(c.turns_green)]


def _hard(rival: Candidate) -> tuple[bool, bool, bool]:
    parting = rival.parting
    if parting is None:
        return True, True, True
    raises = any(e.startswith(RAISES) for e in (parting.best, parting.this))
    return same_value(parting.best, parting.this), raises, not parting.module


def _can_be_asked(end: str) -> bool:
    """Tell what a test can ask for: an error, or a value that shows no address in its place."""
    return end.startswith(RAISES) or "<" not in re.sub(r"'[^']*'|\"[^\"]*\"", "", end)


def _does(what: str) -> str:
    """Say what a call came to: a value, or an exception that it raises."""
    return what if what.startswith(RAISES) else f"gives {code(what)}"
