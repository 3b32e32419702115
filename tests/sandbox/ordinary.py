"""A program run as an ordinary user, also where the tests run as root."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["UID", "give", "line"]

UID = 64_123  # nobody's


def give(folder: Path) -> None:
    """Make a folder, and what is in it, that user's own."""
    for top, folders, names in os.walk(folder):
        for name in (".", *folders, *names):
            os.lchown(Path(top, name), UID, UID)


def line(command: Iterable[str], needed: Iterable[Path], stage: Path) -> list[str]:
    """Return the command that runs another as that user, who can reach the paths it needs.

    Folders on the way that are closed to others, as root's home is, get a cover that is open, in
    a view of the file system that is the command's own.
    """
    paths = sorted({path.resolve() for path in needed})
    covers = sorted({cover for path in paths for cover in _closed(path)})
    behind = [path for path in paths if any(path.is_relative_to(cover) for cover in covers)]
    steps = []
    for number, path in enumerate(behind):
        held = stage / str(number)
        held.mkdir(parents=True, exist_ok=True)
        steps.append(["mount", "--bind", path, held])
    steps += [["mount", "-t", "tmpfs", "-o", "mode=755", "none", cover] for cover in covers]
    for number, path in enumerate(behind):
        steps += [["mkdir", "-p", path], ["mount", "--bind", stage / str(number), path]]
    user = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--"]
    script = [*(shlex.join(map(str, step)) for step in steps), f'exec {shlex.join(user)} "$@"']
    view = ["unshare", "-m", "--propagation", "private"]
    return [*view, "sh", "-ec", "\n".join(script), "sh", *command]


def _closed(path: Path) -> Iterator[Path]:
    """Yield the outermost folder above a path that others may not pass."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & 0o001:
            yield folder
            return
