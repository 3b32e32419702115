"""Sources in Python as trees, whoever wrote them."""

from __future__ import annotations

import ast

__all__ = ["parsed"]


def parsed(text: str) -> ast.Module:
    """Return the tree of a source; an empty one where it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ast.Module(body=[], type_ignores=[])
