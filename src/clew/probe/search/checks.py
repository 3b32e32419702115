"""What only checks, functions and conditions: who fails there has his fault elsewhere."""

from __future__ import annotations

import ast
from typing import Iterable, Optional, Set, Tuple

from .crashes import SearchCrash
from .files import ProjectSources
from .source import Patch, own_nodes

__all__ = ["failed_check", "is_check", "loosens"]

BOUNDS = frozenset(
    "replace `{}` by `{}`".format(*pair)
    for pair in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"))
)


def is_check(function: ast.AST) -> bool:
    """Say whether a function asserts, gives nothing back, and changes nothing that stays."""
    asserts = False
    for node in own_nodes(function):
        gives = isinstance(node, ast.Return) and node.value is not None
        stores = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        if gives or isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)):
            return False
        if stores and isinstance(node, (ast.Attribute, ast.Subscript)):
            return False
        asserts = asserts or isinstance(node, ast.Assert)
    return asserts


def failed_check(crash: Optional[SearchCrash], project: ProjectSources) -> Set[Tuple[str, int]]:
    """Return the file and first line of the check in which an assertion failed, if it is one."""
    if crash is None or crash.type != "AssertionError":
        return set()
    for source, line in list(project.frames(crash.frames[-1:])):
        unit = source.unit_at(line)
        if unit is not None and is_check(unit.node):
            return {(source.path, unit.first_line)}
    return set()


def loosens(
    patch: Patch, crashes: Iterable[Optional[SearchCrash]], project: ProjectSources
) -> bool:
    """Say whether a patch changes the condition of a check that raised what tests died of.

    That a check refuses the very bound, or does not, is a slip of its own.
    """
    if patch.parts or patch.description in BOUNDS:
        return False
    ends = [crash.frames[-1] for crash in crashes if crash is not None and crash.frames]
    for source, line in project.frames(ends):
        for node in ast.walk(source.tree) if source.path == patch.path else ():
            if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
                raised = node.body[0]
                if raised.lineno <= line <= (raised.end_lineno or line):
                    start, end = source.span(node.test)
                    return all(start <= c.start and c.end <= end for c in patch.changes)
    return False
