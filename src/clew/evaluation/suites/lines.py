"""A file of JSON lines, one task a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from clew.words.errors import UsageError

__all__ = ["read_lines"]

BOM = b"\xef\xbb\xbf"
T = TypeVar("T")


def read_lines(path: Path, kind: type[T], name: Callable[[T], str]) -> Iterator[tuple[int, T]]:
    """Read the tasks of a file, each with the number of its line; empty lines are passed over.

    Raises UsageError for a line that is no task, and for a second one of the same name.
    """
    seen: set[str] = set()
    for number, text in enumerate(path.read_bytes().removeprefix(BOM).splitlines(), 1):
        if not text.strip():
            continue
        try:
            task = msgspec.json.decode(text, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(
                f"{path}, line {number}: {error}",
                hint="Mend that line, or take it out: each is one task as a JSON object.",
            ) from error
        if name(task) in seen:
            raise UsageError(
                f"{path}, line {number}: there are two tasks {name(task)!r}",
                hint="Give each task an id of its own.",
            )
        seen.add(name(task))
        yield number, task
