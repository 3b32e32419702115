"""Folders that pass: lent for a while, and removed whatever became of them.

What is in them may be foreign code's doing: folders without permission to change or to read them,
links that lead elsewhere, a thousand folders in one another. None of that keeps one from going, and
nothing outside is touched.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["passing", "remove", "unlock", "unlock_all"]

OPENED = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
HELD = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OWNER = 0o700


@contextlib.contextmanager
def passing(prefix: str, below: Path | None = None) -> Iterator[Path]:
    """Lend an empty folder, its path a real one; it is gone afterwards.

    One who is killed leaves his behind: the next to be lent one with that prefix removes it.
    """
    above = Path(below or tempfile.gettempdir())
    for left in above.glob(f"{prefix}*"):
        _sweep(left)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=above)).resolve()
        lock = _lock(folder)
        if lock is not None:
            break
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            remove(folder)
        os.close(lock)


def _sweep(left: Path) -> None:
    """Remove a folder of ours that nobody holds any more."""
    with contextlib.suppress(OSError):
        lock = _lock(left)
        if lock is not None:
            try:
                remove(left)
            finally:
                os.close(lock)


def _lock(folder: Path) -> int | None:
    """Take hold of a folder of ours; None where another has, or where it is gone."""
    try:
        opened = os.open(folder, OPENED)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found, held = folder.lstat(), os.fstat(opened)
        if os.path.samestat(found, held) and held.st_uid == os.geteuid():
            return opened
    os.close(opened)
    return None


def remove(path: Path | str, *, at: int | None = None) -> None:
    """Remove a file, a link, or a folder with all that is in it; nothing there is as good.

    `path` is relative to the open folder `at`, if told. Raises OSError for what cannot be removed.
    """
    try:
        mode = os.stat(path, dir_fd=at, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        os.unlink(path, dir_fd=at)
        return
    top = _opened(path, at)
    try:
        _empty(top)
    finally:
        os.close(top)
    os.rmdir(path, dir_fd=at)


def unlock(path: Path | str, *, at: int | None = None) -> None:
    """Give the owner of a folder all rights to it. Raises NotADirectoryError for a link."""
    held = os.open(path, HELD, dir_fd=at)
    try:
        mode = stat.S_IMODE(os.fstat(held).st_mode)
        if mode & OWNER != OWNER:
            Path(f"/proc/self/fd/{held}").chmod(mode | OWNER)
    finally:
        os.close(held)


def unlock_all(top: Path) -> None:
    """Give the owner of a folder all rights to it and to each folder below, links left alone."""
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):  # it went meanwhile, or lies too deep for a name
            unlock(folder)
            with os.scandir(folder) as found:
                waiting += [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]


def _empty(top: int) -> None:
    """Remove all that is in a folder, and never go deeper than two steps.

    A folder further down comes up to the top first, under a number.
    """
    taken = frozenset(os.listdir(top))
    numbers = (str(number) for number in itertools.count() if str(number) not in taken)
    waiting = _without_files(top)
    while waiting:
        name = waiting.pop()
        folder = _opened(name, top)
        try:
            for below in _without_files(folder):
                unlock(below, at=folder)  # moving changes the folder that is moved
                number = next(numbers)
                os.rename(below, number, src_dir_fd=folder, dst_dir_fd=top)
                waiting.append(number)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _without_files(folder: int) -> list[str]:
    """Remove all in a folder that is no folder; return the names of those."""
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]


def _opened(path: Path | str, at: int | None) -> int:
    unlock(path, at=at)
    return os.open(path, OPENED, dir_fd=at)
