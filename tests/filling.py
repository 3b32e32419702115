"""Records of any type, filled with one text wherever a text may stand."""

from __future__ import annotations

import functools
import types
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

__all__ = ["filled"]

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
DEEPEST = 2
PLAIN = {bool: True, int: 1, float: 1.0, bytes: b"", datetime: NOW, types.NoneType: None}


def filled(kind: Any, text: str, within: tuple[Any, ...] = ()) -> Any:  # noqa: ANN401, PLR0911 -- of any type; one answer a kind
    """Return a value of the type that holds the text in every place for one, and one of each thing.

    A record that may hold one of its own kind holds one, which holds none. Raises TypeError for a
    type that it does not know, so that no place is left out.
    """
    origin, args = get_origin(kind), get_args(kind)
    if kind in (str, Any):
        return text
    if kind in PLAIN:
        return PLAIN[kind]
    if origin is Annotated:
        return filled(args[0], text, within)
    if origin in (Union, types.UnionType):
        return filled(next(each for each in args if within.count(each) < DEEPEST), text, within)
    if origin is tuple:
        return tuple(filled(each, text, within) for each in args if each is not ...)
    if origin in (list, set, frozenset):
        return origin((filled(args[0], text, within),))
    if origin is dict:
        return {filled(args[0], text, within): filled(args[1], text, within)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    made = origin or kind
    if isinstance(made, type) and issubclass(made, msgspec.Struct):
        chosen = dict(zip(getattr(made, "__parameters__", ()), args, strict=True))
        fields = _fields(made).items()
        inside = (*within, made)
        return made(**{name: filled(chosen.get(hint, hint), text, inside) for name, hint in fields})
    raise TypeError(f"no filling for {kind}")


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in msgspec.structs.fields(kind)}
