"""Changes that may pass tests, and that nobody would write."""

from __future__ import annotations

import ast
import re

from ...formulas import readable
from ..source import Splice
from .table import At

__all__ = ["is_roundabout", "is_senseless"]

NEAR = 12  # characters beside a change that are looked at
SIGNS = ("+", "-")
STEPS = re.compile(r"[-+] \d+ [-+] \d+\b(?!\.| ?[*/%])")
MINUS_NOTHING = re.compile(r"[\[(,=:] ?-0(?![\w.])")
SET = re.compile(r"(?:frozen)?set(?:\(|$)")
COLLECTIONS = (ast.Tuple, ast.List, ast.Set)


def is_roundabout(text: str, change: Splice) -> bool:
    """Say whether a change spells what another one says plainly: `a - 1 + 1`, `a - -b`, `[-0]`."""
    before, after = text[max(0, change.start - NEAR) : change.start], text[change.end :][:NEAR]
    if change.text.startswith("-") and before.rstrip(" =").endswith(SIGNS):
        return True
    was, made = (before + each + after for each in (text[change.start : change.end], change.text))
    return any(form.search(made) and not form.search(was) for form in (STEPS, MINUS_NOTHING))


def is_senseless(node: ast.AST, at: At, change: Splice) -> bool:
    """Say whether a change at a node leaves what it does to chance, or asks a value for itself."""
    return shuffles(node, at, change) or mixes(node, at, change)


def shuffles(node: ast.AST, at: At, change: Splice) -> bool:
    """Say whether a loop goes through a set where the order counts."""
    if not SET.match(change.text):
        return False
    return any(each is not None and at.in_order(each) for each in (node, at.parent(node)))


def mixes(node: ast.AST, at: At, change: Splice) -> bool:
    """Say whether what is made stands among the constants that a value is asked to be one of."""
    listed = at.parent(node)
    asked = at.parent(listed) if isinstance(listed, COLLECTIONS) else None
    if not isinstance(node, ast.Constant) or not isinstance(asked, ast.Compare):
        return False
    constants = all(isinstance(each, ast.Constant) for each in getattr(listed, "elts", ()))
    member = isinstance(asked.ops[0], (ast.In, ast.NotIn)) and constants
    return member and at.source.span(node) == change[:2] and not readable(change.text)
