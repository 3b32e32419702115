"""Files of a tree taken, put and exchanged so that nothing is ever written over.

Theory of operation: between a look at a file and a write to it a person may save. So nothing is
decided by a look before: the kernel exchanges two names in one step, then what gave way is looked
at. If that is not what was expected, the same step is done backwards, and looked at again, until
the newest is at its place. Where the kernel or the file system exchanges nothing, a file is first
taken away and then put, and `put` never replaces one.

Who had a file open before it was exchanged may write into it afterwards. So a file that another
program has open for writing is no expected one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import hashlib
import os
import signal
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from clew.git.worktrees.writing import Blocked, File, folder_of, look, parts_of, write

if TYPE_CHECKING:
    import ctypes

__all__ = ["NOTHING", "OTHER", "copied", "digest", "put", "seen", "swap", "take", "written_to"]

NOTHING = ""  # the digest of no file
OTHER = "no file"  # of a folder, a pipe, what may not be read
NOREPLACE, EXCHANGE = 1, 2
UNKNOWN_TO_KERNEL = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}
NO_LINKS = {errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS}
TURNS = 1_000  # nobody saves so often within milliseconds


def digest(file: File | None) -> str:
    """Tell files apart by kind and content."""
    return NOTHING if file is None else f"{file.mode}:{hashlib.sha256(file.content).hexdigest()}"


def seen(root: Path, path: str, *, going: Collection[str] = ()) -> str:
    """Return the digest of what is at a path now."""
    try:
        found = look(root, path, going=going)
    except (Blocked, OSError):
        return OTHER
    return digest(None if found is None else found.file)


def written_to(root: Path, path: str) -> bool:
    """Whether another program has the file open for writing, as far as the kernel tells."""
    *parents, name = parts_of(path)
    try:
        with folder_of(root, parents) as folder:
            opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    try:
        # the signal to one who holds a lease ends a process, unless it is another than the usual
        fcntl.fcntl(opened, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    finally:
        os.close(opened)
    return False


def take(root: Path, path: str, held: str) -> None:
    """Take a file away to a name where nothing is. Raises FileNotFoundError."""
    *parents, name = parts_of(path)
    *above, new = parts_of(held)
    with folder_of(root, parents) as source, folder_of(root, above) as target:
        os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)


def put(root: Path, held: str, path: str) -> None:
    """Put what is held at a path where nothing is. Raises FileExistsError."""
    *above, name = parts_of(held)
    *parents, new = parts_of(path)
    with folder_of(root, above) as source, folder_of(root, parents, make=True) as target:
        if _renamed(source, name, target, new, NOREPLACE):
            return
        try:
            os.link(name, new, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            if not copied(root, held, target, new):
                return
        os.unlink(name, dir_fd=source)


def swap(root: Path, held: str, path: str, old: str, *, expected: str) -> bool:
    """Put what is held at a path and keep at `old` what was there, if that is what is expected.

    If it is not, the newest stays at the path, and what came out last is held. Raises
    FileNotFoundError where nothing is.
    """
    laid = seen(root, held)
    if not _exchanged(root, held, path):
        return _taken_and_put(root, held, path, old, expected=expected)
    out = seen(root, held)
    if out == expected and not written_to(root, held):
        take(root, held, old)
        return True
    for _ in range(TURNS):
        try:
            _exchanged(root, held, path)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                put(root, held, path)
                return False
            continue
        came = seen(root, held)
        if came == laid and not written_to(root, held):
            return False
        laid, out = out, came
    return False


def copied(root: Path, held: str, folder: int, new: str) -> bool:
    """Copy what is held into a folder; False if somebody may still write into the original."""
    found = look(root, held)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), held)
    write(folder, new, found.file, found)
    return seen(root, held) == digest(found.file) and not written_to(root, held)


def _taken_and_put(root: Path, held: str, path: str, old: str, *, expected: str) -> bool:
    if written_to(root, path):
        return False
    take(root, path, old)
    good = seen(root, old) == expected and not written_to(root, old)
    with contextlib.suppress(FileExistsError):  # saved in between: that stays
        put(root, held if good else old, path)
        return good
    return False


def _exchanged(root: Path, one: str, other: str) -> bool:
    *above, name = parts_of(one)
    *parents, new = parts_of(other)
    with folder_of(root, above) as source, folder_of(root, parents) as target:
        return _renamed(source, name, target, new, EXCHANGE)


def _renamed(source: int, name: str, target: int, new: str, how: int) -> bool:
    """Rename in one step; False where kernel, library or file system know no such step."""
    import ctypes  # noqa: PLC0415 - most commands exchange nothing, and it takes its time

    call = getattr(_library(), "renameat2", None)
    if call is None:
        return False
    names = os.fsencode(name), os.fsencode(new)
    if call(source, names[0], target, names[1], ctypes.c_uint(how)) == 0:
        return True
    code = ctypes.get_errno()
    if code in UNKNOWN_TO_KERNEL:
        return False
    raise OSError(code, os.strerror(code), new)


@functools.cache
def _library() -> ctypes.CDLL:
    import ctypes  # noqa: PLC0415 - as above

    return ctypes.CDLL(None, use_errno=True)
