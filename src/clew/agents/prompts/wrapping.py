"""Data that cannot leave its wrapper."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import msgspec

from clew.agents.prompts.brief import Brief
from clew.words.printable import printable

__all__ = ["clip", "nonce_of", "wrap_data"]

MARKER = re.compile(r"(data)\\*([_-]+)(?:start|end)")
LOOKALIKES = str.maketrans(
    {
        character: letter
        for letter, others in {  # Cyrillic, Greek, Cherokee, Lisu, small capitals; lines
            "a": "\u0430\u03b1\u13aa\uab7a\ua4ee\u1d00",
            "d": "\u0501\u13a0\uab70\ua4d3\u1d05",
            "e": "\u0435\u03b5\u13ac\uab7c\ua4f0\u1d07",
            "n": "\u03bd\ua4e0\u0274",
            "r": "\u13a1\uab71\u13d2\uaba2\ua4e3\u0280",
            "s": "\u0455\u13da\uabaa\ua4e2\ua731",
            "t": "\u0442\u03c4\u13a2\uab72\ua4d4\u1d1b",
            "_": "\u02cd\u203f\u2040",
            "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
        }.items()
        for character in others
    }
)
LABEL = re.compile(r"[^\w ./:,-]+")
LONGEST_LABEL = 120
SHORTEST_NONCE = 8


def wrap_data(label: str, text: str, nonce: str) -> str:
    r"""Return the text between two marker lines that carry the nonce.

    Within the text the marker words stay readable (`DATA\_END`) but are no markers, the nonce does
    not occur, and terminal escapes and control characters are gone. Raises ValueError for a nonce
    too short to be one.
    """
    if len(nonce) < SHORTEST_NONCE or not (nonce.isascii() and nonce.isalnum()):
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
    text, nonce = printable(text), nonce.lower()
    letters, places = _read(text)
    while nonce in letters:
        out, done = list[str](), 0
        for found in re.finditer(nonce, letters):
            out += [text[done : places[found.start()]], nonce[:4], "\N{HORIZONTAL ELLIPSIS}"]
            done = places[found.end() - 1] + 1
        text = "".join([*out, text[done:]])
        letters, places = _read(text)
    out, done = list[str](), 0
    for marker in MARKER.finditer(letters):
        out += [text[done : places[marker.end(1) - 1] + 1], "\\"]
        done = places[marker.start(2)]
    return "".join([*out, text[done:]])


@cache
def _letters(character: str) -> tuple[str, ...]:
    parts = unicodedata.normalize("NFKD", character).casefold().translate(LOOKALIKES)
    return tuple(part for part in parts if not unicodedata.combining(part))


def _read(text: str) -> tuple[str, Sequence[int]]:
    """Return the text as a hasty reader takes it, and where each letter of that stands in it.

    Case, accents, styles and widths do not count, nor which of several scripts a letter is from.
    """
    if text.isascii():
        return text.lower(), range(len(text))
    letters, places = list[str](), list[int]()
    for place, character in enumerate(text):
        read = _letters(character)
        letters += read
        places += [place] * len(read)
    return "".join(letters), places
