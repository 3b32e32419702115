"""The shapes of what a function is given, and which stand between those that tests give it."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .inputs import Input
from .neighbours import EXOTIC

__all__ = ["Shapes"]

Place = Tuple[str, ...]  # of a collection: a parameter, and the way into what it is given
GROWING = (list, dict, set, frozenset)  # of any size; a tuple has as many items as it has
DEPTH = 3
ITEMS = 20  # of a collection that are looked into


class Shapes:
    """The collections that calls of one function give it, by their places."""

    def __init__(self, calls: Sequence[Input]) -> None:
        self.known: Dict[Place, List[Any]] = {}
        for call in calls:
            for place, held in collections(call):
                self.known.setdefault(place, []).append(held)

    def between(self, call: Input) -> bool:
        """Tell a call with collections of new sizes, smaller than some that are known and larger.

        A list that is as long in all known calls may be a record, of which each piece has its
        place; so may a dictionary, of the keys that all of them have.
        """
        new = False
        for place, held in collections(call):
            known = self.known.get(place, ())
            sizes = {len(each) for each in known}
            if not sizes or not min(sizes) <= len(held) <= max(sizes):
                return False
            if len(held) not in sizes:
                if type(held) not in GROWING:
                    return False
                new = True
            if type(held) is dict and not held.keys() >= always(known):
                return False
        return new


def always(known: Sequence[Any]) -> "set[Any]":
    """Return the keys that all of some dictionaries have."""
    keys = [set(each) for each in known if type(each) is dict]
    return set.intersection(*keys) if keys else set()


def collections(call: Input) -> Iterator[Tuple[Place, Any]]:
    """Yield what a call is given that holds items, with its place."""
    code = call.function.__code__
    names = code.co_varnames[: code.co_argcount]
    for number, value in enumerate(call.arguments):
        yield from within(value, (names[number] if number < len(names) else "*",), DEPTH)
    for name, value in call.named.items():
        yield from within(value, (name,), DEPTH)


def within(value: Any, place: Place, depth: int) -> Iterator[Tuple[Place, Any]]:
    kind, held = type(value), getattr(value, "__dict__", None)
    if kind in (*GROWING, tuple):
        yield place, value
        items = list(value.values() if kind is dict else value)[:ITEMS]
        for number, item in enumerate(items if depth else ()):
            step = str(number) if kind is tuple else "[]"
            yield from within(item, (*place, step), depth - 1)
    elif type(held) is dict and depth and not isinstance(value, EXOTIC):
        for name, item in list(held.items())[:ITEMS]:
            yield from within(item, (*place, "." + name), depth - 1)
