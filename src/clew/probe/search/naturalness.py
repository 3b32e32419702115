"""How likely a person writes what a patch brings, by the code that other people wrote.

A choice is odd where it is made far less often than at other places of its kind: `|` between
`len()` and 1, where people subtract or add. One that is rare everywhere is not. It is odd as well
to leave a parameter or a value unread, and likely that one is read which was not; so it is with a
function that is given something else for `size` than a `size`.
"""

from __future__ import annotations

import ast
import json
import math
import os
from collections import Counter
from typing import Dict, List, Mapping, Optional, Tuple

from .argumentnames import Parameters, renamed
from .forms import Form, forms
from .idioms import idle, neat, slips, unheeded
from .source import Source, Splice, Unit, apply_changes

__all__ = ["UNKNOWN", "Naturalness"]

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forms.json")
USUAL, ODD = -2.0, -6.0  # bits: made 4 times, and 64 times, less often than at other places
UNKNOWN = 1.0  # of what no place in the table speaks of: only what is known to be odd stands behind

# By these tests judge: to change them pleases a test sooner than to mend what it asks for.
COMPARING = frozenset(
    ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__"]
)
LAX = -4.0  # what holds for most values only, as `a[-n:]` for the last ones
HEEDED = 1.0  # more, for each of two values at most that is made use of now and was not
MOST_HEEDED = 2.0


class Naturalness:
    """The table of forms, read when it is first asked; functions are looked at once."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.parameters = Parameters(sources)
        self.table: Dict[str, Dict[str, int]] = {}
        self.usual: Dict[str, "Counter[str]"] = {}  # by kind of place, and how often in all
        self.before: Dict[Tuple[str, str, int], "Counter[Form]"] = {}

    def of(self, source: Source, changes: Tuple[Splice, ...]) -> float:
        """Return from 0, as nobody writes it, to 1, as many do; the oddest thing brought counts.

        What reads a parameter or a value that nothing read stands before all others, and so does
        what gives a function a value that bears the name of the parameter.
        """
        if not self.table:
            self.load()
        found: List[float] = []
        heeded = 0.0
        for unit, own in source.parts(changes) or ():
            after = changed(source, unit, own)
            if after is None:
                continue
            found += self.bits(source, unit, after)
            if unit.name in COMPARING or idle(after) > idle(unit.node):
                found.append(ODD)
            slipped = slips(after) > slips(unit.node)
            if slipped:
                found.append(LAX)
            before, now = unheeded(unit.node), unheeded(after)
            named = renamed(unit.node, after, self.parameters)
            if now - before or named < 0:
                found.append(ODD)
            else:
                heeded += HEEDED * (len(before - now) + named)
            if not slipped:
                heeded += HEEDED * max(0, neat(after) - neat(unit.node))
        oddest = max(ODD, min([USUAL, *found]))
        return (oddest - ODD) / (USUAL - ODD) + min(heeded, MOST_HEEDED)

    def load(self) -> None:
        with open(TABLE, encoding="utf-8") as file:
            self.table = json.load(file)
        for place, counts in self.table.items():
            self.usual.setdefault(place.partition(" ")[0], Counter()).update(counts)

    def bits(self, source: Source, unit: Unit, after: ast.AST) -> List[float]:
        """Return how odd each choice is that is new in a function; of known places."""
        key = (source.path, source.text[unit.start : unit.end], unit.start)
        if key not in self.before:
            self.before[key] = Counter(forms(unit.node))
        found = map(self.oddness, Counter(forms(after)) - self.before[key])
        return [bits for bits in found if bits is not None]

    def oddness(self, form: Form) -> Optional[float]:
        """Return by how many bits a choice is rarer than elsewhere; None for a place not known."""
        place, chosen = form
        counts, usual = self.table.get(place), self.usual.get(place.partition(" ")[0])
        if counts is None or usual is None:
            return None
        here = (counts.get(chosen, 0) + 0.5) / (sum(counts.values()) + 1.0)
        anywhere = (usual[chosen] + 0.5) / (sum(usual.values()) + 1.0)
        return min(0.0, math.log2(here / anywhere))


def changed(source: Source, unit: Unit, changes: Tuple[Splice, ...]) -> Optional[ast.AST]:
    """Return a function with changes made; None where that is no Python."""
    text = source.text[unit.start : unit.end]
    moved = tuple(Splice(c.start - unit.start, c.end - unit.start, c.text) for c in changes)
    try:
        return ast.parse(unit.scaffold + apply_changes(text, moved))
    except (SyntaxError, ValueError, RecursionError):
        return None
