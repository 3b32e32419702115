"""Names for files, entries and sessions, made from titles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["names_after", "slug"]


def slug(text: str, joint: str = "-", most: int | None = None) -> str:
    """Return the words of a text in lower-case ASCII, joined; at most `most` characters.

    A longer name is cut at a word's end. Returns an empty string for a text without words.
    """
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    name = joint.join(re.findall(r"[a-z0-9]+", plain))
    if most is None or len(name) <= most:
        return name
    return name[: most + 1].rpartition(joint)[0] or name[:most]


def names_after(first: str, joint: str = "-") -> Iterator[str]:
    """Yield a name, then the same with a number."""
    yield first
    for number in range(2, 10_000):
        yield f"{first}{joint}{number}"
