"""JSON at the price of a C call: importing `json` would double the time that a hook takes.

The scanner and the string encoder are those that `json` itself uses. An interpreter without them
gets the package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["Record", "flag", "number", "parse", "table", "text", "write"]

BLANKS = " \t\n\r"

if TYPE_CHECKING:
    Value = str | int | float | bool | None
    Record = Mapping[str, Value]
else:
    Record = dict


class _Grammar:
    """What the scanner asks of its decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 -- the scanner keeps its keys here


def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    import _json

    made: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_Grammar)  # type: ignore[arg-type]
    return made


def _escape() -> Callable[[str], str]:
    import _json

    return _json.encode_basestring_ascii


try:
    _scan, _quoted = _scanner(), _escape()
except ImportError:  # another Python than CPython
    import json

    _scan, _quoted = json.JSONDecoder().scan_once, json.dumps  # type: ignore[attr-defined]


def parse(source: str | bytes) -> object:
    """Return what a JSON text says. Raises ValueError, and no other error."""
    try:
        words = source if isinstance(source, str) else source.decode()
        start = len(words) - len(words.lstrip(BLANKS + "\ufeff"))
        value, end = _scan(words, start)
    # SystemError: the scanner's own error is a class of `json`, which was never imported.
    except (ValueError, StopIteration, RecursionError, SystemError) as error:
        raise ValueError("this is not JSON") from error
    if words[end:].strip(BLANKS):
        raise ValueError("the JSON is followed by something else")
    return value


def write(record: Record) -> str:
    """Return a flat record as one line of JSON."""
    pairs = (f"{_quoted(name)}: {_plain(value)}" for name, value in record.items())
    return "{" + ", ".join(pairs) + "}"


def _plain(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else repr(value)


# --- fields of unknown records ------------------------------------------------------------------


def table(value: object) -> dict[str, Any]:
    """Return an object as it is; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text(record: Mapping[str, object], name: str) -> str:
    """Return a field that is a text; empty for anything else."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def number(record: Mapping[str, object], name: str) -> float | None:
    """Return a field that is a number; None for anything else."""
    value = record.get(name)
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def flag(record: Mapping[str, object], name: str) -> bool | None:
    """Return a field that is true or false; None for anything else."""
    value = record.get(name)
    return value if isinstance(value, bool) else None
