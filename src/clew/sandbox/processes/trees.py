"""A program and everything it started.

That is everything that shares its session, carries its mark in the environment (`CLEW_RUN`), or
descends from such a process. Daemons keep the mark, so a double fork does not hide them. A program
that wipes its own environment needs the sandbox's process namespace.

The first process of a tree stays unreaped until the rest is dead: its number cannot be given to
a stranger while there are signals to send.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

__all__ = ["MARK", "Identity", "ProcessTree", "alive", "end", "identify", "stopped", "weight"]

MARK = "CLEW_RUN"
REAP = 2.0  # how long killed processes may take to disappear
NOBODY = -1  # leads no session
HELD = {  # what tells of memory: files of a process, the more exact one first
    "smaps_rollup": (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"),
    "status": (b"RssAnon:", b"RssShmem:", b"VmSwap:"),
}


class Identity(msgspec.Struct, frozen=True):
    """One process for all time: numbers come round again, start times do not."""

    pid: int
    started: str  # boot, and clock ticks since then


class ProcessTree:
    """A program and everything it started."""

    def __init__(self, leader: int, mark: str) -> None:
        self.leader = leader
        self.mark = mark.encode()
        self.killed = False
        self.known: set[tuple[int, int]] = set()

    @property
    def leader_ended(self) -> bool:
        return os.waitid(os.P_PID, self.leader, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None

    def living(self) -> list[_Seen]:
        table = sorted(_table(), key=lambda seen: seen.started)
        # Known ones too: a dying process has lost its mark while it still closes its files.
        ours = {
            seen.pid
            for seen in table
            if seen.session == self.leader
            or (seen.pid, seen.started) in self.known
            or (not seen.dead and _marked(seen.pid, self.mark))  # the dead have lost theirs
        }
        for seen in table:  # parents before their children
            if seen.parent in ours:
                ours.add(seen.pid)
        self.known |= {(seen.pid, seen.started) for seen in table if seen.pid in ours}
        return [seen for seen in table if seen.pid in ours and not seen.dead]

    def tasks(self) -> int:
        """Count the processes and threads that live."""
        return sum(seen.threads for seen in self.living())

    def weight(self) -> int:
        """Return the bytes of memory that they hold of their own."""
        return sum(weight(seen.pid) for seen in self.living())

    def signal(self, number: signal.Signals) -> bool:
        """Send a signal to every process of the tree; False if there is none.

        To groups, because a group cannot fork its way out of a signal.
        """
        living = self.living()
        for group in {seen.group for seen in living} - {0, os.getpgrp()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        return bool(living)

    def kill(self) -> None:
        """Kill until nothing is left; what was born meanwhile is found by the next look.

        The first process goes first: a namespace of processes goes with it, however large. Those
        that only their parents lead to are noted before.
        """
        if not self.leader_ended:
            self.living()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader, signal.SIGKILL)
        patience = time.monotonic() + REAP
        while not self.killed and time.monotonic() < patience:
            self.killed = not self.signal(signal.SIGKILL)
            if not self.killed:
                time.sleep(0.001)
        self.killed = True

    def reap(self, process: subprocess.Popen[bytes]) -> int | None:
        try:
            return process.wait(timeout=REAP)
        except subprocess.TimeoutExpired:
            return None


def end(within: str) -> bool:
    """Kill what was run with that mark and outlived its caller; False if something cannot die."""
    tree = ProcessTree(NOBODY, within)
    patience = time.monotonic() + REAP
    while tree.signal(signal.SIGKILL):
        if time.monotonic() >= patience:
            return False
        time.sleep(0.001)
    return True


def identify(pid: int) -> Identity | None:
    """Return the identity of the process that runs under this number now, if any."""
    seen = _read(pid)
    if seen is None or seen.dead:
        return None
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return Identity(pid, f"{boot}:{seen.started}")


def alive(identity: Identity) -> bool:
    """Whether that very process still runs (on this machine, in this process namespace)."""
    return identify(identity.pid) == identity


def stopped(pid: int) -> bool:
    """Whether a signal or a debugger keeps that process from going on."""
    seen = _read(pid)
    return seen is not None and seen.state in "Tt"


class _Seen(msgspec.Struct, frozen=True):
    """One line of the process table."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    started: int
    threads: int

    @property
    def dead(self) -> bool:
        return self.state in "ZX"


def _read(pid: int) -> _Seen | None:
    try:
        line = _content(f"/proc/{pid}/stat")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name, in parentheses, may hold anything, parentheses included.
    words = line[line.rindex(b")") + 2 :].split()
    parent, group, session = (int(word) for word in words[1:4])
    return _Seen(pid, words[0].decode(), parent, group, session, int(words[19]), int(words[17]))


def _table() -> Iterator[_Seen]:
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit() and (seen := _read(int(entry.name))) is not None:
                yield seen


def _marked(pid: int, mark: bytes) -> bool:
    try:
        return mark in _content(f"/proc/{pid}/environ")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


def _content(path: str) -> bytes:
    """Read a file: of thousands of processes, and `Path` takes longer than the kernel does."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
        return file.read()


def weight(pid: int) -> int:
    """Return the bytes of a process's own memory, its part of what it shares with others.

    Of one that hides its parts, and where the kernel does not tell them, all of what it shares.
    """
    for name, held in HELD.items():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            lines = Path(f"/proc/{pid}/{name}").read_bytes().splitlines()
            found = [int(line.split()[1]) for line in lines if line.startswith(held)]
            if len(found) == len(held):
                return sum(found) * 1024
    return 0
