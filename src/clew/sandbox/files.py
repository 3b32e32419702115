"""Files written whole, and files locked."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["create_exclusively", "lock", "locked", "staged", "write_atomically"]

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
LOCK = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
TRIES = 20  # while somebody waits for a lock


def write_atomically(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace a file whole: at every instant a reader sees the old content or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with staged(path, content, mode) as new:
        new.replace(path)


def create_exclusively(path: Path, content: bytes) -> None:
    """Create a file whole. Raises FileExistsError if there is one, and leaves it alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with staged(path, content) as new:
        path.hardlink_to(new)


@contextlib.contextmanager
def staged(
    path: Path | str,
    content: bytes,
    mode: int = 0o644,
    *,
    at: int | None = None,
    owner: tuple[int, int] | None = None,
) -> Iterator[Path]:
    """Write the content to the disk beside `path`, and yield where; it is gone afterwards.

    Both paths are relative to the open folder `at`, if given. Raises OSError, with a file name.
    """
    path = Path(path)
    new = path.with_name(f".{path.name[:40]}.{os.urandom(8).hex()}")
    try:
        with os.fdopen(os.open(new, NEW, 0o600, dir_fd=at), "wb") as file:
            file.write(content)
            if owner is not None:
                os.fchown(file.fileno(), *owner)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        yield new
    except OSError as error:
        if error.filename is None:  # a full disk does not say where it is
            error.filename = str(path)
        raise
    finally:
        with contextlib.suppress(OSError):
            os.unlink(new, dir_fd=at)


@contextlib.contextmanager
def locked(path: Path, patience: float | None = None) -> Iterator[int]:
    """Hold the lock of a file, which is created if needed; the lock dies with this process.

    Yields the open file. Raises BlockingIOError if another still holds it after `patience`
    seconds; without `patience` it waits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(path, LOCK, 0o666)
    try:
        lock(opened, patience)
        yield opened
    finally:
        os.close(opened)


def lock(opened: int, patience: float | None = None) -> None:
    """Lock an open file or folder until it is closed. Raises as `locked` does."""
    if patience is None:
        fcntl.flock(opened, fcntl.LOCK_EX)
        return
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
            time.sleep(patience / TRIES)
        else:
            return
