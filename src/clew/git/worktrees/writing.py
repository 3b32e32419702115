"""Files of a person's tree, read and written without ever following a link."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from clew.sandbox.temporary import walk

__all__ = [
    "LINK",
    "Blocked",
    "DiskFile",
    "File",
    "PathChange",
    "folder_of",
    "look",
    "parts_of",
    "tidy",
    "write",
]

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
EXECUTABLE, PLAIN, LINK = "100755", "100644", "120000"


class Blocked(Exception):
    """Something that is no file stands at a path or on the way to it."""


class File(msgspec.Struct, frozen=True):
    """A file as git sees one."""

    mode: str
    content: bytes  # of a link: its target


class DiskFile(msgspec.Struct, frozen=True):
    """A file on disk."""

    file: File
    permissions: int
    owner: tuple[int, int]


class PathChange(msgspec.Struct, frozen=True):
    """One path: what is there, and what shall be (None: nothing)."""

    path: str
    found: DiskFile | None
    after: File | None


def look(root: Path, path: str, *, going: Collection[str] = ()) -> DiskFile | None:
    """Read a file; None if it is not there.

    Raises Blocked for a folder or a special file, and where a parent is a link or a file, unless
    that file is one of `going`. A folder that holds nothing but files of `going` is no obstacle.
    """
    *parents, name = parts_of(path)
    for depth in range(1, len(parents) + 1):
        parent = "/".join(parents[:depth])
        try:
            status = os.lstat(root / parent)
        except FileNotFoundError:
            return None
        if not stat.S_ISDIR(status.st_mode):
            if parent in going:
                return None
            raise Blocked(parent)
    with folder_of(root, parents) as descriptor:
        try:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(status.st_mode) and _holds_only(root / path, path, going):
            return None
        return _found(name, descriptor, status)


def parts_of(path: str) -> list[str]:
    """Split a path; raises Blocked for one that leads elsewhere, or into git's folder."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Blocked(path)
    return parts


@contextlib.contextmanager
def folder_of(root: Path, parents: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """Open a folder below `root`; no step on the way may be a link."""
    descriptor = os.open(root, FOLDER)
    try:
        for parent in parents:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(parent, dir_fd=descriptor)
            deeper = os.open(parent, FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = deeper
        yield descriptor
    finally:
        os.close(descriptor)


def _found(name: str, folder: int, status: os.stat_result) -> DiskFile:
    if stat.S_ISLNK(status.st_mode):
        file = File(LINK, os.fsencode(os.readlink(name, dir_fd=folder)))
    elif stat.S_ISREG(status.st_mode):
        with os.fdopen(os.open(name, READ, dir_fd=folder), "rb") as handle:
            content = handle.read()
        file = File(EXECUTABLE if status.st_mode & stat.S_IXUSR else PLAIN, content)
    else:
        raise Blocked(name)
    return DiskFile(file, stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid))


def _holds_only(folder: Path, path: str, going: Collection[str]) -> bool:
    for parent, folders, names in walk(folder):
        below = Path(path) / Path(parent).relative_to(folder)
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        if any((below / name).as_posix() not in going for name in (*names, *links)):
            return False
    return bool(going)


def write(folder: int, name: str, file: File, found: DiskFile | None) -> None:
    """Create a file in an open folder, with the owner and permissions of one that was found.

    Raises FileExistsError where there is one, and leaves it alone.
    """
    if file.mode == LINK:
        os.symlink(os.fsdecode(file.content), name, dir_fd=folder)
        return
    executable = file.mode == EXECUTABLE
    descriptor = os.open(name, WRITE, 0o777 if executable else 0o666, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as handle:
        try:
            handle.write(file.content)
            handle.flush()
            if found is not None and found.file.mode != LINK:
                _give(descriptor, *found.owner)
                os.fchmod(descriptor, _permissions(found, executable=executable))
            os.fsync(descriptor)
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise


def _give(descriptor: int, user: int, group: int) -> None:
    """Give a file to whom the one that it replaces belongs, so far as this user may."""
    try:
        os.fchown(descriptor, user, group)
    except PermissionError:  # only root gives files away
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, -1, group)


def _permissions(found: DiskFile, *, executable: bool) -> int:
    if executable == (found.file.mode == EXECUTABLE):
        return found.permissions
    if executable:
        return found.permissions | (found.permissions & 0o444) >> 2
    return found.permissions & ~0o111


def tidy(root: Path, parents: Sequence[str]) -> None:
    """Remove the folders that a removed file leaves empty, as git does."""
    for depth in range(len(parents), 0, -1):
        try:
            root.joinpath(*parents[:depth]).rmdir()
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.EACCES, errno.EBUSY):
                return
            raise
