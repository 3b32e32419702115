"""pytest's fixtures made anew for each call of a test, without the runner around them.

A whole run of an item costs many times what its test does. Where every fixture belongs to the
function alone, calling them is all that the runner would do for it.
"""

from __future__ import annotations

import inspect
import types
from typing import Any, Callable, Dict, List, Optional

__all__ = ["Made", "makeable"]

UNUSUAL = inspect.iscoroutinefunction, inspect.isasyncgenfunction


def makeable(item: Any, given: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Return the definitions of the fixtures that a test needs beside what is given.

    None when one of them outlives the test, asks for itself, or is made in another way.
    """
    definitions = item._fixtureinfo.name2fixturedefs  # noqa: SLF001 - there is no other way to tell
    found: Dict[str, Any] = {}
    for name in item.fixturenames:
        if name == "request" or name in given:
            continue
        known = definitions.get(name)
        if not known:
            return None
        last = known[-1]
        unusual = any(test(last.func) for test in UNUSUAL)
        if last.scope != "function" or name in last.argnames or unusual:
            return None
        found[name] = last
    return found


class Made:
    """The fixtures of one call."""

    def __init__(
        self, item: Any, definitions: Dict[str, Any], given: Dict[str, Any], instance: Any
    ) -> None:
        self.item = item
        self.definitions = definitions
        self.values = dict(given)
        self.instance = instance
        self.ends: List[Callable[[], Any]] = []

    def value(self, name: str) -> Any:
        if name not in self.values:
            self.values[name] = self.make(name)
        return self.values[name]

    def make(self, name: str) -> Any:
        definition = self.definitions[name]
        function = definition.func
        owner = getattr(function, "__self__", None)
        if owner is not None and isinstance(self.instance, type(owner)):
            function = function.__func__.__get__(self.instance)
        arguments = {
            each: self.request(name) if each == "request" else self.value(each)
            for each in definition.argnames
        }
        if not inspect.isgeneratorfunction(function):
            return function(**arguments)
        generator = function(**arguments)
        value = next(generator)
        self.ends.append(lambda: next(generator, None))
        return value

    def request(self, name: str) -> Any:
        """Return what a fixture may ask of the test that it is made for."""
        item = self.item
        params = getattr(getattr(item, "callspec", None), "params", {})
        fields: Dict[str, Any] = {
            "node": item, "config": item.config, "module": item.module, "cls": item.cls,
            "instance": self.instance, "function": item.function, "fixturename": name,
            "fixturenames": item.fixturenames, "keywords": item.keywords, "scope": "function",
            "session": item.session, "getfixturevalue": self.value,
            "addfinalizer": self.ends.append,
        }  # fmt: skip
        if name in params:
            fields["param"] = params[name]
        return types.SimpleNamespace(**fields)

    def end(self) -> None:
        """Tear all of them down, the last one first."""
        while self.ends:
            self.ends.pop()()
