"""How likely a person writes what a patch brings, by the code that other people wrote.

A choice is odd where it is made far less often than at other places of its kind: `|` between
`len()` and 1, where people subtract or add. One that is rare everywhere is not.
"""

from __future__ import annotations

import ast
import json
import math
import os
from collections import Counter
from typing import Dict, List, Optional, Set, Tuple

from .forms import Form, forms
from .source import Change, Source, Unit, apply_changes

__all__ = ["UNKNOWN", "Naturalness"]

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forms.json")
USUAL, ODD = -2.0, -6.0  # bits: made 4 times, and 64 times, less often than at other places
UNKNOWN = 1.0  # of what no place in the table speaks of: only what is known to be odd stands behind


class Naturalness:
    """The table of forms, read when it is first asked; functions are looked at once."""

    def __init__(self) -> None:
        self.table: Dict[str, Dict[str, int]] = {}
        self.usual: Dict[str, "Counter[str]"] = {}  # by kind of place, and how often in all
        self.before: Dict[Tuple[str, str, int], "Counter[Form]"] = {}

    def of(self, source: Source, changes: Tuple[Change, ...]) -> float:
        """Return from 0, as nobody writes it, to 1, as many do; the oddest thing brought counts."""
        if not self.table:
            self.load()
        found: List[float] = []
        for unit, own in source.parts(changes) or ():
            found += self.bits(source, unit, own)
        oddest = max(ODD, min([USUAL, *found]))
        return (oddest - ODD) / (USUAL - ODD)

    def load(self) -> None:
        with open(TABLE, encoding="utf-8") as file:
            self.table = json.load(file)
        for place, counts in self.table.items():
            self.usual.setdefault(place.partition(" ")[0], Counter()).update(counts)

    def bits(self, source: Source, unit: Unit, changes: Tuple[Change, ...]) -> List[float]:
        """Return how odd each choice is that is new in a function; of known places."""
        text = source.text[unit.start : unit.end]
        moved = tuple(Change(c.start - unit.start, c.end - unit.start, c.text) for c in changes)
        try:
            tree = ast.parse(unit.scaffold + apply_changes(text, moved))
            now = Counter(forms(tree))
        except (SyntaxError, ValueError, RecursionError):
            return []
        if unread(unit.node, tree):
            return [ODD]
        key = (source.path, text, unit.start)
        if key not in self.before:
            self.before[key] = Counter(forms(unit.node))
        found = map(self.oddness, now - self.before[key])
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


def unread(before: ast.AST, after: ast.AST) -> Set[str]:
    """Return the parameters that a change leaves unread: nobody asks for what they do not use."""
    given = {node.arg for node in ast.walk(before) if isinstance(node, ast.arg)}
    return given & read(before) - read(after)


def read(tree: ast.AST) -> Set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
