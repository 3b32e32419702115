"""What lies in a person's tree beside all that a snapshot records, as git names it."""

from __future__ import annotations

import os
from pathlib import Path

from clew.worktrees.git import excludes_of, git

__all__ = ["ignored", "submodules", "untracked_folders"]

GITLINK = b"160000 "


def ignored(root: Path) -> list[Path]:
    """Return ignored files, and folders that hold nothing else, of the work tree at `root`."""
    asked = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")
    answer = git("-c", f"core.excludesFile={excludes_of(root)}", *asked, cwd=root)
    return [root / os.fsdecode(name.rstrip(b"/")) for name in answer.items]


def untracked_folders(root: Path) -> list[Path]:
    """Return folders of the work tree at `root` of which git neither holds nor ignores a file."""
    answer = git("ls-files", "-z", "-o", "--exclude-standard", "--directory", cwd=root)
    return [root / os.fsdecode(name[:-1]) for name in answer.items if name.endswith(b"/")]


def submodules(root: Path) -> list[Path]:
    """Return the folders of submodules that are filled."""
    entries = git("ls-files", "-z", "--stage", cwd=root).items
    names = [entry.partition(b"\t")[2] for entry in entries if entry.startswith(GITLINK)]
    folders = [root / os.fsdecode(name) for name in names]
    return [path for path in folders if not path.is_symlink() and (path / ".git").exists()]
