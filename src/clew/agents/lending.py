"""A configuration of an agent's own, and a person's login that it is lent."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec

from clew.errors import AgentFailed
from clew.folders import remove, unlock
from clew.store import write_atomically

__all__ = ["Loan", "Secret", "content_of", "fresh", "lent", "looks_like", "place"]

# A part of a login: an agent that is logged out may leave all parts in place, and empty.
Secret = Annotated[str, msgspec.Meta(pattern=r"\S")]

LARGEST = 1 << 20  # bytes of a login
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def fresh(folder: Path) -> Path:
    """Make a folder that holds nothing of an earlier call, whatever that left in its place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unlock(folder.parent)
    remove(folder)
    folder.mkdir()
    return folder


class Loan:
    """A login as `name` below an agent's own folder, while it is lent."""

    def __init__(
        self, theirs: Path, folder: Path, name: str, good: Callable[[bytes], bool]
    ) -> None:
        self.path = folder / name
        self.lent = content_of(theirs)
        self._theirs, self._folder, self._name, self._good = theirs, folder, name, good

    def take_back(self) -> None:
        """Put one that was renewed in the place of the person's, unless theirs has changed."""
        with contextlib.suppress(OSError), place(self._folder, self._name) as (at, last):
            now = content_of(last, at)
            if now is None or now == self.lent or not self._good(now):
                return
            if self.lent is not None and content_of(self._theirs) == self.lent:
                write_atomically(self._theirs, now, 0o600)
                self.lent = now


@contextlib.contextmanager
def lent(theirs: Path, folder: Path, name: str, good: Callable[[bytes], bool]) -> Iterator[Loan]:
    """Lend a login as `name` below an agent's own folder; one that was renewed goes back.

    It goes back when that is asked for, and at the end; only if it is `good`, and only where the
    person's has not changed meanwhile. The agent may put links into its folder: none is followed,
    by reading, writing or removing. Raises AgentFailed where its folder cannot be used any more.
    """
    loan = Loan(theirs, folder, name, good)
    before = loan.lent
    if before is None:
        with contextlib.suppress(OSError), place(folder, name) as (at, last):
            remove(last, at=at)
        yield loan
        return
    try:
        with place(folder, name, make=True) as (at, last):
            remove(last, at=at)
            descriptor = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at)
            with os.fdopen(descriptor, "wb") as file:
                file.write(before)
    except OSError as error:
        told = f"its own folder {folder} cannot be used: {error.strerror}"
        raise AgentFailed(told, kind="error") from error
    try:
        yield loan
    finally:
        loan.take_back()
        with contextlib.suppress(OSError), place(folder, name) as (at, last):
            remove(last, at=at)


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
