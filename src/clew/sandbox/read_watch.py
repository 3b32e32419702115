"""Which files of a folder are read meanwhile, by any program: the kernel tells, without rights.

What a file system tells of its files reaches those who asked before, also where a sandbox shows
them under another name. Who read them it does not say.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import struct
import sys
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

from clew.sandbox.temporary import walk

__all__ = ["ReadFiles", "reads"]

CLOSE_NOWRITE, OVERFLOW, IGNORED, OF_FOLDER = 0x10, 0x4000, 0x8000, 0x40000000
FOLDERS = 5_000  # that are watched at most
ROOM = 1 << 16
HEADER = struct.Struct("iIII")


class ReadFiles:
    """The files that were read, relative to the folder; None where not all of them are known."""

    def __init__(self) -> None:
        self.paths: frozenset[str] | None = None


@contextlib.contextmanager
def reads(top: Path, leave_out: Collection[str]) -> Iterator[ReadFiles]:
    """Watch a folder; what was read is known at the end. Folders of some names are left out."""
    found = ReadFiles()
    watch = _Watch.of(top, leave_out)
    if watch is None:
        yield found
        return
    try:
        yield found
    finally:
        found.paths = watch.end()


class _Watch:
    """One watch of the kernel's, with a thread that takes its news before they are too many."""

    def __init__(self, descriptor: int, folders: dict[int, str]) -> None:
        self.descriptor, self.folders = descriptor, folders
        self.found: set[str] = set()
        self.whole = True
        self.ending, self.end_of_it = os.pipe()
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    @classmethod
    def of(cls, top: Path, leave_out: Collection[str]) -> _Watch | None:
        calls = _calls()
        descriptor = calls.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC) if calls else -1
        if calls is None or descriptor < 0:
            return None
        folders: dict[int, str] = {}
        for folder, below, _ in walk(top):
            below[:] = [name for name in below if name not in leave_out]
            watched = calls.inotify_add_watch(descriptor, os.fsencode(folder), CLOSE_NOWRITE)
            if watched < 0 or len(folders) >= FOLDERS:
                os.close(descriptor)
                return None
            below_top = Path(folder).relative_to(top).as_posix()
            folders[watched] = "" if below_top == "." else f"{below_top}/"
        return cls(descriptor, folders)

    def end(self) -> frozenset[str] | None:
        os.close(self.end_of_it)
        self.thread.join()
        self._take()
        os.close(self.ending)
        os.close(self.descriptor)
        return frozenset(self.found) if self.whole else None

    def _listen(self) -> None:
        ready: list[int] = []
        while self.ending not in ready:
            ready, _, _ = select.select([self.descriptor, self.ending], [], [])
            self._take()

    def _take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while news := os.read(self.descriptor, ROOM):
                self._note(news)

    def _note(self, news: bytes) -> None:
        at = 0
        while at < len(news):
            watched, mask, _, length = HEADER.unpack_from(news, at)
            at += HEADER.size
            name = os.fsdecode(news[at : at + length].rstrip(b"\0"))
            at += length
            self.whole = self.whole and not mask & OVERFLOW
            if name and not mask & (OF_FOLDER | IGNORED | OVERFLOW) and watched in self.folders:
                self.found.add(f"{self.folders[watched]}{name}")


def _calls() -> ctypes.CDLL | None:
    """Return the functions of the C library, if this system has them."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)
    return library if hasattr(library, "inotify_init1") else None
