r"""Records to the parent: one JSON object a line, appended to the results file.

Every record is one `write` of one whole line, so a killed run leaves at most one torn line, the
last. Lone surrogates, which no strict reader takes, are written as their escapes (`\udc80`); a
name that comes back in a request is compared in that form.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Dict

__all__ = ["LINE", "OUTPUT", "PRINTED", "TEXT", "Writer", "clean", "clip", "label"]

LINE = 200  # characters of a source line
TEXT = 4_000  # of a message
OUTPUT = 16_000  # of a long explanation
PRINTED = 100_000  # of captured output: a thousand lines that are long
ROOM = 64_000_000  # bytes of all records; beyond, only bare outcomes are written
BULKY = ("output", "details", "values", "lines", "frames")


def clip(text: str, cap: int) -> str:
    """Return head and tail of a text, and say between them how much was left out."""
    if len(text) <= cap:
        return text
    half = cap // 2
    left = len(text) - 2 * half
    return "{}\n[… {} characters left out …]\n{}".format(text[:half], left, text[-half:])


def clean(text: str, cap: int = TEXT) -> str:
    """Return the text capped, and with nothing in it that UTF-8 cannot hold."""
    plain = clip(str.__str__(text), cap)
    return plain.encode("utf-8", "backslashreplace").decode("utf-8")


def label(identity: str) -> str:
    """Return a test's id as records and requests have it: shortened, it still differs by test."""
    if len(identity) <= TEXT:
        return clean(identity)
    mark = hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return "{} … {}".format(clean(identity[: TEXT - 100]), mark)


class Writer:
    """Appends records. Holds no open file: tests may close every descriptor they find.

    Only the process that made it writes: a child that a test forked and forgot stays silent. The
    functions of `os` are taken at the start, before a test can put a fake in their place.
    """

    def __init__(self, path: str, room: int = ROOM) -> None:
        self.path = path
        self.room = room
        self.owner = os.getpid()
        self.open, self.put, self.close, self.getpid = os.open, os.write, os.close, os.getpid
        self.flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND

    def write(self, kind: str, **fields: Any) -> None:
        if self.getpid() != self.owner:
            return
        record: Dict[str, Any] = {"kind": kind}
        record.update(fields)
        line = encode(record)
        if len(line) > self.room:
            line = encode(bare(record))
        self.room -= len(line)
        descriptor = self.open(self.path, self.flags, 0o600)
        try:
            while line:
                line = line[self.put(descriptor, line) :]
        finally:
            self.close(descriptor)


def encode(record: Dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


def bare(record: Any) -> Any:
    if isinstance(record, dict):
        return {key: bare(value) for key, value in record.items() if key not in BULKY}
    return record
