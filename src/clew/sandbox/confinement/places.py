"""What lies where on this machine: the system, homes, temporary files, sockets, symbolic links."""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = [
    "DEVICES",
    "RESOLVER",
    "SYSTEM",
    "closed",
    "hidden",
    "lies_below",
    "listening_sockets",
    "may_be_shown",
    "trail",
]

# What every program reads. Of /var no logs, mail, backups, databases, web sites or other data.
SYSTEM = (
    *("/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/sbin", "/sys"),
    *("/usr", "/var/cache/fontconfig", "/var/lib/ca-certificates", "/var/lib/dpkg"),
    *("/var/lib/gems", "/var/lib/ghc", "/var/lib/texmf", "/var/lock", "/var/run"),
)
SETTINGS = Path("/etc")
# Programs leave files, and sockets that lead out, in these.
SHARED = ("/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm")  # noqa: S108 - to be hidden
# System accounts are said to live here.
NO_HOMES = ("/boot", "/dev", "/proc", *(name for name in SYSTEM if name.count("/") == 1))
DEVICES = Path("/dev")
# What name look-ups need; on many machines a link to something hidden.
RESOLVER = Path("/etc/resolv.conf")
MANY_LINKS = 40  # the kernel's own bound


def hidden() -> tuple[Path, ...]:
    """Return the real folders that no confined program sees, outer ones first."""
    names = [*SHARED, *_homes()]
    found = {Path(name).resolve() for name in names if Path(name).is_dir()}
    return tuple(sorted(found, key=lambda path: (len(path.parts), path)))


@functools.cache
def closed() -> tuple[Path, ...]:
    """Return what of the system's settings not every user may read: passwords, keys, sudoers.

    Root may, and so would what it starts.
    """
    return tuple(_closed(SETTINGS))


def _closed(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(PermissionError, FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            mode = 0
            with contextlib.suppress(FileNotFoundError):  # it went meanwhile
                mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and mode & stat.S_IXOTH:
                yield from _closed(Path(entry.path))
            elif stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not mode & stat.S_IROTH):
                yield Path(entry.path)


def may_be_shown(path: Path, unseen: Sequence[Path] | None = None) -> bool:
    """Say whether a path may be shown as a whole: nothing hidden or closed lies in it.

    What is closed may be shown by its own name. Who asks for many paths gives what is hidden.
    """
    covers = any(lies_below(place, path) for place in (hidden() if unseen is None else unseen))
    return not covers and not any(path in place.parents for place in closed())


def _homes() -> Iterator[str]:
    """Yield the person's home, by the environment and by the user database (sudo tells two)."""
    candidates = [os.environ.get("HOME", "")]
    with contextlib.suppress(KeyError):
        candidates.append(pwd.getpwuid(os.getuid()).pw_dir)
    for home in candidates:
        real = Path(home).resolve()
        system = any(lies_below(real, Path(place)) for place in NO_HOMES)
        if Path(home).is_absolute() and not system and real not in (Path("/"), Path("/var")):
            yield home


def lies_below(path: Path, place: Path) -> bool:
    """Whether a path is that place or in it."""
    return path == place or place in path.parents


def trail(path: Path) -> tuple[Path, tuple[tuple[Path, str], ...]]:
    """Reaction a path to the real one: that, and the symbolic links met on the way.

    Each link is given by its real place and its text.
    """
    real = Path("/")
    links: list[tuple[Path, str]] = []
    ahead = list(reversed(path.absolute().parts[1:]))
    while ahead:
        part = ahead.pop()
        if part == "..":
            real = real.parent
            continue
        step = real / part
        if len(links) < MANY_LINKS and step.is_symlink():
            text = str(step.readlink())
            links.append((step, text))
            onward = Path(text)
            if onward.is_absolute():
                real = Path("/")
            ahead.extend(reversed([part for part in onward.parts if part != "/"]))
        else:
            real = step
    return real, tuple(links)


def listening_sockets() -> Iterator[Path]:
    """Yield unix sockets of running programs, wherever they put them."""
    try:
        table = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return
    for line in table.splitlines()[1:]:
        *_, path = line.split(maxsplit=7)
        with contextlib.suppress(OSError):
            if path.startswith("/") and Path(path).is_socket():
                yield Path(path).resolve()
