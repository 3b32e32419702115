"""Bubblewrap: the program gets a file system, a network and a process table of its own.

The file system is a list of mounts. Outer places come before inner ones, so that nothing covers
what is meant to be seen; at one and the same place the later kind wins:

    an empty root · the system, read-only · hidden places, empty · visible paths · what is closed
    · the worktree · overlays · run folders
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path

import msgspec

from clew.sandbox.confinement import places
from clew.sandbox.confinement.environment import clean_environment
from clew.sandbox.confinement.installations import installed
from clew.sandbox.confinement.places import lies_below
from clew.sandbox.confinement.policy import Policy
from clew.words.errors import SandboxUnavailable

__all__ = ["PROGRAM", "command", "is_privileged"]

PROGRAM = "bwrap"
ROOT = Path("/")
NETNS_ENTRY = Path(__file__).with_name("netns_entry.py")  # runs inside, where a network has a gate


class MountKind(IntEnum):
    """What a mount shows; of two at one place the greater is seen."""

    SYSTEM = 0
    EMPTY = 1
    LINK = 2
    VISIBLE = 3
    COVERED = 4
    WORKTREE = 5
    OVERLAY = 6
    RUN = 7
    SEAL = 8  # no mount, but its end: made read-only once all below it are in place


class Mount(msgspec.Struct, frozen=True):
    """One step in building the file system."""

    place: Path  # real, as the program will see it
    kind: MountKind
    words: tuple[str, ...]

    @property
    def order(self) -> tuple[int, int, MountKind]:
        return (self.kind is MountKind.SEAL, len(self.place.parts), self.kind)


def command(argv: Sequence[str], policy: Policy, inside: Path) -> list[str]:
    """Return the command that runs `argv` in the folder `inside` under that policy."""
    options = [
        *("--unshare-all", "--new-session", "--die-with-parent", "--cap-drop", "ALL"),
        *(("--share-net",) if policy.network and policy.gate is None else ()),
        *(word for mount in mounts(policy) for word in mount.words),
        *("--chdir", str(inside)),
    ]
    return [shutil.which(PROGRAM) or PROGRAM, *options, "--", *_netns_entry(policy), *argv]


def _netns_entry(policy: Policy) -> list[str]:
    """Return the words that go before a command that has a gate for its network."""
    if policy.gate is None:
        return []
    ports = msgspec.json.encode(policy.gate.ports).decode()
    return [sys.executable, "-I", "-S", str(NETNS_ENTRY), str(policy.gate.channel), ports]


def mounts(policy: Policy) -> list[Mount]:
    """Return the file system of a policy, in the order in which it is built."""
    hidden = places.hidden()
    found = [
        Mount(ROOT, MountKind.EMPTY, ()),
        Mount(ROOT, MountKind.SEAL, ("--remount-ro", str(ROOT))),
        *_system(),
        Mount(Path("/proc"), MountKind.SYSTEM, ("--proc", "/proc")),
        Mount(Path("/dev"), MountKind.SYSTEM, ("--dev", "/dev", "--remount-ro", "/dev")),
        *_kernel(),
        *(_empty(place, policy.limits.tmp_bytes) for place in hidden),
    ]
    links: list[tuple[Path, str]] = []
    target, met = places.trail(policy.target)
    links += met
    # A folder of the code that is on PATH is the worktree's too.
    others = (path for path in installed() if not lies_below(path, target))
    seen = (*policy.visible, *others, *_ours(policy))
    for path in (*seen, *((places.RESOLVER,) if policy.network else ())):
        real, met = places.trail(path)
        links += met
        if real.exists() and places.may_be_shown(real, hidden):
            found.append(Mount(real, MountKind.VISIBLE, ("--ro-bind", str(real), str(real))))
    found += _code(policy, target)
    for path in policy.writable_paths:
        real, met = places.trail(path)
        links += met
        found.append(Mount(real, MountKind.RUN, ("--bind", str(real), str(real))))
    found += list(_closed(found))
    found += list(_links(found, links))
    found += list(_sockets(found))
    return sorted(found, key=lambda mount: mount.order)


def _ours(policy: Policy) -> tuple[Path, ...]:
    """Return what the way through a gate needs to be seen, all of it read-only."""
    if policy.gate is None:
        return ()
    python = Path(sys.executable)
    prefixes = (python, python.resolve(), Path(sys.base_prefix), Path(sys.prefix, "pyvenv.cfg"))
    return (*prefixes, NETNS_ENTRY)


def _system() -> Iterator[Mount]:
    for place in map(Path, places.SYSTEM):
        if place.is_symlink():
            words: tuple[str, ...] = ("--symlink", str(place.readlink()), str(place))
        elif place.is_dir():
            words = ("--ro-bind", str(place), str(place))
        else:
            continue
        yield Mount(place, MountKind.SYSTEM, words)


def _closed(found: Sequence[Mount]) -> Iterator[Mount]:
    """Cover what not every user may read, unless it is shown by its name."""
    named = {mount.place for mount in found if mount.kind is MountKind.VISIBLE}
    for place in places.closed():
        if place in named:
            continue
        if place.is_dir():
            yield Mount(place, MountKind.COVERED, ("--tmpfs", str(place)))
            yield Mount(place, MountKind.SEAL, ("--remount-ro", str(place)))
        elif place.exists():
            yield Mount(place, MountKind.COVERED, ("--ro-bind", "/dev/null", str(place)))


def _kernel() -> Iterator[Mount]:
    """Yield the kernel's settings, sealed: they obey root even where it has no capabilities."""
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit() or entry.is_symlink():
                continue
            if entry.is_dir() or entry.stat().st_mode & 0o222:
                yield Mount(
                    Path(entry.path), MountKind.SYSTEM, ("--ro-bind", entry.path, entry.path)
                )


