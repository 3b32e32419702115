"""What a running program takes up: processes, memory, and room on the disk.

Looking is cheap as long as the machine as a whole shows no growth; only when it does is the
program's own part counted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from clew.sandbox.temporary import walk

__all__ = ["UsageBounds", "UsageWatch", "WatchedTree", "Whose"]

PAUSE = 0.1  # seconds between two looks
# Every so many looks it is measured though the machine shows no growth: others may give back.
WEIGHED, COUNTED = 20, 100
SHARE = 0.75  # of the room that is left, whatever the bound
NOTHING = 1_000_000  # bytes of room: to fill them is no excess, the disk was full before


class Whose(StrEnum):
    """Who runs under a bound: their settings are called alike, but for how they begin."""

    TESTS = "the tests"
    AGENTS = "an agent"

    def more(self, name: str) -> str:
        """Say how to allow more of what the setting of that name bounds."""
        prefix = "agent_" if self is Whose.AGENTS else ""
        return f"allow {self} more with the setting `{prefix}{name}`"


class UsageBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much a program may take up; None is no bound."""

    whose: Whose | None = None
    processes: int | None = None  # and threads, of its whole tree at one time
    memory: int | None = None  # bytes that its whole tree holds of its own at one time
    disk: int | None = None  # bytes written into `folders` that are there at one time
    folders: tuple[Path, ...] = ()


class WatchedTree(Protocol):
    """A program and everything that it started."""

    def tasks(self) -> int:
        """Count the processes and threads that live."""

    def weight(self) -> int:
        """Return the bytes of memory that they hold; what they share is counted once."""


class UsageWatch:
    """One program under watch."""

    def __init__(self, bounds: UsageBounds, tree: WatchedTree) -> None:
        self.bounds = bounds
        self.tree = tree
        self.began = time.time()
        self.next = time.monotonic() + PAUSE
        self.tasks = _tasks() if bounds.processes is not None else 0
        self.available = _available() if bounds.memory is not None else 0
        self.margin = bounds.memory or 0  # that the machine may lose before the tree is weighed
        self.looks = 0
        self.rooms = [_Room(folder, bounds.disk) for folder in _apart(bounds)]
        self.said = ""  # what is exceeded

    def exceeded(self) -> bool:
        """Say whether a bound is exceeded; most calls come too soon for another look.

        Raises OSError where the program took next to nothing, and the disk has no room for it.
        """
        if time.monotonic() >= self.next:
            self.looks += 1
            self.said = self._processes() or self._memory() or self._disk()
            self.next = time.monotonic() + PAUSE
        return bool(self.said)

    def _processes(self) -> str:
        most = self.bounds.processes
        if most is None or (self.looks % WEIGHED and _tasks() - self.tasks <= most):
            return ""
        if self.tree.tasks() <= most:
            return ""
        return self._told(f"it had more than {most} processes and threads at one time", "processes")

    def _memory(self) -> str:
        most = self.bounds.memory
        if most is None:
            return ""
        now = _available()
        if self.looks % WEIGHED and self.available - now <= self.margin:
            return ""
        weight = self.tree.weight()
        self.available, self.margin = now, most - weight
        if weight <= most:
            return ""
        return self._told(f"it used more than {most / 1e9:.3g} GB of memory", "total_memory")

    def _told(self, excess: str, setting: str) -> str:
        whose = self.bounds.whose
        return excess if whose is None else f"{excess}: {whose.more(setting)}"

    def _disk(self) -> str:
        lost = any(room.lost for room in self.rooms)
        if not lost and (not self.rooms or self.looks % COUNTED):
            return ""
        # Times of files are coarse; what an earlier run left a moment ago is not this one's.
        since = self.began - 1 if lost else self.began
        written = sum(_written(folder, since) for folder in self.bounds.folders)
        for room in self.rooms:
            if written > room.most and (room.lost or not room.scarce):
                if room.scarce:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(room.folder))
                return self._full(room)
            room.look()  # somebody else took what is gone
        return ""

    def _full(self, room: _Room) -> str:
        excess = f"it wrote more than {room.most / 1e6:,.0f} MB"
        if self.bounds.disk is not None and room.most < self.bounds.disk:
            return f"{excess}: make room on the disk of {room.folder}"
        return self._told(excess, "disk")


class _Room:
    """What is free on the file system of a folder."""

    def __init__(self, folder: Path, most: int | None) -> None:
        self.folder = folder
        self.free = self._free()
        left = int(self.free * SHARE)
        self.scarce = left < NOTHING
        self.most = min(most or 0, left)

    @property
    def lost(self) -> bool:
        return self.free - self._free() > self.most

    def look(self) -> None:
        self.free = self._free()

    def _free(self) -> int:
        known = os.statvfs(self.folder)
        return known.f_bavail * known.f_frsize


def _apart(bounds: UsageBounds) -> list[Path]:
    """Return one folder for each file system."""
    if bounds.disk is None:
        return []
    return list({folder.stat().st_dev: folder for folder in bounds.folders}.values())


def _tasks() -> int:
    """Return how many processes and threads this machine has."""
    return int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[2])


def _available() -> int:
    """Return the bytes of memory that this machine can still give."""
    for line in Path("/proc/meminfo").read_text("ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return 0


def _written(folder: Path, since: float) -> int:
    """Return the bytes on disk of what was written below a folder since then."""
    return sum(
        known.st_blocks * 512
        for path in _below(folder)
        if (known := _known(path)) is not None and known.st_ctime >= since
    )


def _below(folder: Path) -> Iterator[str]:
    for top, _, names in walk(folder):
        yield from (os.path.join(top, name) for name in names)  # noqa: PTH118 - thousands


def _known(path: str) -> os.stat_result | None:
    with contextlib.suppress(OSError):
        return os.lstat(path)
    return None
