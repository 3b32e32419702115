"""Module state that a candidate may leave changed, put back between two candidates."""

from __future__ import annotations

import sys
from operator import is_
from types import FunctionType
from typing import Any, List, Tuple

from ..tracer import own

__all__ = ["Memory"]

MOST = 2000


class Memory:
    """Shallow copies of the containers that modules and classes of the project hold."""

    def __init__(self, paths: List[str], root: str) -> None:
        self.bindings: List[Tuple[Any, str, Any]] = []
        self.containers: List[Tuple[Any, Any]] = []
        chosen = set(paths)
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if type(path) is not str or own(path, root) not in chosen:
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
        del self.containers[MOST:]

    def remember(self, value: Any) -> None:
        if type(value) in (list, dict, set) and len(value) <= MOST:
            self.containers.append((value, value.copy()))

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
            if type(container) is list:
                container.extend(kept)
            else:
                container.update(kept)


def same(container: Any, kept: Any) -> bool:
    """Compare by identity of the elements: equality may be the project's own."""
    if type(container) is dict:
        return all(map(is_, container, kept)) and all(map(is_, container.values(), kept.values()))
    if type(container) is set:
        return True if not container else set(map(id, container)) == set(map(id, kept))
    return all(map(is_, container, kept))