def _empty(place: Path, size: int | None) -> Mount:
    sized = ("--size", str(size)) if size and "--size" in features() else ()
    return Mount(place, MountKind.EMPTY, (*sized, "--tmpfs", str(place)))


def _code(policy: Policy, target: Path) -> Iterator[Mount]:
    """Yield the worktree and what lies over it.

    A read-only worktree is sealed last: the places for overlays are made in it first.
    """
    yield Mount(target, MountKind.WORKTREE, ("--bind", str(policy.worktree), str(target)))
    if not policy.writable:
        yield Mount(target, MountKind.SEAL, ("--remount-ro", str(target)))
    for overlay in policy.overlays:
        below = overlay.target.relative_to(policy.target)
        _refuse_links(policy.worktree, below)
        bind = "--bind" if overlay.writable else "--ro-bind"
        place = target / below
        yield Mount(place, MountKind.OVERLAY, (bind, str(overlay.source.resolve()), str(place)))


def _refuse_links(worktree: Path, below: Path) -> None:
    """Keep links in the code from deciding where on this machine something is mounted."""
    for part in (below, *below.parents):
        if (worktree / part).is_symlink():
            raise SandboxUnavailable(
                f"{part} is a symbolic link in the code: nothing can be laid over it",
                hint="replace the link, or do not let git ignore it",
            )


def _links(found: Sequence[Mount], links: Sequence[tuple[Path, str]]) -> Iterator[Mount]:
    """Yield anew the links that hidden places hide."""
    for link, text in dict(links).items():
        if _seen(found, link).kind is MountKind.EMPTY:
            yield Mount(link, MountKind.LINK, ("--symlink", text, str(link)))


def _sockets(found: Sequence[Mount]) -> Iterator[Mount]:
    """Cover sockets of running programs: a read-only file system does not keep one from calling."""
    for socket in set(places.listening_sockets()):
        if _seen(found, socket).kind in (MountKind.SYSTEM, MountKind.VISIBLE):
            yield Mount(socket, MountKind.COVERED, ("--ro-bind", "/dev/null", str(socket)))


def _seen(found: Sequence[Mount], path: Path) -> Mount:
    """Return the mount that a path will be looked up in."""
    over = [m for m in found if m.kind is not MountKind.SEAL and lies_below(path, m.place)]
    return max(over, key=lambda mount: mount.order)


@functools.cache
def features() -> frozenset[str]:
    """Return the options that the installed bubblewrap knows."""
    asked, env = [PROGRAM, "--help"], clean_environment()
    done = subprocess.run(asked, env=env, capture_output=True, text=True, check=False)
    return frozenset(re.findall(r"--[a-z-]+", done.stdout + done.stderr))


def is_privileged() -> bool:
    """Whether bubblewrap is set-user-id, as where the kernel keeps namespaces to root."""
    found = shutil.which(PROGRAM)
    return found is not None and bool(Path(found).stat().st_mode & 0o4000)
