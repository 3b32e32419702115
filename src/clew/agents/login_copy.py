"""A configuration of an agent's own, and a person's login that it is lent."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec

from clew.journal.store import state_folder
from clew.sandbox.files import lock, staged, write_atomically
from clew.sandbox.temporary import remove, unlock
from clew.words.errors import AgentFailed

__all__ = ["Loan", "Secret", "content_of", "fresh", "lent", "looks_like", "place", "reclaim"]

# A part of a login: an agent that is logged out may leave all parts in place, and empty.
Secret = Annotated[str, msgspec.Meta(pattern=r"\S")]

LARGEST = 1 << 20  # bytes of a login
MARK, MOST_OF_MARK = ".lent", 64  # what the name of a login's mark ends with, and its bytes
PATIENCE = 1.0  # seconds for another session that puts a login back
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
IN_PLACE = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
UNCHANGEABLE = (errno.EACCES, errno.EBUSY, errno.EINVAL, errno.EPERM, errno.EROFS)


def fresh(folder: Path) -> Path:
    """Make a folder that holds nothing of an earlier call, whatever that left in its place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unlock(folder.parent)
    remove(folder)
    folder.mkdir()
    return folder


class Loan:
    """A login as `name` below an agent's own folder, while it is lent; `mark` tells which one."""

    def __init__(
        self, theirs: Path, folder: Path, name: str, good: Callable[[bytes], bool], mark: str
    ) -> None:
        self.path = folder / name
        self.settled = True  # whether the copy is of no more use
        self.kept: Path | None = None  # where a renewed one lies that could not be put back
        self._theirs, self._folder, self._name, self._good = theirs, folder, name, good
        self._mark = self._seen = mark

    def lend(self, login: bytes) -> None:
        """Write the copy, and beside it which login it stands for: a killed call leaves both."""
        with place(self._folder, self._name, make=True) as (at, last):
            remove(last, at=at)
            _write(last + MARK, self._mark.encode(), at)
            _write(last, login, at)
        self._seen = _mark(login)

    def take_back(self) -> None:
        """Put one that was renewed in the place of the person's, unless theirs has changed."""
        self.settled = False
        with contextlib.suppress(OSError):
            with place(self._folder, self._name) as (at, last):
                now = content_of(last, at)
            if now is not None and _mark(now) not in {self._seen, self._mark} and self._good(now):
                self._put_back(now)
            self.settled = True

    def _put_back(self, now: bytes) -> None:
        with _held(self._theirs.parent) as at:
            theirs = content_of(self._theirs.name, at)
            if theirs is None or _mark(theirs) != self._mark:
                return
            try:
                _replace(self._theirs.name, now, at)
            except OSError:
                write_atomically(_kept(self._mark), now, 0o600)
                self._seen, self.kept = _mark(now), _kept(self._mark)
                return
        remove(_kept(self._mark))
        self._seen = self._mark = _mark(now)
        with place(self._folder, self._name) as (below, last):
            _write(last + MARK, self._mark.encode(), below)


@contextlib.contextmanager
def lent(
    theirs: Path,
    folder: Path,
    name: str,
    good: Callable[[bytes], bool],
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Loan]:
    """Lend a login as `name` below an agent's own folder; one that was renewed goes back.

    It goes back when that is asked for, and at the end; only if it is `good`, and only where the
    person's has not changed meanwhile. Where theirs cannot be written, the renewed one is kept
    below the state folder, which they are told at the end, and lent from there. The agent may put
    links into its folder: none is followed, by reading, writing or removing. Nor is theirs lent
    where it is a link. Raises AgentFailed where its folder cannot be used any more.
    """
    reclaim(theirs, folder, name, good)
    before = content_of(theirs)
    loan = Loan(theirs, folder, name, good, _mark(before or b""))
    if before is None:
        with contextlib.suppress(OSError):
            _clear(folder, name)
        yield loan
        return
    try:
        loan.lend(content_of(_kept(_mark(before))) or before)
    except OSError as error:
        told = f"its own folder {folder} cannot be used: {error.strerror}"
        raise AgentFailed(told, kind="error") from error
    try:
        yield loan
    finally:
        loan.take_back()
        if loan.settled:
            with contextlib.suppress(OSError):
                _clear(folder, name)
        if loan.kept:
            tell(f"your login was renewed, and {theirs} cannot be written: it is {loan.kept}")


