"""The order in which candidates are tried: weight of the operator times suspicion of the line.

Operators make their ideas only when their turn comes; after each batch, lines where mutants made
a failing test pass rise (mutation feedback).
"""

from __future__ import annotations

import ast
import heapq
import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from ..collector import uncollected
from .context import Context, expressions, header_end
from .operators import At, is_roundabout, is_senseless, operators_for, overlapping
from .operators.table import Operator
from .source import Patch, Source, Splice

__all__ = ["Frontier", "Spot", "spots"]

BASE = 0.15
FEEDBACK = 0.3


class Spot(NamedTuple):
    """A statement that may be at fault."""

    path: str  # relative
    statement: ast.stmt
    line: int
    score: float


class Group(NamedTuple):
    """An operator at a node: ideas not yet made."""

    spot: Spot
    operator: Operator
    node: ast.AST


def spots(source: Source, scores: Dict[int, float]) -> List[Spot]:
    """Return the statements of a file that hold a suspicious line, the header alone counting."""
    found: List[Spot] = []
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.stmt) or isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        lines = range(node.lineno, header_end(node) + 1)
        score = max((scores.get(line, 0.0) for line in lines), default=0.0)
        if score > 0.0:
            found.append(Spot(source.path, node, node.lineno, score))
    return found


class Frontier:
    """All candidates of some spots, best first."""

    def __init__(self, contexts: Dict[str, Context], places: List[Spot]) -> None:
        self.contexts = contexts
        self.spots = sorted(places, key=lambda s: (-s.score, s.path, s.line))
        self.flips: Dict[Tuple[str, int], int] = {}
        self.suspicion = {(s.path, s.line): s.score for s in self.spots}
        self.made = 0
        self.seen: Set[Tuple[str, Tuple[Splice, ...]]] = set()
        self.heap: List[Tuple[float, int, Any]] = []
        self.count = 0
        for spot in self.spots:
            self.open(spot)

    def push(self, score: float, item: Any) -> None:
        self.count += 1
        heapq.heappush(self.heap, (-score, self.count, item))

    def line_score(self, path: str, line: int) -> float:
        feedback = 0.0
        if self.flips:
            most = math.log1p(max(self.flips.values()))
            feedback = math.log1p(self.flips.get((path, line), 0)) / most
        return BASE + self.suspicion.get((path, line), 0.0) + FEEDBACK * feedback

    def open(self, spot: Spot) -> None:
        nodes: List[ast.AST] = [spot.statement, *expressions(spot.statement)]
        nodes += [g for n in list(nodes) for g in getattr(n, "generators", ())]
        nodes += [
            n.slice
            for n in list(nodes)
            if isinstance(n, ast.Subscript) and type(n.slice).__name__ == "Slice"
        ]
        score = self.line_score(spot.path, spot.line)
        for node in dict.fromkeys(nodes):
            for entry in operators_for(node):
                self.push(entry.weight * score, Group(spot, entry, node))

    def expand(self, group: Group) -> None:
        context = self.contexts[group.spot.path]
        place = context.place(group.spot.statement)
        at = At(context, place, context.of(place.function))
        score = self.line_score(group.spot.path, group.spot.line)
        text = context.source.text
        for idea in group.operator.make(group.node, at):
            changes = tuple(sorted(idea.changes))
            key = (group.spot.path, changes)
            if key in self.seen or (len(changes) > 1 and overlapping(changes)):
                continue
            self.seen.add(key)
            if all(text[c.start : c.end] == c.text or is_roundabout(text, c) for c in changes):
                continue
            if any(is_senseless(group.node, at, change) for change in changes):
                continue
            weight = group.operator.weight * idea.weight
            self.made += 1
            self.push(
                weight * score,
                Patch(group.spot.path, group.spot.line, group.operator.family, weight,
                      idea.words, changes),
            )  # fmt: skip

    def take(self, count: int) -> List[Patch]:
        """Return the next candidates, fewer only when none are left."""
        taken: List[Patch] = []
        with uncollected():
            while self.heap and len(taken) < count:
                _, _, item = heapq.heappop(self.heap)
                if isinstance(item, Group):
                    self.expand(item)
                else:
                    taken.append(item)
        return taken

    def of_family(self, family: str, beside: Patch) -> List[Patch]:
        """Take the candidates of one family at the line of a patch, whenever their turn."""

        def is_one(item: Any) -> bool:
            kind = item.operator.family if isinstance(item, Group) else item.family
            where = item.spot if isinstance(item, Group) else item
            return kind == family and (where.path, where.line) == (beside.path, beside.line)

        with uncollected():
            groups = [e for e in self.heap if isinstance(e[2], Group) and is_one(e[2])]
            self.heap = [entry for entry in self.heap if entry not in groups]
            for _, _, group in groups:
                self.expand(group)
            taken = [entry for entry in self.heap if is_one(entry[2])]
            self.heap = [entry for entry in self.heap if entry not in taken]
            heapq.heapify(self.heap)
        return [item for _, _, item in sorted(taken, key=lambda entry: entry[:2])]

    def learn(self, patch: Patch) -> None:
        """Remember that a mutant of this line made a failing test pass."""
        key = (patch.path, patch.line)
        self.flips[key] = self.flips.get(key, 0) + 1

    def reorder(self) -> None:
        """Weigh all that is left by what was learnt."""
        scores = {key: self.line_score(*key) for key in self.suspicion}
        heap: List[Tuple[float, int, Any]] = []
        for _, count, item in self.heap:
            if isinstance(item, Group):
                key, weight = (item.spot.path, item.spot.line), item.operator.weight
            else:
                key, weight = (item.path, item.line), item.weight
            heap.append((-weight * scores.get(key, BASE), count, item))
        heapq.heapify(heap)
        self.heap = heap

    def suspects(self) -> Iterator[Tuple[Spot, float]]:
        """Yield the spots with their final scores, the most suspicious first."""
        ranked = sorted(
            self.spots, key=lambda s: (-self.line_score(s.path, s.line), s.path, s.line)
        )
        top: Optional[float] = None
        for spot in ranked:
            score = self.line_score(spot.path, spot.line) - BASE
            top = top or max(score, 1.0)
            yield spot, score / top
