"""YAML as the tools write it that share the format: texts in double quotes, lists in lines.

A library would do; it takes a second for some hundred phases, and a document is written at every
change. So the text of a phase is made once, and again only when the phase changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from clew.documents.phases.front import SECTIONS, front_of, keys_of
from clew.words.phases import PhaseRecord, SessionRecord

__all__ = ["emit", "emit_session"]

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
STEP = "  "


def emit_session(session: SessionRecord) -> str:
    """Return the front matter of a session as YAML."""
    head = {key: value for key, value in front_of(session).items() if key != "phases"}
    phases = "".join(map(_phase, session.phases))
    return f"{emit(head)}phases:\n{phases}" if phases else f"{emit(head)}phases: []\n"


def emit(keys: Mapping[str, Any]) -> str:
    """Return a map of plain values as YAML."""
    return "".join(f"{line}\n" for line in _map(keys, ""))


@lru_cache(SECTIONS)
def _phase(phase: PhaseRecord) -> str:
    return "".join(f"{line}\n" for line in _entry(keys_of(phase), STEP))


def _map(keys: Mapping[str, Any], pad: str) -> Iterator[str]:
    for key, value in keys.items():
        name = key if PLAIN.fullmatch(key) and key.lower() not in WORDS else _scalar(key)
        if isinstance(value, Mapping) and value:
            yield f"{pad}{name}:"
            yield from _map(value, pad + STEP)
        elif isinstance(value, list) and value:
            yield f"{pad}{name}:"
            for each in value:
                yield from _entry(each, pad + STEP)
        else:
            yield f"{pad}{name}: {_scalar(value)}"


def _entry(value: object, pad: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{pad}- {_scalar(value)}"
        return
    first, *rest = _map(value, pad + STEP)
    yield f"{pad}- {first.removeprefix(pad + STEP)}"
    yield from rest


def _scalar(value: object) -> str:
    """Return a value on one line: JSON is YAML there, but for two characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
