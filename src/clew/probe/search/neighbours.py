"""Values near a value, of the same type: what a call may be given beside what a test gave it."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import itertools
import sys
import types
from typing import Any, Iterator

__all__ = ["EXOTIC", "NOTHING", "neighbours"]

EXOTIC = (types.ModuleType, type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
NOTHING = object()  # where a value has no more neighbours


def neighbours(value: Any, depth: int) -> Iterator[Any]:
    """Yield values of the same type that are near: smaller ones, the next ones, the empty one."""
    kind = type(value)
    if kind is bool:
        yield not value
    elif kind in (int, float):
        changed = [
            value + 1,
            value - 1,
            kind(0),
            kind(1),
            -value,
            value * 2,
            value + 7,
            value * 10 + 3,
        ]
        yield from (each for each in dict.fromkeys(changed) if each != value)
        if kind is float:
            yield value + 0.5
    elif kind in (str, bytes):
        yield from texts(value)
    elif kind in (list, tuple):
        yield from rows(value, kind, depth)
    elif kind in (dict, set, frozenset):
        yield from tables(value, kind, depth)
    elif kind in (dt.date, dt.datetime, dt.timedelta):
        yield from moments(value)
    elif kind.__name__ == "Decimal" and kind is getattr(sys.modules.get("decimal"), "Decimal", 0):
        yield from (value + 1, -value, value * 2, value / 8, value - value)
    elif isinstance(value, enum.Enum):
        yield from (member for member in kind if member is not value)
    elif depth and not isinstance(value, EXOTIC):
        yield from things(value, depth)


def moments(value: Any) -> Iterator[Any]:
    """Yield days and times around one; of a day its hours do not count."""
    for days, hours in ((0, 1), (0, -1), (1, 0), (-1, 0), (29, 0), (366, 0), (0, 12.5)):
        try:
            other = value + dt.timedelta(days=days, hours=hours)
        except OverflowError:
            continue
        if other != value:
            yield other


def texts(value: Any) -> Iterator[Any]:
    empty = value[:0]
    some = [value[:-1], value[1:], empty, value[:1], value.swapcase(), value[::-1], value + value]
    space = " " if isinstance(value, str) else b" "
    some += [space + value, value + space, value[: len(value) // 2]]
    yield from (each for each in dict.fromkeys(some) if each != value)


def rows(value: Any, kind: Any, depth: int) -> Iterator[Any]:
    if value:
        yield from (value[:-1], value[1:], value + value[:1])
    if len(value) > 1:
        yield from (value[::-1], kind())
    if len(value) > 2:
        yield value[:1]
    if depth:
        ways = [neighbours(item, depth - 1) for item in value[:4]]
        for row in itertools.zip_longest(*ways, fillvalue=NOTHING):
            for place, item in enumerate(row):
                if item is not NOTHING:
                    yield kind((*value[:place], item, *value[place + 1 :]))


def tables(value: Any, kind: Any, depth: int) -> Iterator[Any]:
    for item in list(value)[:3]:
        if kind is dict:
            yield {key: value[key] for key in value if key is not item}
        else:
            yield value - {item}
    yield kind()
    for item in list(value)[:3] if kind is dict and depth else ():
        for other in itertools.islice(neighbours(value[item], depth - 1), 4):
            yield {**value, item: other}


def things(value: Any, depth: int) -> Iterator[Any]:
    """Yield the object with one attribute changed."""
    held = getattr(value, "__dict__", None)
    for name, part in list(held.items())[:6] if type(held) is dict else ():
        for other in itertools.islice(neighbours(part, depth - 1), 6):
            try:
                new = copy.copy(value)
                new.__dict__[name] = other
            except Exception:  # noqa: BLE001 - whatever refuses to be copied
                return
            yield new
