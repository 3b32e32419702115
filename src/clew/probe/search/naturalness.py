"""How likely a person writes what a patch brings, by the code that other people wrote."""

from __future__ import annotations

import ast
import json
import math
import os
from collections import Counter
from typing import Dict, Optional, Tuple

from .forms import Form, forms
from .source import Change, Source, Unit, apply_changes

__all__ = ["Naturalness"]

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forms.json")
USUAL, ODD = -5.0, -10.0  # bits: made once in 32 times, and once in a thousand
UNKNOWN = 1.0  # of what no place in the table speaks of: only what is known to be odd stands behind


class Naturalness:
    """The table of forms, read when it is first asked; functions are looked at once."""

    def __init__(self) -> None:
        self.table: Dict[str, Dict[str, int]] = {}
        self.before: Dict[Tuple[str, str, int], "Counter[Form]"] = {}

    def of(self, source: Source, changes: Tuple[Change, ...]) -> float:
        """Return from 0, as nobody writes it, to 1, as many do; the oddest thing brought counts."""
        if not self.table:
            with open(TABLE, encoding="utf-8") as file:
                self.table = json.load(file)
        parts = source.parts(changes)
        bits = [self.bits(source, unit, own) for unit, own in parts or ()]
        known = [each for each in bits if each is not None]
        oddest = max(ODD, min(USUAL, *known)) if known else USUAL
        return (oddest - ODD) / (USUAL - ODD)

    def bits(self, source: Source, unit: Unit, changes: Tuple[Change, ...]) -> Optional[float]:
        """Return the logarithm of the oddest choice that is new in a function."""
        text = source.text[unit.start : unit.end]
        moved = tuple(Change(c.start - unit.start, c.end - unit.start, c.text) for c in changes)
        try:
            now = Counter(forms(ast.parse(unit.scaffold + apply_changes(text, moved))))
        except (SyntaxError, ValueError, RecursionError):
            return None
        key = (source.path, text, unit.start)
        if key not in self.before:
            self.before[key] = Counter(forms(unit.node))
        added = now - self.before[key]
        found = [math.log2(share) for share in map(self.share, added) if share]
        return min(found) if found else None

    def share(self, form: Form) -> float:
        """Return how often what was chosen is chosen at such a place; 0 for a place not known."""
        place, chosen = form
        counts = self.table.get(place)
        if counts is None:
            return 0.0
        return (counts.get(chosen, 0) + 0.5) / (sum(counts.values()) + 1.0)
