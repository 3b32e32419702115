"""One fault, and the change of a text that makes it."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

__all__ = ["ByteEdit", "ByteText", "Mutation"]

WIDE = 60  # characters of what was there before: enough to know it by


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """One fault: what was done at which line, and the whole text with it."""

    operator: str
    line: int
    words: str
    text: str
    beside: bool = False  # at a line next to those that were to be tried
    start: int = 0  # of what was replaced, in bytes of the text without it
    end: int = 0


class ByteEdit(msgspec.Struct, frozen=True):
    """Bytes from `start` to `end` become `new`."""

    start: int
    end: int
    new: bytes = b""


class ByteText:
    """A program's text in the bytes that positions count."""

    def __init__(self, text: str) -> None:
        self.content = text.encode("utf-8", "surrogateescape")
        self.starts = [0]
        for line in self.content.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def lines(self, change: ByteEdit) -> range:
        """Return the lines that a change takes away from."""
        last = max(change.start, change.end - 1)
        return range(self._line(change.start), self._line(last) + 1)

    def _line(self, position: int) -> int:
        return bisect_right(self.starts, position, hi=len(self.starts) - 1)

    def with_(self, change: ByteEdit) -> str:
        """Return the text with a change."""
        content = self.content[: change.start] + change.new + self.content[change.end :]
        return content.decode("utf-8", "surrogateescape")

    def mutation(self, operator: str, change: ByteEdit) -> Mutation:
        old = self.content[change.start : change.end].decode("utf-8", "replace")
        old = " ".join(old.split())
        old = old if len(old) <= WIDE else f"{old[: WIDE - 3]}..."
        return Mutation(
            operator=operator,
            line=self._line(change.start),
            words=f"`{change.new.decode()}` for `{old}`" if change.new else f"without `{old}`",
            text=self.with_(change),
            start=change.start,
            end=change.end,
        )
