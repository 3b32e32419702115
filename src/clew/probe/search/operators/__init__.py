"""The operators: small generators `(node, place) -> edits`, in one table."""

from __future__ import annotations

import ast
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
    twins,
)

# isort: on
from .senseless import is_roundabout, is_senseless
from .table import OPERATORS, At, Operator

__all__ = [
    "FAMILIES",
    "OPERATORS",
    "At",
    "is_roundabout",
    "is_senseless",
    "operators_for",
    "overlapping",
]

FAMILIES = tuple(sorted({entry.family for entry in OPERATORS}))
MODULES = (
    conditions, arithmetic, constants, patterns, elements, names, calls, flow, loops, formats,
    comments, module, additions, objects, iterating, gathering, closures, library,
    spans, undoing, units, sharing, copies, statements, handlers, caching,
    twins,
)  # fmt: skip

BY_KIND: Dict[type, List[Operator]] = {}


def operators_for(node: ast.AST) -> List[Operator]:
    kind = type(node)
    if kind not in BY_KIND:
        BY_KIND[kind] = [entry for entry in OPERATORS if isinstance(node, entry.kinds)]
    return BY_KIND[kind]


def overlapping(changes: Tuple[Splice, ...]) -> bool:
    return any(a.end > b.start for a, b in zip(changes, changes[1:]))
