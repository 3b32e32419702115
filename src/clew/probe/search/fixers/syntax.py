"""Text that is no Python yet: small repairs after which the file parses."""

from __future__ import annotations

import ast
import heapq
import itertools
import re
import warnings
from typing import Iterator, List, NamedTuple, Optional, Tuple

from ..crashes import SearchCrash
from ..files import ProjectSources
from ..source import Patch, difference
from .lines import attempts
from .names import translated

__all__ = ["mended", "repairs"]

FAMILY = "syntax fixer"
REPAIRED = 40
SUREST, SURE, LIKELY = 2.3, 1.9, 1.2  # weights of repairs
AS_LIKELY = 0.9  # by how much the sum may be worse than that of the likeliest
NEAR = 1.5  # by how much it may be worse at all: what is bent further gets tests to pass by chance
POINTLESS = 1.0  # of the weight of a repair after which something is asked for nothing
PARSED = 12_000_000  # letters of tried texts


def repairs(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Return patches after which the file parses; several faults are mended one by one."""
    path = project.request.editable(crash.syntax[0]) if crash.syntax[0] else None
    text = project.text(path) if path else None
    if path is None or text is None or len(text) > 1_000_000:
        return []
    found: List[Patch] = []
    for rank, (weight, new, words) in enumerate(mended(text)):
        changes = difference(text, new)
        if changes:
            line = text.count("\n", 0, changes[0].start) + 1
            found.append(Patch(path, line, FAMILY, weight - 0.01 * rank, words, changes))
    return found[:REPAIRED]


def mended(text: str) -> List[Tuple[float, str, str]]:
    """Return texts that parse, with a weight and what was done to them, the likeliest first.

    Several faults are mended one after the other, those first whose repairs are the likeliest.
    """
    whole = list(sides(text))
    if whole:
        return whole
    seen, order, room = {hash(text)}, itertools.count(), PARSED
    found: List[Repaired] = []
    open_ = [(0.0, 0, Repaired(text, 0.0, SUREST, ""))]
    while open_ and room > 0 and len(found) < REPAIRED:
        cost, _, begun = heapq.heappop(open_)
        error = fault(begun.text)
        if error is None or (found and cost > min(each.cost for each in found) + AS_LIKELY):
            break
        for weight, change, words in sorted(attempts(begun.text, error), key=lambda each: -each[0]):
            if begun.words and room < 0:  # one repair has all the room it needs
                break
            new = begun.text[: change.start] + change.text + begun.text[change.end :]
            if hash(new) in seen:
                continue
            seen.add(hash(new))
            room -= len(new)
            left, made = fault(new), begun.then(weight, new, words)
            if left is None:
                found.append(made.less(POINTLESS) if is_pointless(new) else made)
            elif further(error, left, weight):
                heapq.heappush(open_, (made.cost, next(order), made))
    ranked = sorted(found, key=lambda each: each.cost)
    near = [each for each in ranked if each.cost <= ranked[0].cost + NEAR]
    told: List[Tuple[float, str, str]] = []
    for each in near:
        new, more = translated(each.text)
        told.append((each.weight, new, "; ".join([each.words, *more])))
    return told


def sides(text: str) -> Iterator[Tuple[float, str, str]]:
    """Yield either side of a merge that was left half done."""
    for side, whose in enumerate(("our", "their") if "<<<<<<<" in text else ()):
        new = resolved(text, side)
        if fault(new) is None:
            yield 2.0, new, "keep {} side of the conflict".format(whose)


class Repaired(NamedTuple):
    """A text with some of its faults mended."""

    text: str
    cost: float  # the sum of what each repair lacks to the surest
    weight: float  # of the least likely repair
    words: str

    def then(self, weight: float, text: str, words: str) -> "Repaired":
        told = self.words + "; " + words if self.words else words
        least = min(weight, self.weight - 0.1) if self.words else weight
        return Repaired(text, self.cost + max(0.05, SUREST - weight), least, told)

    def less(self, price: float) -> "Repaired":
        return self._replace(cost=self.cost + price, weight=self.weight - price)


def is_pointless(text: str) -> bool:
    """Tell whether a text compares for nothing, or has a tuple, always true, as a condition."""
    return any(
        isinstance(node.value, ast.Compare)
        if isinstance(node, ast.Expr)
        else isinstance(getattr(node, "test", None), ast.Tuple)
        for node in ast.walk(ast.parse(text))
    )


def further(before: SyntaxError, after: SyntaxError, weight: float) -> bool:
    """Tell whether a repair got the parser further: to a later line, or to a fault of another kind.

    What is never closed hides all that stands before its end, so that the place may go back.
    """
    gone, now = before.lineno or 0, after.lineno or 0
    if now > gone + (1 if weight < SURE else 0):
        return True
    return weight >= LIKELY and kind(before) != kind(after)


def kind(error: SyntaxError) -> str:
    return re.sub(r"\d+|'[^']*'", "", error.msg or "")


def resolved(text: str, side: int) -> str:
    pattern = re.compile(
        r"^<{7}[^\n]*\n(.*?)(?:^\|{7}[^\n]*\n.*?)?^={7}[^\n]*\n(.*?)^>{7}[^\n]*\n?",
        re.DOTALL | re.MULTILINE,
    )
    return pattern.sub(lambda found: found.group(1 + side), text)


def fault(text: str) -> Optional[SyntaxError]:
    """Say what is wrong with a text; a `return` outside of a function is found by compiling."""
    try:
        with warnings.catch_warnings():  # which a project may have turned to errors
            warnings.simplefilter("ignore")
            compile(ast.parse(text), "text", "exec", dont_inherit=True)
    except SyntaxError as error:
        return error
    except ValueError:
        return SyntaxError("source holds a null byte")
    return None
