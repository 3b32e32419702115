"""Module state that a candidate may leave changed, put back between two candidates."""

from __future__ import annotations

import collections
import os
import sys
from operator import is_
from types import FunctionType
from typing import Any, List, Set, Tuple

from ..tracer import own

__all__ = ["Memory"]

MOST = 2000
LIBRARIES = "site-packages"  # of an environment that lies in the project
KINDS = (list, dict, set, collections.Counter, collections.OrderedDict, collections.defaultdict)


class Memory:
    """Shallow copies of the containers that modules and classes of the project hold.

    So it is with the containers in those: each gets its own elements back, the very same ones.
    """

    def __init__(self, root: str) -> None:
        self.bindings: List[Tuple[Any, str, Any]] = []
        self.containers: List[Tuple[Any, Any]] = []
        self.seen: Set[int] = set()
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if type(path) is not str or LIBRARIES in path:
                continue
            if not own(path, root).startswith(root + os.sep):
                continue
            names = vars(module)
            for name, value in list(names.items()):
                if name.startswith("__"):
                    continue
                if not callable(value) and not isinstance(value, type(sys)):
                    self.bindings.append((names, name, value))
                self.remember(value)
                self.remember_defaults(value)
                if isinstance(value, type) and value.__module__ == module.__name__:
                    for inner in list(vars(value).values()):
                        self.remember(inner)
                        self.remember_defaults(inner)
        del self.bindings[MOST:]

    def remember(self, value: Any) -> None:
        left = [value]
        while left and len(self.containers) < MOST:
            each = left.pop()
            if type(each) in KINDS and len(each) <= MOST and id(each) not in self.seen:
                self.seen.add(id(each))
                self.containers.append((each, each.copy()))
                left += each.values() if isinstance(each, dict) else each

    def remember_defaults(self, value: Any) -> None:
        """Remember the containers that every call of a function shares."""
        function = getattr(value, "__func__", value)
        if type(function) is FunctionType:
            named = function.__kwdefaults__ or {}
            for default in (*(function.__defaults__ or ()), *named.values()):
                self.remember(default)

    def restore(self) -> None:
        """Put everything back. Costs nothing worth mentioning where nothing changed."""
        for names, name, value in self.bindings:
            if names.get(name) is not value:
                names[name] = value
        for container, kept in self.containers:
            if len(container) == len(kept) and same(container, kept):
                continue
            container.clear()
            if isinstance(container, list):
                container.extend(kept)
            else:
                container.update(kept)


def same(container: Any, kept: Any) -> bool:
    """Compare by identity of the elements: equality may be the project's own."""
    if isinstance(container, dict):
        return all(map(is_, container, kept)) and all(map(is_, container.values(), kept.values()))
    if isinstance(container, set):
        return True if not container else set(map(id, container)) == set(map(id, kept))
    return all(map(is_, container, kept))
