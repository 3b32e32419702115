"""What lies where on this machine: homes, temporary files, sockets, symbolic links."""

from __future__ import annotations

import contextlib
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

__all__ = ["DEVICES", "RESOLVER", "hidden", "lies_below", "listening_sockets", "trail"]

# Programs leave files, and sockets that lead out, in these.
SHARED = ("/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm")  # noqa: S108 - to be hidden
# Where system accounts are said to live, and what a program cannot do without.
SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr")
DEVICES = Path("/dev")
# What name look-ups need; on many machines a link to something hidden.
RESOLVER = Path("/etc/resolv.conf")
MANY_LINKS = 40  # the kernel's own bound


def hidden(*, homes: bool) -> tuple[Path, ...]:
    """Return the real folders that no confined program sees, outer ones first."""
    names = [*SHARED, *(_homes() if homes else ())]
    found = {Path(name).resolve() for name in names if Path(name).is_dir()}
    return tuple(sorted(found, key=lambda path: (len(path.parts), path)))


def _homes() -> Iterator[str]:
    """Yield the person's home, by the environment and by the user database (sudo tells two)."""
    candidates = [os.environ.get("HOME", "")]
    with contextlib.suppress(KeyError):
        candidates.append(pwd.getpwuid(os.getuid()).pw_dir)
    for home in candidates:
        real = Path(home).resolve()
        system = any(lies_below(real, Path(place)) for place in SYSTEM)
        if Path(home).is_absolute() and not system and real not in (Path("/"), Path("/var")):
            yield home


def lies_below(path: Path, place: Path) -> bool:
    """Whether a path is that place or in it."""
    return path == place or place in path.parents


def trail(path: Path) -> tuple[Path, tuple[tuple[Path, str], ...]]:
    """Follow a path to the real one: that, and the symbolic links met on the way.

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
