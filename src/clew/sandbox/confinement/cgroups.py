"""The control groups that this process is in, and one of its own.

That bounds processes for root, whom no other limit of the kernel's holds. It serves this process
and everything confined by it. Groups of processes that were killed are removed by the next.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["group", "own", "parent"]

NAME = "clew-"
OWN, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def group(processes: int | None) -> str | None:
    """Return a group that holds at most so many processes and threads, None if there is none."""
    above = None if processes is None or os.getuid() != 0 else parent()
    return None if above is None or processes is None else _made(above, processes)


@functools.cache
def parent() -> Path | None:
    """Return the group that groups of ours can be made in, if there is one."""
    for folder in own("pids"):
        probe = folder / f"{NAME}{os.getpid()}"
        with contextlib.suppress(OSError):
            probe.mkdir(exist_ok=True)
            try:
                if (probe / "pids.max").exists():
                    return folder
            finally:
                probe.rmdir()
    return None


@functools.cache
def _made(above: Path, processes: int) -> str | None:
    for old in above.glob(f"{NAME}*"):
        owner = old.name.split("-")[1]
        if not Path("/proc", owner).exists():
            _remove(old)
    made = above / f"{NAME}{os.getpid()}-{processes}"
    try:
        made.mkdir(exist_ok=True)
        (made / "pids.max").write_text(str(processes), encoding="ascii")
    except OSError:
        return None
    atexit.register(_remove, made)
    return str(made)


def _remove(made: Path) -> None:
    with contextlib.suppress(OSError):
        made.rmdir()


def own(controller: str) -> Iterator[Path]:
    """Yield the groups of this process that have a controller and those above, as far as shown.

    Both versions of control groups are read; there are none where the kernel has none.
    """
    with contextlib.suppress(OSError):
        for line in OWN.read_text("utf-8", "replace").splitlines():
            _, controllers, path = line.split(":", maxsplit=2)
            if controllers in ("", controller):
                top = GROUPS / controllers
                group = top / path.strip("/")
                yield from (place for place in (group, *group.parents) if place.is_relative_to(top))
