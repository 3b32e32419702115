"""Files of a person's tree, read and replaced without ever following a link.

`replace` writes all or nothing: first every new content goes to a temporary file beside its
place, then files are removed and renamed into place; if that fails half-way, what was there is
put back.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from clew.worktrees.records import NotApplied, spelled

__all__ = ["Blocked", "File", "Found", "Step", "look", "replace"]

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
TEMPORARY = ".clew-"
EXECUTABLE, PLAIN, LINK = "100755", "100644", "120000"


class Blocked(Exception):
    """Something that is no file stands at a path or on the way to it."""


class File(msgspec.Struct, frozen=True):
    """A file as git sees one."""

    mode: str
    content: bytes  # of a link: its target


class Found(msgspec.Struct, frozen=True):
    """A file on disk; `stamp` tells whether it is still the same one."""

    file: File
    permissions: int
    owner: tuple[int, int]
    stamp: tuple[int, int, int]


class Step(msgspec.Struct, frozen=True):
    """One path: what is there, and what shall be (None: nothing)."""

    path: str
    found: Found | None
    after: File | None


def look(root: Path, path: str, *, going: Collection[str] = ()) -> Found | None:
    """Read a file; None if it is not there.

    Raises Blocked for a folder or a special file, and where a parent is a link or a file, unless
    that file is one of `going`. A folder that holds nothing but files of `going` is no obstacle.
    """
    *parents, name = _parts(path)
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
    with _folder(root, parents) as descriptor:
        try:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(status.st_mode) and _holds_only(root / path, path, going):
            return None
        return _found(name, descriptor, status)


def replace(root: Path, steps: Sequence[Step], *, mark: str) -> None:
    """Carry out all steps or none.

    Raises NotApplied if the disk refuses, or a file has changed since it was found. What a call
    that was killed left behind, the next one with the same `mark` removes.
    """
    staged: dict[str, Path] = {}
    done: list[Step] = []
    try:
        for step in steps:
            if step.after is not None:
                staged[step.path] = _stage(root, step, mark)
        # files that go make room for folders of the same name, and the other way round
        for step in sorted(steps, key=lambda step: step.after is not None):
            _check(root, step)
            done.append(step)
            _settle(root, step, staged.get(step.path))
            staged.pop(step.path, None)
    except BaseException as error:
        for step in reversed(done):
            with contextlib.suppress(OSError):
                _put_back(root, step)
        if isinstance(error, OSError):
            raise NotApplied(
                f"the fix is not applied: {error}", hint="make room or give access, and apply again"
            ) from error
        raise
    finally:
        for leftover in staged.values():
            leftover.unlink(missing_ok=True)


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Blocked(path)
    return parts


@contextlib.contextmanager
def _folder(root: Path, parents: Sequence[str], *, make: bool = False) -> Iterator[int]:
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


def _found(name: str, folder: int, status: os.stat_result) -> Found:
    if stat.S_ISLNK(status.st_mode):
        file = File(LINK, os.fsencode(os.readlink(name, dir_fd=folder)))
    elif stat.S_ISREG(status.st_mode):
        with os.fdopen(os.open(name, READ, dir_fd=folder), "rb") as handle:
            content = handle.read()
        file = File(EXECUTABLE if status.st_mode & stat.S_IXUSR else PLAIN, content)
    else:
        raise Blocked(name)
    return Found(file, stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid), _stamp(status))


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _holds_only(folder: Path, path: str, going: Collection[str]) -> bool:
    for parent, folders, names in os.walk(folder):
        below = Path(path) / Path(parent).relative_to(folder)
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        if any((below / name).as_posix() not in going for name in (*names, *links)):
            return False
    return bool(going)


def _stage(root: Path, step: Step, mark: str) -> Path:
    """Write new content to a temporary file in the nearest folder there is."""
    assert step.after is not None  # noqa: S101 - for the type checker
    parents = _parts(step.path)[:-1]
    while parents and not _real_folder(root / "/".join(parents)):
        parents.pop()
    digest = hashlib.sha256(os.fsencode(f"{mark}/{step.path}")).hexdigest()
    temporary = f"{TEMPORARY}{digest[:16]}"
    with _folder(root, parents) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        _write(folder, temporary, step.after, step.found)
    return root.joinpath(*parents, temporary)


def _real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _write(folder: int, name: str, file: File, found: Found | None) -> None:
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


def _permissions(found: Found, *, executable: bool) -> int:
    if executable == (found.file.mode == EXECUTABLE):
        return found.permissions
    if executable:
        return found.permissions | (found.permissions & 0o444) >> 2
    return found.permissions & ~0o111


def _check(root: Path, step: Step) -> None:
    try:
        status = os.lstat(root / step.path)
    except (FileNotFoundError, NotADirectoryError):
        status = None
    now = None if status is None or stat.S_ISDIR(status.st_mode) else _stamp(status)
    if now != (step.found and step.found.stamp):
        raise NotApplied(
            f"{spelled(step.path)} changed while the fix was being applied; nothing is applied",
            hint="apply again",
        )


def _settle(root: Path, step: Step, staged: Path | None) -> None:
    *parents, name = _parts(step.path)
    if staged is None:
        with _folder(root, parents) as folder:
            os.unlink(name, dir_fd=folder)
        _tidy(root, parents)
        return
    within = staged.parent.relative_to(root).parts
    with _folder(root, within) as source, _folder(root, parents, make=True) as folder:
        os.rename(staged.name, name, src_dir_fd=source, dst_dir_fd=folder)


def _tidy(root: Path, parents: Sequence[str]) -> None:
    """Remove the folders that a removed file leaves empty, as git does."""
    for depth in range(len(parents), 0, -1):
        try:
            root.joinpath(*parents[:depth]).rmdir()
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.EACCES, errno.EBUSY):
                return
            raise


def _put_back(root: Path, step: Step) -> None:
    *parents, name = _parts(step.path)
    with contextlib.suppress(FileNotFoundError), _folder(root, parents) as folder:
        if step.after is not None:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if step.found is None or _stamp(status) != step.found.stamp:
                os.unlink(name, dir_fd=folder)
    if step.found is None:
        _tidy(root, parents)
        return
    with contextlib.suppress(FileExistsError), _folder(root, parents, make=True) as folder:
        _write(folder, name, step.found.file, step.found)