def reclaim(theirs: Path, folder: Path, name: str, good: Callable[[bytes], bool]) -> None:
    """Put a renewed login back that an earlier call could not: killed, or not allowed to."""
    with contextlib.suppress(OSError):
        with place(folder, name) as (at, last):
            mark = content_of(last + MARK, at, most=MOST_OF_MARK)
        if mark:
            Loan(theirs, folder, name, good, mark.decode(errors="replace")).take_back()
    before = content_of(theirs)
    kept = _kept(_mark(before or b""))
    if before is None or not kept.exists():
        return
    with contextlib.suppress(OSError), _held(theirs.parent) as at:
        renewed = content_of(kept)
        if renewed is not None and content_of(theirs.name, at) == before:
            _replace(theirs.name, renewed, at)
            remove(kept)


def _kept(mark: str) -> Path:
    """Return where a login is kept that could not take the place of the one with that mark."""
    return state_folder() / "logins" / mark


def _mark(login: bytes) -> str:
    return hashlib.sha256(login).hexdigest()


def _clear(folder: Path, name: str) -> None:
    with place(folder, name) as (at, last):
        remove(last, at=at)
        remove(last + MARK, at=at)


def _write(name: str, content: bytes, at: int) -> None:
    """Write a file that nobody else may read, in the place of whatever is there."""
    remove(name, at=at)
    descriptor = os.open(name, NEW, 0o600, dir_fd=at)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[int]:
    """Open a folder that no other session has opened so. Raises OSError if one has for long."""
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            lock(at, PATIENCE)
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks: rather unheld than not at all
            pass
        yield at
    finally:
        os.close(at)


def _replace(name: str, content: bytes, at: int) -> None:
    """Replace a person's file, whole, and leave it theirs: its owner, and who may read it.

    Where its folder cannot be changed, or it is a mount of its own, it is written in place.
    """
    about = os.stat(name, dir_fd=at, follow_symlinks=False)
    try:
        owner, mode = (about.st_uid, about.st_gid), stat.S_IMODE(about.st_mode)
        with staged(name, content, mode, at=at, owner=owner) as new:
            os.rename(new, name, src_dir_fd=at, dst_dir_fd=at)
    except OSError as error:
        if error.errno not in UNCHANGEABLE:
            raise
        with os.fdopen(os.open(name, IN_PLACE, dir_fd=at), "r+b") as file:
            file.write(content)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())


def looks_like(kind: Any) -> Callable[[bytes], bool]:  # noqa: ANN401 -- what msgspec decodes to
    """Return a check that a login is JSON with the parts that `kind` has."""

    def good(content: bytes) -> bool:
        try:
            msgspec.json.decode(content, type=kind)
        except (ValueError, RecursionError):  # no UTF-8, no JSON, not these parts
            return False
        return True

    return good


@contextlib.contextmanager
def place(folder: Path, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder that a name lies in, each part in the one before it, and no link."""
    *parts, last = PurePosixPath(name).parts
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    unlock(folder)
    at = os.open(folder, FOLDER)
    try:
        for part in parts:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=at)
            unlock(part, at=at)
            below = os.open(part, FOLDER, dir_fd=at)
            os.close(at)
            at = below
        yield at, last
    finally:
        os.close(at)


def content_of(name: Path | str, at: int | None = None, *, most: int = LARGEST) -> bytes | None:
    """Return what a file holds, up to so many bytes; None for links, pipes and folders."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=at)
    except OSError:
        return None
    try:
        about = os.fstat(descriptor)
        regular = stat.S_ISREG(about.st_mode)
        return os.read(descriptor, min(most, about.st_size)) if regular else None
    finally:
        os.close(descriptor)
