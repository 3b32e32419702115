"""Dead stores: assignments that set a variable anew before anything read what it was set to."""

from __future__ import annotations

import ast
from typing import Dict, Iterator, List, Tuple

from .source import FUNCTIONS, stored

__all__ = ["blocks", "dead_stores"]

Block = List[ast.stmt]


def dead_stores(block: Block) -> List[Tuple[ast.stmt, str]]:
    """Return each statement of a block that overwrites what nothing read, with the variable.

    Only where one assignment after another runs: what stands in between may read otherwise.
    """
    found: List[Tuple[ast.stmt, str]] = []
    waiting: Dict[str, None] = {}
    for statement in block:
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)):
            waiting.clear()
            continue
        names = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
        for name in names:
            if not stored(name) or isinstance(statement, ast.AugAssign):
                waiting.pop(name.id, None)
        if isinstance(statement, ast.Assign):
            here = dict.fromkeys(n.id for n in names if stored(n) and n.id != "_")
            found += [(statement, name) for name in here if name in waiting]
            waiting.update(here)
    return found


def blocks(tree: ast.AST) -> Iterator[Block]:
    """Yield the blocks of the functions in a tree where a variable is read by nothing else.

    Not those of a `try`, whose handlers may read, nor of a function that others are defined in.
    """
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        inner = [node for node in ast.walk(function) if node is not function]
        if any(
            isinstance(node, (*FUNCTIONS, ast.Lambda, ast.Global, ast.Nonlocal)) for node in inner
        ):
            continue
        for node in (function, *inner):
            if not isinstance(node, ast.Try):
                fields = (getattr(node, name, None) for name in ("body", "orelse"))
                yield from (block for block in fields if isinstance(block, list))
