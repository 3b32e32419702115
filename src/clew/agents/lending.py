"""A configuration of an agent's own, and a person's login that it is lent."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from clew.store import write_atomically

__all__ = ["fresh", "lent", "looks_like"]

LARGEST = 1 << 20  # bytes of a login


def fresh(folder: Path) -> Path:
    """Make a folder that holds nothing of an earlier call, whatever that left in its place."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


@contextlib.contextmanager
def lent(theirs: Path, own: Path, good: Callable[[bytes], bool]) -> Iterator[Path]:
    """Lend a login; one that was renewed meanwhile goes back, if it is `good`.

    It goes back only where the person's has not changed meanwhile; links are not followed.
    """
    before = _read(theirs)
    own.unlink(missing_ok=True)
    if before is None:
        yield own
        return
    own.parent.mkdir(parents=True, exist_ok=True)
    own.touch(mode=0o600)
    own.write_bytes(before)
    try:
        yield own
    finally:
        after = _read(own)
        if after not in (None, before) and good(after) and _read(theirs) == before:
            write_atomically(theirs, after)
            theirs.chmod(0o600)
        own.unlink(missing_ok=True)


def looks_like(kind: Any) -> Callable[[bytes], bool]:  # noqa: ANN401 -- what msgspec decodes to
    """Return a check that a login is JSON with the parts that `kind` has."""

    def good(content: bytes) -> bool:
        try:
            msgspec.json.decode(content, type=kind)
        except msgspec.DecodeError:
            return False
        return True

    return good


def _read(path: Path) -> bytes | None:
    """Return what a file holds; links are not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST)
