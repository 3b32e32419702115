"""What an operator is: a small generator of edits for one kind of node."""

from __future__ import annotations

import ast
from typing import Callable, Iterator, List, NamedTuple, Optional, Tuple, Type

from ..context import Context, Facts, SearchPlace
from ..source import FUNCTIONS, Source, Splice

__all__ = ["OPERATORS", "At", "Idea", "Operator", "operator"]


class Idea(NamedTuple):
    """One edit: how likely among its family, the changes, and what they do in words."""

    weight: float
    changes: Tuple[Splice, ...]
    words: str


class At(NamedTuple):
    """Where an operator is applied."""

    context: Context
    place: SearchPlace
    facts: Facts

    @property
    def source(self) -> Source:
        return self.context.source

    def text(self, node: ast.AST) -> str:
        return self.source.segment(node)

    def names(self, node: ast.AST) -> List[str]:
        return self.context.visible(self.place, node)

    def put(self, node: ast.AST, text: str, weight: float = 1.0, words: str = "") -> Idea:
        """Replace an expression."""
        old = short(self.text(node))
        return Idea(
            weight,
            self.context.replace(node, text),
            words or "replace `{}` by `{}`".format(old, short(text)),
        )

    def group(self, node: ast.AST, above: ast.AST, field: str) -> str:
        """Return the node's text as an operand of a new expression."""
        del above, field
        return self.text(node)

    def parent(self, node: ast.AST) -> Optional[ast.AST]:
        return self.source.parent(node)

    def function(self, node: ast.AST) -> Optional[ast.AST]:
        """Return the innermost function that a node lies in."""
        above = self.parent(node)
        while above is not None and not isinstance(above, FUNCTIONS):
            above = self.parent(above)
        return above

    def field(self, node: ast.AST) -> str:
        return self.source.parents[node][1] if node in self.source.parents else ""

    def in_order(self, node: ast.AST) -> bool:
        """Say whether the order counts in which an expression is gone through.

        A loop that is left early, or that lists what it finds, depends on it.
        """
        loop = self.parent(node) if self.field(node) == "iter" else None
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            ends = (ast.Return, ast.Break)
            return any(isinstance(each, ends) for part in loop.body for each in ast.walk(part))
        return isinstance(self.parent(loop), ast.ListComp) if loop is not None else False


Maker = Callable[[ast.AST, At], Iterator[Idea]]


class Operator(NamedTuple):
    family: str
    kinds: Tuple[Type[ast.AST], ...]
    weight: float
    make: Maker


OPERATORS: List[Operator] = []


def operator(family: str, weight: float, *kinds: Type[ast.AST]) -> Callable[[Maker], Maker]:
    """Enter a generator in the table. Statements are offered whole, expressions one by one."""

    def enter(make: Maker) -> Maker:
        OPERATORS.append(Operator(family, kinds, weight, make))
        return make

    return enter


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
