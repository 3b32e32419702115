"""What a command may leave behind: nothing that runs, nothing mounted, no change in the tree."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from clew.git.project import locate
from treestate import fingerprint

__all__ = ["living", "mounts", "undisturbed"]


def living(place: Path) -> list[str]:
    """Processes that a run in `place` has to do with, by their words; this one is not counted."""
    mark, found = os.fsencode(place), []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "cmdline").read_bytes()
            known = (
                words + (folder / "environ").read_bytes() + os.fsencode((folder / "cwd").readlink())
            )
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if mark in known and words:
            found.append(words.replace(b"\0", b" ").decode(errors="replace").strip())
    return found


def mounts(place: Path) -> list[str]:
    """Mounts in and from `place`."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if str(place) in line]


@contextlib.contextmanager
def undisturbed(project: Path, *, exempt: tuple[str, ...] = (".clew", "debug")) -> Iterator[None]:
    """The tree and git's folder are the same after the block; `exempt` are names at the top."""
    before = fingerprint(locate(project), exempt=exempt)
    yield
    assert before == fingerprint(locate(project), exempt=exempt)
