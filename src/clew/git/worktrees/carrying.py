"""Taking work along: a change from one base made anew on another.

Nothing but the private repository is read or written. Where the newer base excludes a part of the
change, the newer base stands, and the path is named.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from clew.git.worktrees.bare import Bare
from clew.git.worktrees.history import GITLINK, Blob, Delta, deltas, entries
from clew.git.worktrees.merging import Conflict, file_of, merged
from clew.git.worktrees.records import Carried

__all__ = ["carry", "restore"]


def carry(bare: Bare, session: str, base: str, tip: str, *, onto: str, message: str) -> Carried:
    """Commit the change from `base` to `tip` on top of `onto`."""
    with bare.session(session) as scratch:
        there = entries(bare, onto)
        folders = {str(up) for path in there for up in PurePosixPath(path).parents}
        lines, left = [], []
        for delta in deltas(bare, base, tip):
            try:
                blob = _together(bare, delta, there, folders, scratch)
            except Conflict:
                left.append(delta.path)
            else:
                mode, name = (blob.mode, blob.name) if blob else ("0", "0" * len(onto))
                lines.append(f"{mode} {name}\t".encode() + os.fsencode(delta.path) + b"\0")
        index = scratch / "carried-index"
        bare.git("read-tree", onto, index=index)
        bare.git("update-index", "-z", "--index-info", index=index, stdin=b"".join(lines))
        tree = bare.git("write-tree", index=index).text
        if tree == bare.tree_of(onto):
            return Carried(commit=None, left=tuple(left))
        commit = bare.commit_tree(tree, (onto,), message)
        bare.keep(commit, known=(onto,))
        return Carried(commit=commit, left=tuple(left))


def restore(
    bare: Bare, session: str, commit: str, source: str, paths: Collection[str], *, message: str
) -> str:
    """Commit on top of `commit` what it is with these paths as `source` has them, or has not."""
    with bare.session(session) as scratch:
        there = entries(bare, source)
        lines = []
        for path in paths:
            blob = there.get(path)
            mode, name = (blob.mode, blob.name) if blob else ("0", "0" * len(commit))
            lines.append(f"{mode} {name}\t".encode() + os.fsencode(path) + b"\0")
        index = scratch / "restored-index"
        bare.git("read-tree", commit, index=index)
        bare.git("update-index", "-z", "--index-info", index=index, stdin=b"".join(lines))
        tree = bare.git("write-tree", index=index).text
        new = bare.commit_tree(tree, (commit,), message)
        bare.keep(new, known=(commit,))
        return new


def _together(
    bare: Bare, delta: Delta, there: dict[str, Blob], folders: Collection[str], scratch: Path
) -> Blob | None:
    """Return what both sides made of a file; None where it is gone. Raises Conflict."""
    blobs = (delta.before, delta.after, there.get(delta.path))
    if any(blob is not None and blob.mode == GITLINK for blob in blobs):
        raise Conflict
    above = {str(up) for up in PurePosixPath(delta.path).parents}
    if delta.path in folders or above & there.keys():
        raise Conflict
    before, after, theirs = (file_of(bare, blob) for blob in blobs)
    result = merged(before, after, theirs, scratch)
    if result is None:
        return None
    adding = ("hash-object", "-w", "--no-filters", "--stdin")
    return Blob(result.mode, bare.git(*adding, stdin=result.content).text)
