"""JSON and YAML read as plain values that know their lines."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import msgspec

__all__ = ["Located", "Misread", "from_json", "from_yaml", "node", "plain"]

MOST_NODES = 100_000
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
HALF = re.compile("[\ud800-\udfff]")
WHOLE = re.compile(r"[-+]?(?:0o[0-7]+|0x[0-9a-fA-F]+|[0-9]+)")
REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class Misread(ValueError):
    """A text is not what it is read as; `line` counts from 1 in its file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Located(msgspec.Struct, frozen=True):
    """A value and the line in which it begins: nothing, a scalar, a list or a map of nodes."""

    value: bool | int | float | str | list[Located] | dict[str, Located] | None
    line: int


def plain(found: Located) -> Any:  # noqa: ANN401 - of any shape
    """Return the value without its lines."""
    match found.value:
        case dict():
            return {key: plain(each) for key, each in found.value.items()}
        case list():
            return [plain(each) for each in found.value]
    return found.value


def node(value: object, line: int) -> Located:
    """Return a plain value as one that begins in a line, with all that is in it."""
    match value:
        case Located():
            return value
        case Mapping():
            return Located({str(key): node(each, line) for key, each in value.items()}, line)
        case list() | tuple():
            return Located([node(each, line) for each in value], line)
        case None | bool() | int() | float() | str():
            return Located(value, line)
    return Located(str(value), line)


def from_json(text: str, line: int = 1) -> Located:
    """Read JSON that begins in a line of its file. Raises Misread."""
    try:
        json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        ends = [found.start() for found in re.finditer("\n", text)]
        tokens = (
            (found[0], line + bisect_right(ends, found.start())) for found in TOKEN.finditer(text)
        )
        return _json(tokens, *next(tokens))
    except RecursionError:
        raise Misread("it is nested too deeply", line) from None
    except json.JSONDecodeError as error:
        raise Misread(f"it is not valid JSON: {error.msg}", line + error.lineno - 1) from error
    except ValueError as error:
        raise Misread(f"it is not valid JSON: {error}", getattr(error, "line", line)) from error


def _json(tokens: Iterator[tuple[str, int]], begins: str, line: int) -> Located:
    """Return the value that a token begins, of a text that is known to be JSON."""
    if begins == "[":
        items = []
        while (following := next(tokens))[0] != "]":
            if following[0] != ",":
                items.append(_json(tokens, *following))
        return Located(items, line)
    if begins == "{":
        fields: dict[str, Located] = {}
        while (following := next(tokens))[0] != "}":
            if following[0] != ",":
                key = json.loads(following[0])
                next(tokens)  # the colon
                fields[_text(key, following[1])] = _json(tokens, *next(tokens))
        return Located(fields, line)
    value = json.loads(begins)
    if isinstance(value, float) and not math.isfinite(value):
        raise Misread(f"{begins[:20]} is too large", line)
    return Located(_text(value, line) if isinstance(value, str) else value, line)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a usable number")


def from_yaml(text: str, line: int = 1) -> Located:
    """Read YAML that begins in a line of its file; dates stay text. Raises Misread."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415 - as above

    try:
        root = YAML(typ="safe", pure=True).compose(text)
        return Located(None, line) if root is None else _Yaml(line).read(root)
    except RecursionError:
        raise Misread("it is nested too deeply, or in itself", line) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        why = " ".join(str(error.problem or error.context).split())
        raise Misread(f"it is not valid YAML: {why}", line + (mark.line if mark else 0)) from error
    except (YAMLError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise Misread(f"it is not valid YAML: {why}", getattr(error, "line", line)) from error


class _Yaml:
    """Takes the library's nodes as plain values: no tags, no aliases that unfold without end."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.left = MOST_NODES

    def read(self, found: Any) -> Located:  # noqa: ANN401 - the library types no fields of a node
        line = self.line + found.start_mark.line
        self.left -= 1
        if self.left < 0:
            raise Misread(f"it unfolds to more than {MOST_NODES} values", line)
        if found.id == "sequence":
            return Located([self.read(each) for each in found.value], line)
        if found.id == "scalar":
            return Located(self.scalar(found, line), line)
        fields: dict[str, Located] = {}
        for key, value in found.value:
            at = self.line + key.start_mark.line
            if key.id != "scalar":
                raise Misread("a key is not a text", at)
            if key.value in fields:
                raise Misread(f"the key {key.value!r} appears twice", at)
            fields[_text(key.value, at)] = msgspec.structs.replace(self.read(value), line=at)
        return Located(fields, line)

    @staticmethod
    def scalar(found: Any, line: int) -> bool | float | str | None:  # noqa: ANN401
        text = _text(found.value, line)
        if found.style is not None:  # quoted, or a block: text, whatever it looks like
            return text
        if text.lower() in WORDS:
            return WORDS[text.lower()]
        if WHOLE.fullmatch(text):
            sign, digits = (-1 if text[0] == "-" else 1), text.lstrip("+-").lower()
            return sign * int(digits, {"0o": 8, "0x": 16}.get(digits[:2], 10))
        value = float(text) if REAL.fullmatch(text) else math.inf
        return value if math.isfinite(value) else text


def _text(text: str, line: int) -> str:
    if HALF.search(text):
        raise Misread("it holds half a character", line)
    return text
