"""The files of a worktree, reached step by step: no path leads out of it, and no link.

Each part of a path is opened in the folder before it, links are read and never followed by the
system. So what was looked at is what is opened, whatever is changed meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

__all__ = ["Refused", "Tree"]

LARGEST = 4 << 20  # bytes of a file that is read
MOST_LINKS = 20
OWN = ".git"


class Refused(Exception):
    """A path that is none of this tree, or cannot be read; the message says why."""


class Tree:
    """What lies below `root`; names are POSIX paths relative to it, or to where it is `seen`."""

    def __init__(self, root: Path, seen: Path | None = None) -> None:
        self._root = root
        self._seen = root if seen is None else seen

    def relative(self, name: str) -> str:
        """Return a path as one relative to the root; another one stays as it is."""
        path = PurePosixPath(name)
        inside = path.is_absolute() and path.is_relative_to(self._seen)
        return str(path.relative_to(self._seen)) if inside else name

    def text(self, name: str) -> str:
        """Return what a file holds. Raises Refused."""
        with self._opened(name) as found:
            if not stat.S_ISREG(os.fstat(found).st_mode):
                raise Refused(f"{name}: it is not a file")
            return _text(found, name)

    def entries(self, name: str = ".") -> tuple[str, ...]:
        """Return what a folder holds, sorted: folders end with `/`, links with `@`."""
        with self._folder(name) as found, os.scandir(found) as entries:
            return tuple(sorted(_shown(entry) for entry in entries if entry.name != OWN))

    def files(self, name: str = ".") -> Iterator[tuple[str, str]]:
        """Yield each text file of a folder and below, or the one file: its name, what it holds."""
        if name != "." and self._is_file(name):
            yield name, self.text(name)
            return
        with self._folder(name) as top:
            for folder, below, names, at in os.fwalk(".", dir_fd=top):
                below[:] = sorted(each for each in below if each != OWN)
                for each in sorted(set(names) - {OWN}):
                    path = PurePosixPath(self.relative(name), folder, each).as_posix()
                    with contextlib.suppress(Refused, OSError):
                        yield path, _text_at(each, at, path)

    def _is_file(self, name: str) -> bool:
        with self._opened(name) as found:
            return stat.S_ISREG(os.fstat(found).st_mode)

    @contextlib.contextmanager
    def _folder(self, name: str) -> Iterator[int]:
        with self._opened(name) as found:
            if not stat.S_ISDIR(os.fstat(found).st_mode):
                raise Refused(f"{name}: it is not a folder")
            yield found

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        try:
            found = self._open(self._resolved(name))
        except OSError as error:
            raise Refused(f"{name}: {error.strerror}") from error
        try:
            yield found
        finally:
            os.close(found)

    def _resolved(self, name: str) -> list[str]:
        """Return the parts of a path, its links read. Raises Refused for one that leads out."""
        done, todo, links = list[str](), _parts(self.relative(name)), 0
        if ".." in todo:
            raise Refused(f"{name}: paths start at the project's root and have no `..`")
        while todo:
            part = todo.pop()
            if part == OWN or (part == ".." and not done):
                raise Refused(f"{name}: it is outside of the project")
            if part == "..":
                done.pop()
                continue
            link = self._link(done, part)
            if link is None:
                done.append(part)
                continue
            links += 1
            if links > MOST_LINKS:
                raise Refused(f"{name}: too many links")
            todo += _parts(link, name)
        return done

    def _link(self, folder: list[str], name: str) -> str | None:
        above = self._open(folder)
        try:
            return os.readlink(name, dir_fd=above)
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                raise
            return None
        finally:
            os.close(above)

    def _open(self, parts: list[str]) -> int:
        """Open each part in the one before it; none may be a link by now."""
        found = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in parts:
            above, found = found, -1
            try:
                found = os.open(part, READING, dir_fd=above)
            finally:
                os.close(above)
        return found


READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _parts(path: str, name: str = "") -> list[str]:
    """Return the parts of a path, the last one first."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or "\0" in path:
        raise Refused(f"{name or path}: paths are relative to the project's root")
    return list(reversed(pure.parts))


def _shown(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return f"{entry.name}@"
    return f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name


def _text_at(name: str, folder: int, path: str) -> str:
    found = os.open(name, READING, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(found).st_mode):
            raise Refused(f"{path}: it is not a file")
        return _text(found, path)
    finally:
        os.close(found)


def _text(found: int, name: str) -> str:
    with os.fdopen(os.dup(found), "rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Refused(f"{name}: it is larger than {LARGEST >> 20} MB")
    if b"\0" in content:
        raise Refused(f"{name}: it is not text")
    return content.decode("utf-8", "replace")
