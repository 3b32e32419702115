"""What a docstring says of a bound, held against what a change makes of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from clew.evidence.explain.scene import code
from clew.evidence.explain.sources import functions
from clew.words.edits import EditMisfit, apply
from clew.words.facts import Candidate

__all__ = ["speaks_against"]

Bound = tuple[str, bool]
"""A number as it is written, and whether it lies with what is above it."""

NUMBER = r"(?P<number>-?\d+(?:\.\d+)?)(?![\w.]*\d)"
ABOVE = (
    rf"\b(?:below|under|less than|fewer than|younger than|smaller than|before) {NUMBER}",
    rf"\b(?:from|at least|not less than|no less than|starting (?:at|with)) {NUMBER}",
    rf"\b{NUMBER} (?:or|and) (?:more|older|above|over|up|later)\b",
)
BELOW = (
    rf"\b(?:up to|at most|until|no more than|not more than|through) {NUMBER}",
    rf"\b(?:over|above|more than|older than|greater than|larger than|beyond) {NUMBER}",
    rf"\b{NUMBER} (?:or|and) (?:less|fewer|younger|below|under|earlier)\b",
)
SAID = tuple((re.compile(words, re.IGNORECASE), True) for words in ABOVE) + tuple(
    (re.compile(words, re.IGNORECASE), False) for words in BELOW
)
UPWARD = (ast.Lt, ast.GtE)  # of a value and a bound: the bound lies with what is above it
DOWNWARD = (ast.LtE, ast.Gt)


def speaks_against(best: Candidate, sources: Mapping[str, str]) -> str:
    """Say that a change moves a bound to the other side than its function's docstring has it."""
    before = {edit.path: sources[edit.path] for edit in best.edits if edit.path in sources}
    try:
        after = before | apply(before, best.edits) if before else {}
    except EditMisfit:
        return ""
    for path, text in before.items():
        now = functions(after[path])
        for name, function in functions(text).items():
            was = _compared(function)
            moved = _compared(now[name]) - was if name in now else set[Bound]()
            for number, above, words in _said(ast.get_docstring(function) or "") if moved else ():
                if (number, not above) in moved and (number, above) in was:
                    return (
                        f"The docstring of {code(name)} says {code(words)}, and the change moves"
                        f" {code(number)} to the other side: the test may be wrong, or what the"
                        " docstring says."
                    )
    return ""


def _said(prose: str) -> Iterator[tuple[str, bool, str]]:
    """Yield the bounds that a text names, and where it has each; none that it has both ways."""
    found = [(m["number"], above, m[0]) for words, above in SAID for m in words.finditer(prose)]
    for number, above, words in found:
        if (number, not above) not in {each[:2] for each in found}:
            yield number, above, words


def _compared(function: ast.AST) -> set[Bound]:
    """Return the numbers that values are compared with, and on which side each lies."""
    found = set[Bound]()
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            values = [node.left, *node.comparators]
            for left, kind, right in zip(values, node.ops, values[1:], strict=False):
                for bound, upward, downward in (
                    (right, UPWARD, DOWNWARD),
                    (left, DOWNWARD, UPWARD),
                ):
                    if isinstance(bound, ast.Constant) and isinstance(kind, upward + downward):
                        found.add((str(bound.value), isinstance(kind, upward)))
    return found
