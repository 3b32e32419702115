"""What a confined program may do, in words that hold for every level."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import msgspec

from clew.sandbox.resource_usage import UsageBounds, Whose

__all__ = ["Confined", "Gate", "Level", "Limits", "Overlay", "Policy", "Survey"]


class Level(StrEnum):
    """What confines a program, strongest first."""

    NAMESPACE = "namespace"  # bubblewrap: a file system, network and process table of its own
    LANDLOCK = "landlock"  # the kernel refuses; the program still sees the machine as it is
    NONE = "none"  # nothing but limits on what it consumes


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on what a program consumes; None is no bound."""

    whose: Whose | None = None  # whose settings they are from
    memory_bytes: int | None = None  # of its own, for each process: heap and stacks, not files
    total_bytes: int | None = None  # of memory, for all its processes together
    file_bytes: int | None = None  # size of each file it writes
    processes: int | None = None  # processes and threads at one time
    disk_bytes: int | None = 16 << 30  # what is written where it may write, at one time
    cpu_seconds: int | None = None  # of each process
    tmp_bytes: int | None = 2 << 30  # of each private folder: /tmp, home … (namespace only)


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """Something of the person's that is laid over the worktree, such as an ignored `.venv`."""

    source: Path
    target: Path  # below the policy's target
    writable: bool = False


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """The one way to a network: a proxy's channel, and ports of this machine that have a door."""

    channel: int  # a descriptor
    ports: tuple[int, ...] = ()


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Where a program works, what it sees and what it may change.

    It reads the system, what is installed beside it, and what is named here: nothing else of this
    machine, and of the system's settings nothing that is not for every user. It writes to the
    worktree if `writable`, to `writable_paths`, and to a private /tmp.
    """

    worktree: Path  # the code, on disk
    target: Path  # where the code is to be seen: the person's own path
    writable: bool
    subdir: str = ""  # the folder to start in, relative to the code
    network: bool = False
    gate: Gate | None = None  # with the network: the one way to it (namespace only)
    visible: tuple[Path, ...] = ()  # read-only, each at its own path, wherever it lies
    writable_paths: tuple[Path, ...] = ()  # run folders, each at its own path
    overlays: tuple[Overlay, ...] = ()
    limits: Limits = Limits()
    variables: dict[str, str] = {}  # set inside alone: what confines it must not heed them


class Survey(msgspec.Struct, frozen=True):
    """The strongest level this machine offers, and in sentences why it is not more."""

    level: Level
    reasons: tuple[str, ...] = ()


class Confined(msgspec.Struct, frozen=True, kw_only=True):
    """A command that confines itself, ready to be run."""

    argv: list[str]
    cwd: Path  # where to start it, on this machine's own file system
    level: Level
    sees_target: bool  # whether it sees the code at the policy's target
    env: dict[str, str] = {}  # to be added to its environment
    inside: Path  # the folder that the program itself finds itself in
    descriptors: tuple[int, ...] = ()  # that it has to inherit
    bounds: UsageBounds = UsageBounds()  # what its runner has to watch, as no kernel does
