"""Two changes to one file made into one, as far as they go together."""

from __future__ import annotations

from pathlib import Path

from clew.git.worktrees.bare import Bare
from clew.git.worktrees.git import git
from clew.git.worktrees.history import Blob, content
from clew.git.worktrees.writing import LINK, File

__all__ = ["Conflict", "file_of", "merged"]

MERGE_FAILED = range(1, 256)


class Conflict(Exception):
    """Two changes that exclude each other."""


def file_of(bare: Bare, blob: Blob | None) -> File | None:
    """Read a file as a tree names it; None where it is not there."""
    return None if blob is None else File(blob.mode, content(bare, blob))


def merged(
    before: File | None, after: File | None, theirs: File | None, scratch: Path
) -> File | None:
    """Three-way: what both sides made of `before`; None is no file. Raises Conflict."""
    if theirs == before:
        return after
    if after in (theirs, before):
        return theirs
    if before is None or after is None or theirs is None:
        raise Conflict
    sides = (before, after, theirs)
    if any(side.mode == LINK for side in sides):
        raise Conflict
    mode = after.mode if theirs.mode == before.mode else theirs.mode
    if theirs.content in (before.content, after.content):
        return File(mode, after.content)
    if after.content == before.content:
        return File(mode, theirs.content)
    if any(b"\0" in side.content for side in sides):
        raise Conflict
    for name, side in zip(("before", "after", "theirs"), sides, strict=True):
        (scratch / name).write_bytes(side.content)
    command = ("merge-file", "-p", "-q", "theirs", "before", "after")
    answer = git(*command, cwd=scratch, accept=(0, *MERGE_FAILED))
    if answer.exit_code != 0:
        raise Conflict
    return File(mode, answer.stdout)
