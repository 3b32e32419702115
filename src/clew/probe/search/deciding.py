"""Conditions that come out the same in every test once they are changed.

A change with which nothing is decided any more may pass all tests, and has only gone around what
is wrong: `if user not in self.kept`, where it is `key` that is kept.
"""

from __future__ import annotations

import ast
import types
from typing import Any, FrozenSet, Set

from .context import header_end
from .source import Patch, Source
from .stumbling import CodeWatch

__all__ = ["Decisions", "condition"]

OUT = 0  # in place of a line: the function is left


def condition(patch: Patch, source: Source) -> FrozenSet[int]:
    """Return the lines of the one condition that a patch changes; none if it changes more."""
    if patch.parts or len(patch.changes) != 1 or "\n" in patch.changes[0].text:
        return frozenset()
    change = patch.changes[0]
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.If, ast.While)):
            start, end = source.span(node.test)
            if start <= change.start and change.end <= end:
                return frozenset(range(node.lineno, header_end(node) + 1))
    return frozenset()


class Decisions(CodeWatch):
    """Watches what follows a condition."""

    def __init__(self, codes: FrozenSet[types.CodeType], lines: FrozenSet[int]) -> None:
        super().__init__(codes)
        self.lines = lines
        self.under_way: Set[types.FrameType] = set()  # frames whose last line is the condition
        self.next: Set[int] = set()

    @property
    def found(self) -> bool:
        """It went both ways."""
        return len(self.next) > 1

    def forget(self) -> None:
        self.under_way.clear()

    def see(self, frame: types.FrameType, event: str, value: Any) -> Any:
        del value
        if event == "exception":  # the condition raised
            self.under_way.discard(frame)
        elif event == "line" and frame.f_lineno in self.lines:
            self.under_way.add(frame)
        elif event in ("line", "return") and frame in self.under_way:
            self.under_way.discard(frame)
            self.next.add(frame.f_lineno if event == "line" else OUT)
        return self.see
