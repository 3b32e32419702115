"""What plans taught, on the disk: read by whoever begins a plan, added to when one ends."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from clew.documents import lessons
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.sandbox.files import locked, write_atomically
from clew.words.errors import UsageError
from clew.words.lessons import Lesson

__all__ = ["PLACE", "add", "read"]

PLACE = ".clew/learnings.md"
LARGEST = 1 << 20  # bytes that are read


def read(root: Path) -> tuple[Lesson, ...]:
    """Return what is known in a project; nothing where it cannot be read."""
    try:
        return lessons.parse(_standing(root))
    except (OSError, UsageError):
        return ()


def add(root: Path, session: str, new: Sequence[Lesson]) -> None:
    """Add what a session taught, once. Raises UsageError where it cannot be written."""
    if not new:
        return
    path = root / PLACE
    with locked(own_folder(root) / "learnings.lock"), writable(path.parent):
        refuse_links(root, path)
        write_atomically(path, lessons.added(_standing(root), new, session).encode())


def _standing(root: Path) -> str:
    path = root / PLACE
    try:
        within = not path.parent.is_symlink() and stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return ""
    if not within or path.stat().st_size > LARGEST:
        raise UsageError(
            f"{path} is not a file of at most {LARGEST >> 20} MB, so nothing can be added to it",
            hint="Move it away; `clew resume` continues.",
        )
    return path.read_text("utf-8", "replace")
