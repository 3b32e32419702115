"""Where two values part, in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from clew.words.printable import joined_lines

__all__ = ["marked", "parting", "short"]

SHOWN = 120
DOTS = "..."
LEAST_CUT = 24  # characters that pytest leaves of a value, at least
CUT_QUOTE = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
CUT_ITEMS = re.compile(r"(?<=, )\.\.\.(?=[\])}])")


def parting(actual: str, expected: str) -> str:
    """Say where two values part, from their reprs; empty where nothing useful can be said."""
    try:
        left, right = ast.literal_eval(actual), ast.literal_eval(expected)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return ""
    if left == right:
        return ""
    if _both_numbers(left, right):
        return _numbers(left, right)
    if type(left) is not type(right):
        return f"{_kind(left)} instead of {_kind(right)}"
    tell = TELLERS.get(type(left))
    return tell(left, right) if tell else ""


def marked(text: str) -> str:
    """Return a value as pytest shows it with `…` where it is cut, for the `...` of pytest.

    That cuts a text in its middle, and ends a collection with it.
    """
    whole = CUT_QUOTE.sub(lambda found: _in_the_middle(found[0]), text)
    return CUT_ITEMS.sub("…", _in_the_middle(whole))


def _in_the_middle(text: str) -> str:
    at = (len(text) - len(DOTS)) // 2
    if len(text) < LEAST_CUT or text[at : at + len(DOTS)] != DOTS:
        return text
    return f"{text[:at]}…{text[at + len(DOTS) :]}"


def short(text: str) -> str:
    """Return the text on one line, clipped."""
    text = joined_lines(text)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _kind(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__} {short(repr(value))}"


def _both_numbers(left: object, right: object) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in (left, right))


def _numbers(left: float, right: float) -> str:
    if left == -right:
        return "the sign is reversed"
    gap = left - right
    if isinstance(left, int) and isinstance(right, int) and abs(gap) == 1:
        return "one too many" if gap > 0 else "one too few"
    try:
        shown = f"{abs(gap):.6g}"
    except OverflowError:
        return "too large" if gap > 0 else "too small"
    return f"{shown} too {'large' if gap > 0 else 'small'}"


def _texts(left: str, right: str) -> str:
    if left.strip() == right.strip():
        return "only the white space around the text differs"
    if left.casefold() == right.casefold():
        return "only upper and lower case differ"
    at = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if at is None:
        longer, word = (left, "goes on") if len(left) > len(right) else (right, "ends early")
        rest = longer[min(len(left), len(right)) :]
        if word == "goes on":
            return f"it continues with {short(repr(rest))}"
        return f"it ends early: {short(repr(rest))} is missing"
    return (
        f"the texts part at character {at}: {short(repr(left[at : at + 20]))}"
        f" instead of {short(repr(right[at : at + 20]))}"
    )


def _rows(left: list[object] | tuple[object, ...], right: list[object] | tuple[object, ...]) -> str:
    try:
        if len(left) == len(right) and sorted(map(repr, left)) == sorted(map(repr, right)):
            return "the items are right, their order is not"
    except RecursionError:
        return ""
    for at, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return f"item {at} is {short(repr(a))} instead of {short(repr(b))}"
    if len(left) > len(right):
        return f"{len(left) - len(right)} too many at the end: {short(repr(left[len(right) :]))}"
    return f"{len(right) - len(left)} missing at the end: {short(repr(right[len(left) :]))}"


def _tables(left: dict[object, object], right: dict[object, object]) -> str:
    parts = []
    for word, keys in (("lacks", right.keys() - left.keys()), ("adds", left.keys() - right.keys())):
        if keys:
            parts.append(f"it {word} {short(', '.join(sorted(map(repr, keys))))}")
    for key, value in left.items():
        if key in right and value != right[key]:
            parts.append(f"{key!r} is {short(repr(value))} instead of {short(repr(right[key]))}")
            break
    return "; ".join(parts)


def _sets(left: set[object], right: set[object]) -> str:
    parts = []
    for word, items in (("lacks", right - left), ("adds", left - right)):
        if items:
            parts.append(f"it {word} {short(', '.join(sorted(map(repr, items))))}")
    return "; ".join(parts)


TELLERS: dict[type, Callable[[Any, Any], str]] = {
    str: _texts,
    list: _rows,
    tuple: _rows,
    dict: _tables,
    set: _sets,
}
