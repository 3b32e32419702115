"""The folder that Clew's documents for people lie in, and folders of a project written to.

Whatever is written there is written into the project: no link leads it elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from clew.git.moving import remember
from clew.sandbox.files import write_atomically
from clew.words.errors import UsageError

__all__ = ["ensure_room", "own_folder", "refuse_links", "writable"]

UNWRITABLE = (errno.EACCES, errno.EEXIST, errno.ENOTDIR, errno.EPERM, errno.EROFS)


def own_folder(root: Path) -> Path:
    """Return the project's `.clew`, which ignores itself; it exists. Raises UsageError."""
    folder = root / ".clew"
    ignore = folder / ".gitignore"
    for name in (".clew", "debug"):
        refuse_links(root, root / name)
    ensure_room(root)
    with writable(folder):
        folder.mkdir(exist_ok=True)
        if not ignore.exists():
            write_atomically(ignore, b"*\n")
        remember(root)
        for place in (folder, root):
            if not os.access(place, os.W_OK):
                raise PermissionError(errno.EACCES, "it is not writable", str(place))
    return folder


def ensure_room(root: Path) -> None:
    """Raise UsageError where a file is in the place of a folder that documents go into."""
    for name in (".clew", "debug"):
        if (place := root / name).exists() and not place.is_dir():
            raise UsageError(
                f"{place} is a file, and documents go into a folder of that name",
                hint="Rename or move it; `clew resume` continues a session that had begun.",
            )


def refuse_links(root: Path, place: Path) -> None:
    """Raise UsageError where a link would lead what is written below `root` to another place."""
    for path in (place, *place.parents):
        if path == root:
            return
        if path.is_symlink():
            raise UsageError(
                f"{path} is a symbolic link, and documents are written into the project only",
                hint="Put a folder in its place; `clew resume` continues a waiting session.",
            )


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Raise UsageError for a folder that the block cannot write to."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        raise UsageError(
            f"documents cannot be written to {folder}: {error.strerror} ({error.filename})",
            hint="It must be a writable folder; a session that had begun continues with"
            " `clew resume`, and without one nothing was started.",
        ) from error
