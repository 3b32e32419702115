"""Whether arguments bear the names of the parameters that they are given for.

A function asks for `grace`, and where there is a `grace` it is called with it: another value in its
place is odd, and a call that goes without it has lost it.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import Dict, Iterator, Mapping, Optional, Tuple

from .source import FUNCTIONS, Source, last_name

__all__ = ["Parameters", "renamed"]

OWN = ("self", "cls")
Names = Tuple[str, ...]
Given = Tuple[str, str]  # a function's name and a parameter's


class Parameters:
    """What the functions of a project ask for by place, by their names.

    Of a name that several functions bear it is known only where they ask for the same.
    """

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.sources = sources
        self.known: Dict[str, Optional[Names]] = {}
        self.read = 0

    def of(self, function: str) -> Optional[Names]:
        """Return the parameters of a function, or of a class's constructor; None if unknown."""
        if len(self.sources) != self.read:
            self.known, self.read = {}, len(self.sources)
            for source in self.sources.values():
                for name, names in asked(source.tree):
                    known = self.known.get(name, names)
                    self.known[name] = names if known == names else None
        return self.known.get(function)


def asked(tree: ast.AST) -> Iterator[Tuple[str, Names]]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield node.name, given_to(node)
        elif isinstance(node, ast.ClassDef):
            makers = (each for each in node.body if isinstance(each, FUNCTIONS))
            yield from ((node.name, given_to(n)) for n in makers if n.name == "__init__")


def given_to(function: ast.AST) -> Names:
    arguments: ast.arguments = getattr(function, "args")  # noqa: B009 - a function
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    return tuple(names[names[:1] in ([own] for own in OWN) :])


def renamed(before: ast.AST, after: ast.AST, parameters: Parameters) -> int:
    """Count the arguments that bear their parameter's name now and did not, less those that do not.

    A function that calls itself gives its parameters other values by design, and a call that is
    gone, or is new, says nothing.
    """
    (named, calls), (named_now, calls_now) = (called(tree, parameters) for tree in (before, after))
    pairs = named.keys() | named_now.keys()
    return sum(named_now[p] - named[p] for p in pairs if calls[p[0]] == calls_now[p[0]])


def called(tree: ast.AST, parameters: Parameters) -> Tuple["Counter[Given]", "Counter[str]"]:
    """Count the arguments that bear their parameter's name, and the calls of each function."""
    named: "Counter[Given]" = Counter()
    calls: "Counter[str]" = Counter()
    own = {node.name for node in ast.walk(tree) if isinstance(node, FUNCTIONS)}
    for node in ast.walk(tree):
        function = last_name(node.func) if isinstance(node, ast.Call) else ""
        names = parameters.of(function) if function not in ("", *own) else None
        if names is None or not isinstance(node, ast.Call):
            continue
        calls[function] += 1
        by_place = [*zip(names, node.args)]
        by_keyword = [(each.arg, each.value) for each in node.keywords]
        named.update((function, n) for n, v in (*by_place, *by_keyword) if n and n == last_name(v))
    return named, calls
