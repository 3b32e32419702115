"""What an agent says, read strictly.

A reply is JSON: the whole text, else a fenced block, else the outermost braces, else the last
balanced ones. Anything else is no answer.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from clew.agents.form import UsageReply
from clew.words.errors import AgentFailed
from clew.words.facts import Usage

__all__ = ["parse", "reported"]

T = TypeVar("T")
FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)


def parse(text: str, kind: type[T]) -> T:
    """Read a reply. Raises AgentFailed (invalid_output) saying what is wrong with it, and where."""
    problem = ""
    for candidate in _candidates(text):
        try:
            return msgspec.json.decode(candidate, type=kind)
        except msgspec.ValidationError as error:
            problem = problem or str(error)  # the widest that is JSON: parts of it are no better
        except (msgspec.DecodeError, RecursionError):
            continue
    problem = problem or "it holds no JSON object"
    raise AgentFailed(f"the reply is not usable: {problem}", kind="invalid_output")


def reported(text: str) -> Usage | None:
    """Return what a reply says that the call took, whatever else is wrong with it."""
    for candidate in _candidates(text):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            return msgspec.json.decode(candidate, type=_Costed).usage.counted()
    return None


class _Costed(msgspec.Struct, frozen=True):
    usage: UsageReply


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    yield from FENCE.findall(text)
    first, last = text.find("{"), text.rfind("}")
    if 0 <= first < last:
        yield text[first : last + 1]
    yield from _last_balanced(text)


def _last_balanced(text: str) -> Iterator[str]:
    """Yield the last object that stands whole in the text, its strings read as such."""
    decoder, found, at = json.JSONDecoder(), "", text.find("{")
    while at >= 0:
        try:
            end = decoder.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = text[at:end]
        at = text.find("{", end)
    if found:
        yield found
