"""What lies in a person's tree beside all that a snapshot records, as git names it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from clew.git.worktrees.git import excludes_of, git

__all__ = ["OutsideSnapshot", "outside_snapshot"]

GITLINK = b"160000 "


class OutsideSnapshot(NamedTuple):
    """Paths in a work tree, each list sorted as git does."""

    submodules: list[Path]  # folders of those that are filled
    untracked: list[Path]  # folders of which git neither holds nor ignores a file
    ignored: list[Path]  # files, and folders that hold nothing else


def outside_snapshot(root: Path) -> OutsideSnapshot:
    """Ask git for what it does not hold of the work tree at `root`."""
    asked = ("ls-files", "-z", "-o", "--exclude-standard", "--directory")
    submodules, untracked = list[Path](), list[Path]()
    for item in git(*asked, "--stage", "-t", cwd=root).items:
        tag, entry = item[:1], item[2:]
        if entry.startswith(GITLINK) and tag != b"?":
            path = root / os.fsdecode(entry.partition(b"\t")[2])
            if not path.is_symlink() and (path / ".git").exists():
                submodules.append(path)
        elif entry.endswith(b"/") and tag == b"?":
            untracked.append(root / os.fsdecode(entry[:-1]))
    settings = ("-c", f"core.excludesFile={excludes_of(root)}")
    ignored = git(*settings, *asked, "-i", cwd=root).items
    return OutsideSnapshot(
        submodules, untracked, [root / os.fsdecode(it.rstrip(b"/")) for it in ignored]
    )
