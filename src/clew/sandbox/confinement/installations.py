"""What is installed outside of the system's own folders, and reached by a person's commands."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path

from clew.sandbox.confinement import places
from clew.sandbox.confinement.places import lies_below

__all__ = ["installation", "installed"]

SYSTEM = tuple(f"{name}/" for name in places.SYSTEM)
ALTERNATIVES = "/etc/alternatives"
LOADER = ("/etc/ld.so.conf", "/etc/ld.so.conf.d")
PROGRAMS = ("bin", "sbin")
PARTS = ("lib", "lib64", "libexec", "share")
DEEP = 3  # parts of a path that is more than a whole /opt or /srv


def installed() -> tuple[Path, ...]:
    """Return what PATH, links among programs, and the loader's settings lead to.

    Nothing of it lies in a home or among temporary files.
    """
    return _installed(os.environ.get("PATH", os.defpath))


@functools.cache
def _installed(path: str) -> tuple[Path, ...]:
    hidden = places.hidden()
    system = [Path(name).resolve() for name in places.SYSTEM]
    found = dict.fromkeys([*_programs(path), *_libraries()])
    return tuple(
        each
        for each in found
        if not any(lies_below(each, place) for place in (*hidden, *system))
        and places.may_be_shown(each, hidden)
    )


def _programs(path: str) -> Iterator[Path]:
    for name in dict.fromkeys([*path.split(os.pathsep), ALTERNATIVES]):
        if not name.startswith("/"):
            continue
        folder = Path(name).resolve()
        yield from installation(folder / "any")
        for link in _links(folder):
            # Most stay in the system's folders, and are passed quickly.
            with contextlib.suppress(OSError):
                if not os.path.normpath(folder / link.readlink()).startswith(SYSTEM):
                    yield from installation(link.resolve())


def _links(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_symlink()]
    except OSError:
        return []


def _libraries() -> Iterator[Path]:
    top, more = map(Path, LOADER)
    for file in (top, *more.glob("*.conf")):
        with contextlib.suppress(OSError):
            words = file.read_text("utf-8", "replace").splitlines()
            yield from (Path(word.strip()).resolve() for word in words if word.startswith("/"))


def installation(program: Path) -> tuple[Path, ...]:
    """Return what a program needs to be seen of: its folder, and all that is installed with it.

    That of a folder that holds other things too, as a whole project or a home, is its programs
    alone.
    """
    folder, top = program.parent, program.parent.parent
    if (top / "pyvenv.cfg").is_file():
        base = (folder / "python").resolve()
        return (folder, top, *(() if lies_below(base, top) else installation(base)))
    if len(folder.parts) < DEEP:
        return (program,)
    own = folder.name in PROGRAMS and len(top.parts) >= DEEP and not top.name.startswith(".")
    parted = any((top / part).exists() for part in PARTS) and not (top / ".git").exists()
    return (folder, top) if own and parted and top != Path.home() else (folder,)
