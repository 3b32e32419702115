"""Tests that stand for themselves: to call them is all that a runner does with them."""

from __future__ import annotations

import ast
from collections.abc import Collection

__all__ = ["stand_alone"]

# A module that has one of these has its runner do more.
RUNNERS = ("autouse", "load_tests", "pytest_", "pytestmark", "setup_function", "setup_module")


def stand_alone(text: str, names: Collection[str]) -> tuple[str, ...]:
    """Return which tests of a file need no runner: plain functions that are given nothing."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    relative = any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))
    if relative or any(word in text for word in RUNNERS):
        return ()
    return tuple(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in names and _is_plain(node)
    )


def _is_plain(node: ast.FunctionDef) -> bool:
    given = node.args
    all_given = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return not node.decorator_list and not any(all_given)
