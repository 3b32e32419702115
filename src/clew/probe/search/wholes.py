"""Values as plain data, compared without asking any object's own equality, and where two part."""

from __future__ import annotations

from typing import Any, Tuple

from ..values import picture
from .neighbours import EXOTIC

__all__ = ["parted", "whole"]

Whole = Tuple[str, Any]  # the name of a type, and what a value of it holds
BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "frozenset": ("{", "}")}
LITERAL = (bool, int, str, bytes, type(None))


def whole(value: Any, depth: int) -> Whole:
    """Return a value as plain data, so that no object's own equality is asked."""
    kind = type(value)
    held = getattr(value, "__dict__", None)
    data: Any = picture(value)
    if kind in LITERAL:
        data = value
    elif kind in (float, complex):
        data = repr(value)
    elif depth <= 0:
        data = "…"
    elif kind in (list, tuple):
        data = [whole(item, depth - 1) for item in value]
    elif kind is dict:
        data = [(whole(key, depth - 1), whole(value[key], depth - 1)) for key in value]
    elif kind in (set, frozenset):
        data = sorted((whole(item, depth - 1) for item in value), key=repr)
    elif type(held) is dict and not isinstance(value, EXOTIC):
        data = [(name, whole(part, depth - 1)) for name, part in held.items()]
    return kind.__name__, data


def parted(one: Whole, other: Whole) -> Tuple[str, str, str]:
    """Return the first place where two values part, as `.rows[0]`, and what each holds there."""
    kind = one[0]
    if kind == other[0] and kind not in ("set", "frozenset"):
        for step, held, too in inner(kind, one[1], other[1]):
            if held != too:
                where, first, second = parted(held, too)
                return step + where, first, second
    return "", shown(one), shown(other)


def inner(kind: str, one: Any, other: Any) -> "list[Tuple[str, Whole, Whole]]":
    """Return the pieces of two values of a type that have the same pieces, each with its step."""
    if type(one) is not list or type(other) is not list or len(one) != len(other):
        return []
    if kind in BRACKETS:
        return [("[{}]".format(at), a, b) for at, (a, b) in enumerate(zip(one, other))]
    if [name for name, _ in one] != [name for name, _ in other]:
        return []
    steps = ["[{}]".format(shown(n)) if kind == "dict" else "." + n for n, _ in one]
    return [(step, held, too) for step, (_, held), (_, too) in zip(steps, one, other)]


def shown(told: Whole) -> str:
    """Show a value about as Python would."""
    kind, data = told
    if type(data) is not list:
        return repr(data) if kind in (each.__name__ for each in LITERAL) else str(data)
    if kind in BRACKETS:
        start, end = BRACKETS[kind]
        comma = "," if kind == "tuple" and len(data) == 1 else ""
        return start + ", ".join(map(shown, data)) + comma + end
    if kind == "dict":
        return "{" + ", ".join("{}: {}".format(shown(k), shown(v)) for k, v in data) + "}"
    return "{}({})".format(kind, ", ".join("{}={}".format(n, shown(v)) for n, v in data))
