"""Folders that pass: lent for a while, and removed whatever became of them.

What is in them may be foreign code's doing: folders without permission to change or to read them,
links that lead elsewhere, a thousand folders in one another. None of that keeps one from going, and
nothing outside is touched.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from clew.sandbox.files import lock

__all__ = ["passing", "remove", "tame", "unlock", "walk"]

OPENED = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
HELD = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OWNER = 0o700
LONGEST = 3_500  # bytes of a folder's path, so that names in it are below the kernel's 4,096
MARKED = OWNER | stat.S_ISVTX  # as nobody makes a folder of his by chance, and in one step
TRIES = 100  # others may sweep a new folder before it is held


@contextlib.contextmanager
def passing(prefix: str, below: Path | None = None) -> Iterator[Path]:
    """Lend an empty folder, its path a real one; it is gone afterwards.

    One who is killed leaves his behind: the next to be lent one with that prefix removes it. That
    is why `below`, if told, is a folder of Clew's own. Untold, it is one among the temporary files;
    where there can be none, or no locks, the folder lies beside it, and nobody removes it later.
    Raises OSError where nothing can be made, or be locked `below`.
    """
    folder, held = _lend(prefix, below)
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            remove(folder)
        if held is not None:
            os.close(held)


def _lend(prefix: str, below: Path | None) -> tuple[Path, int | None]:
    if below is not None:
        return _held(prefix, below)
    with contextlib.suppress(OSError):
        return _held(prefix, _own())
    return Path(tempfile.mkdtemp(prefix=prefix)).resolve(), None


def _own() -> Path:
    """Return the folder among the temporary files in which all is Clew's, made where it is missing.

    Raises FileExistsError where something that Clew has not made has its name.
    """
    own = Path(tempfile.gettempdir(), f"clew-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        own.mkdir(MARKED)
    found = own.lstat()
    marked = found.st_mode & ~stat.S_ISGID == stat.S_IFDIR | MARKED
    if not marked or found.st_uid != os.geteuid():
        raise FileExistsError(errno.EEXIST, "not a folder that Clew has made", str(own))
    return own


def _held(prefix: str, above: Path) -> tuple[Path, int]:
    """Make a folder and take hold of it, after what others have left; raises OSError."""
    for left in above.glob(f"{prefix}*"):
        _sweep(left)
    for _ in range(TRIES):
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=above)).resolve()
        held = None
        try:
            held = _lock(folder)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(above)) from error
        finally:
            if held is None:
                with contextlib.suppress(OSError):  # one who sweeps was faster
                    folder.rmdir()
        if held is not None:
            return folder, held
    raise BlockingIOError(errno.EAGAIN, "no folder can be held in it", str(above))


def _sweep(left: Path) -> None:
    """Remove a folder of ours that nobody holds any more."""
    with contextlib.suppress(OSError):
        held = _lock(left) if left.lstat().st_uid == os.geteuid() else None
        if held is not None:
            try:
                remove(left)
            finally:
                os.close(held)


def _lock(folder: Path) -> int | None:
    """Take hold of a folder; None where another has, or where it is gone. Raises OSError."""
    with (
        contextlib.ExitStack() as stack,
        contextlib.suppress(BlockingIOError, FileNotFoundError),
    ):
        opened = os.open(folder, OPENED)
        stack.callback(os.close, opened)
        lock(opened, patience=0)
        if os.path.samestat(folder.lstat(), os.fstat(opened)):
            stack.pop_all()
            return opened
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
    _grant(path, HELD, OWNER, at=at)


def _let_read(path: str) -> None:
    """Let the owner of a file read and write it, where they may not read it."""
    if not os.lstat(path).st_mode & stat.S_IRUSR:
        _grant(path, HELD & ~os.O_DIRECTORY, stat.S_IRUSR | stat.S_IWUSR)


def _grant(path: Path | str, how: int, rights: int, *, at: int | None = None) -> None:
    """Add rights to what is held meanwhile; a link that came in its place is left alone."""
    held = os.open(path, how, dir_fd=at)
    try:
        mode = os.fstat(held).st_mode
        if not stat.S_ISLNK(mode) and mode & rights != rights:
            Path(f"/proc/self/fd/{held}").chmod(stat.S_IMODE(mode) | rights)
    finally:
        os.close(held)


def tame(top: Path) -> None:
    """Give the owner of a folder all rights to it and to each folder below, links left alone.

    A file that nobody may read can be read again: a commit does not hold that. What is neither
    file, folder nor link goes: whoever reads a pipe waits for one who writes. So does what lies too
    deep for others to name it.
    """
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):  # it went meanwhile
            if len(os.fsencode(folder)) > LONGEST:
                remove(folder)
                continue
            unlock(folder)
            with os.scandir(folder) as scan:
                found = list(scan)
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not (entry.is_symlink() or entry.is_file()):
                    Path(entry.path).unlink()
                elif not entry.is_symlink():
                    _let_read(entry.path)


def walk(top: Path | str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder with the names of its folders and of all else, as `os.walk` does.

    Links to folders are among the former, and not followed. Before Python 3.12 `os.walk` calls
    itself for each step down, and a few hundred are too many.
    """
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        below: list[str] = []
        others: list[str] = []
        with contextlib.suppress(OSError), os.scandir(folder) as scan:
            for entry in scan:
                (below if _is_folder(entry) else others).append(entry.name)
        yield folder, below, others
        paths = [f"{folder}/{name}" for name in reversed(below)]
        waiting += [path for path in paths if not os.path.islink(path)]  # noqa: PTH114 - thousands


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with contextlib.suppress(OSError):
        return entry.is_dir()
    return False


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
