"""Data that cannot leave its wrapper."""

from __future__ import annotations

import hashlib
import re

import msgspec

from clew.failures.noise import printable
from clew.prompts.brief import Brief

__all__ = ["clip", "nonce_of", "wrap_data"]

MARKER = re.compile(r"(DATA)\\*([_-]+)(START|END)", re.IGNORECASE)
LABEL = re.compile(r"[^\w ./:,-]+")
LONGEST_LABEL = 120
SHORTEST_NONCE = 8


def wrap_data(label: str, text: str, nonce: str) -> str:
    r"""Return the text between two marker lines that carry the nonce.

    Within the text the marker words stay readable (`DATA\_END`) but are no markers, the nonce does
    not occur, and terminal escapes and control characters are gone. Raises ValueError for a nonce
    too short to be one.
    """
    if len(nonce) < SHORTEST_NONCE or not nonce.isalnum():
        raise ValueError(f"a nonce of {SHORTEST_NONCE} letters and digits is needed, not {nonce!r}")
    label = LABEL.sub(" ", _harmless(label, nonce))
    label = " ".join(label.split())[:LONGEST_LABEL].strip()
    inner = _harmless(text, nonce).strip("\n")
    return f"DATA_START {nonce} {label}".rstrip() + f"\n{inner}\nDATA_END {nonce}"


def nonce_of(brief: Brief) -> str:
    """Return the brief's nonce; by default a digest of all that it holds.

    No text within can know the digest of a whole that it is a part of.
    """
    return brief.nonce or hashlib.sha256(msgspec.msgpack.encode(brief)).hexdigest()[:16]


def clip(text: str, most: int) -> str:
    """Return head and tail of the text in at most `most` characters, saying what is left out."""
    text = printable(text)
    if len(text) <= most:
        return text
    lines = text.splitlines()
    if len(lines) < 4:  # noqa: PLR2004 - too few to cut between
        return _cut_within(text, most)
    room = max(0, most - 60) // 2
    head, tail = _taken(lines, room), _taken(lines[::-1], room)[::-1]
    left = len(lines) - len(head) - len(tail)
    if not head or not tail:
        return _cut_within(text, most)
    return "\n".join([*head, f"[Truncated: {left} lines omitted]", *tail])


def _cut_within(text: str, most: int) -> str:
    room = max(0, most - 60)
    tail = text[len(text) - room // 2 :] if room > 1 else ""
    head = text[: room - room // 2]
    return f"{head} [Truncated: {len(text) - room} characters omitted] {tail}"


def _taken(lines: list[str], room: int) -> list[str]:
    taken = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        taken.append(line)
    return taken


def _harmless(text: str, nonce: str) -> str:
    r"""Break the nonce first, the words after: `DATA_END` becomes `DATA\_END`."""
    text = printable(text)
    while nonce.lower() in text.lower():
        text = re.sub(
            re.escape(nonce), f"{nonce[:4]}\N{HORIZONTAL ELLIPSIS}", text, flags=re.IGNORECASE
        )
    return MARKER.sub(r"\1\\\2\3", text)
