"""The operators: small generators `(node, place) -> edits`, in one table."""

from __future__ import annotations

import ast
import re
from typing import Dict, List, Tuple

from ..source import Splice

# isort: off
from . import (  # in the order of their candidates
    conditions,
    arithmetic,
    constants,
    patterns,
    elements,
    names,
    calls,
    flow,
    loops,
    formats,
    comments,
    module,
    additions,
    objects,
    iterating,
    gathering,
    closures,
    library,
    spans,
    undoing,
    units,
    sharing,
    copies,
    statements,
    handlers,
    caching,
)

# isort: on
from .table import OPERATORS, At, Operator

__all__ = [
    "FAMILIES",
    "OPERATORS",
    "At",
    "is_roundabout",
    "operators_for",
    "overlapping",
    "shuffles",
]

FAMILIES = tuple(sorted({entry.family for entry in OPERATORS}))
MODULES = (
    conditions, arithmetic, constants, patterns, elements, names, calls, flow, loops, formats,
    comments, module, additions, objects, iterating, gathering, closures, library,
    spans, undoing, units, sharing, copies, statements, handlers, caching,
)  # fmt: skip

NEAR = 12  # characters beside a change that are looked at
SIGNS = ("+", "-")
SET = re.compile(r"(?:frozen)?set(?:\(|$)")
MINUS_NOTHING = re.compile(r"[\[(,=:] ?-0(?![\w.])")
STEPS = re.compile(r"[-+] \d+ [-+] \d+\b(?!\.| ?[*/%])")

BY_KIND: Dict[type, List[Operator]] = {}


def operators_for(node: ast.AST) -> List[Operator]:
    kind = type(node)
    if kind not in BY_KIND:
        BY_KIND[kind] = [entry for entry in OPERATORS if isinstance(node, entry.kinds)]
    return BY_KIND[kind]


def is_roundabout(text: str, change: Splice) -> bool:
    """Say whether a change spells what another one says plainly: `a - 1 + 1`, `a - -b`, `[-0]`."""
    before, after = text[max(0, change.start - NEAR) : change.start], text[change.end :][:NEAR]
    if change.text.startswith("-") and before.rstrip(" =").endswith(SIGNS):
        return True
    was, made = (before + each + after for each in (text[change.start : change.end], change.text))
    return any(form.search(made) and not form.search(was) for form in (STEPS, MINUS_NOTHING))


def shuffles(node: ast.AST, at: At, change: Splice) -> bool:
    """Say whether a change has a loop go through a set where the order counts: it is chance."""
    if not SET.match(change.text):
        return False
    return any(each is not None and at.in_order(each) for each in (node, at.parent(node)))


def overlapping(changes: Tuple[Splice, ...]) -> bool:
    return any(a.end > b.start for a, b in zip(changes, changes[1:]))
