"""What belongs to a tree on disk: the files to record, and what is left out and why.

Nothing here trusts a name: an entry counts only if it is there, below real folders, and of a kind
that git can hold.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from clew.git.worktrees.records import LeftOut, LeftOutReason
from clew.words.papers import is_paper

__all__ = ["CACHES", "ListedPath", "Listing", "drop", "entries_of", "stamps", "survey", "walk"]

CACHES = frozenset(
    {
        b".clew",
        b".hypothesis",
        b".mypy_cache",
        b".nox",
        b".pytest_cache",
        b".ruff_cache",
        b".tox",
        b"__pycache__",
        b"node_modules",
    },
)
ENVIRONMENT_MARKS = (b"pyvenv.cfg", b"conda-meta/history")
TEMPORARY = re.compile(rb"(^|/)\.clew-[0-9a-f]{16}(/|$)")
REPORTS = b"debug"
GITLINK = b"160000 "


class ListedPath(msgspec.Struct, frozen=True):
    """A name that git, or a walk, found."""

    path: bytes  # ends in / for a repository inside the tree
    tracked: bool
    submodule: bool = False


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a tree, sorted, and what was left out."""

    files: tuple[bytes, ...]
    kept: tuple[bytes, ...]  # tracked, but not to be read: their recorded state stands
    skipped: tuple[LeftOut, ...]


def entries_of(items: Iterable[bytes]) -> Iterator[ListedPath]:
    """Read the output of `ls-files -z -t -c -o --stage`."""
    for item in items:
        if item[:1] == b"?":
            yield ListedPath(item[2:], tracked=False)
        else:
            fields, _, path = item[2:].partition(b"\t")
            yield ListedPath(path, tracked=True, submodule=fields.startswith(GITLINK))


def survey(
    root: Path,
    entries: Iterable[ListedPath],
    *,
    inside: Callable[[Path], Iterable[ListedPath]],
    limit: int,
    without: Path | None = None,
) -> Listing:
    """Look at every entry on disk and sort it in.

    `inside` lists a repository within the tree; an untracked file above `limit` bytes is left out;
    so is the folder `without`, and a new file that has the name of the reports' folder. Untracked
    caches, environments, `.clew` and papers of ours are no part of a project.
    """
    found = list(_unfolded(root, b"", entries, inside))
    tracked = {entry.path for entry in found if entry.tracked}
    submodules = {entry.path for entry in found if entry.submodule}
    untracked = {entry.path for entry in found} - tracked
    environments = _environments(untracked)
    real = _RealFolders(os.fsencode(root))
    hidden = None if without is None else os.fsencode(without) + b"/"
    files: list[bytes] = []
    kept: list[bytes] = []
    skipped = [_skipped(path, LeftOutReason.ENVIRONMENT) for path in environments]
    for path in sorted(tracked | untracked):
        full = os.fsencode(root) + b"/" + path
        mine = path in tracked
        if _ours(path) or (hidden is not None and full.startswith(hidden)):
            continue
        if not mine and _foreign(path, environments):
            continue
        status = real.status(path)
        if status is None:
            continue
        why = _refusal(full, status, tracked=mine, limit=limit)
        if path in submodules and stat.S_ISDIR(status.st_mode):
            why = LeftOutReason.SUBMODULE
        if why is None and path == REPORTS and not mine:
            why = LeftOutReason.REPORTS
        if why is not None:
            size = status.st_size if stat.S_ISREG(status.st_mode) else 0
            skipped.append(_skipped(path, why, size))
            if mine and why is not LeftOutReason.SPECIAL:
                kept.append(path)
        elif not stat.S_ISDIR(status.st_mode):
            files.append(path)
    return Listing(files=tuple(files), kept=tuple(kept), skipped=tuple(skipped))


def stamps(root: Path, paths: Collection[bytes]) -> dict[bytes, int]:
    """Tell when each file was changed last; caches, environments and papers of ours aside."""
    environments, real = _environments(paths), _RealFolders(os.fsencode(root))
    own = [path for path in paths if not (_ours(path) or _foreign(path, environments))]
    found = {path: real.status(path) for path in own}
    return {path: status.st_ctime_ns for path, status in found.items() if status is not None}


def drop(root: Path, paths: Collection[bytes]) -> None:
    """Remove files; none through a link, and no folder."""
    real = _RealFolders(os.fsencode(root))
    for path in paths:
        if (status := real.status(path)) is not None and not stat.S_ISDIR(status.st_mode):
            (root / os.fsdecode(path)).unlink()


def walk(root: Path) -> Iterator[ListedPath]:
    """List a folder that git knows nothing about."""
    waiting = [b""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(os.fsencode(root) + b"/" + folder) as scan:
                found = list(scan)
        except OSError:
            yield ListedPath(folder, tracked=False)
            continue
        names = {entry.name for entry in found}
        if folder and b"pyvenv.cfg" in names:
            yield ListedPath(folder + b"/pyvenv.cfg", tracked=False)
            continue
        for entry in found:
            if entry.name == b".git" or entry.name in CACHES:
                continue
            path = folder + b"/" + entry.name if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield ListedPath(path, tracked=False)


def _unfolded(
    root: Path,
    prefix: bytes,
    entries: Iterable[ListedPath],
    inside: Callable[[Path], Iterable[ListedPath]],
) -> Iterator[ListedPath]:
    for entry in entries:
        path = prefix + entry.path
        if not path.endswith(b"/"):
            yield ListedPath(path, entry.tracked, entry.submodule)
        elif not _foreign(path, ()):
            # what another repository tracks is still untracked here
            below = inside(root / os.fsdecode(path))
            for deeper in _unfolded(root, path, below, inside):
                yield ListedPath(deeper.path, tracked=False)


def _environments(paths: Iterable[bytes]) -> tuple[bytes, ...]:
    folders = {
        path.removesuffix(b"/" + mark)
        for path in paths
        for mark in ENVIRONMENT_MARKS
        if path.endswith(b"/" + mark)
    }
    return tuple(sorted(folders))


def _foreign(path: bytes, environments: tuple[bytes, ...]) -> bool:
    return (
        not CACHES.isdisjoint(path.split(b"/"))
        or is_paper(os.fsdecode(path))
        or TEMPORARY.search(path) is not None
        or any(path.startswith(folder + b"/") for folder in environments)
    )


def _ours(path: bytes) -> bool:
    return path.split(b"/", 1)[0] == b".clew"


def _refusal(
    full: bytes, status: os.stat_result, *, tracked: bool, limit: int
) -> LeftOutReason | None:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        if not tracked and status.st_size > limit:
            return LeftOutReason.TOO_LARGE
        return None if os.access(full, os.R_OK) else LeftOutReason.UNREADABLE
    if stat.S_ISDIR(mode):  # tracked: a file that gave way to a folder
        return None if tracked else LeftOutReason.UNREADABLE
    return None if stat.S_ISLNK(mode) else LeftOutReason.SPECIAL


def _skipped(path: bytes, why: LeftOutReason, size: int = 0) -> LeftOut:
    return LeftOut(path=os.fsdecode(path), reason=why, bytes=size)


class _RealFolders:
    """Remembers which folders of a tree are folders, and no links to one."""

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._known: dict[bytes, bool] = {b"": True}

    def status(self, path: bytes) -> os.stat_result | None:
        """Look at a path; None if it is not there, or only through a link."""
        if not self._above(path):
            return None
        try:
            return os.lstat(self._root + b"/" + path)
        except OSError:
            return None

    def _above(self, path: bytes) -> bool:
        folder = path.rpartition(b"/")[0]
        unknown = []
        while folder not in self._known:
            unknown.append(folder)
            folder = folder.rpartition(b"/")[0]
        real = self._known[folder]
        for each in reversed(unknown):  # from the top, as folders may lie thousands deep
            real = self._known[each] = real and self._is_folder(each)
        return real

    def _is_folder(self, path: bytes) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self._root + b"/" + path).st_mode)
        except OSError:
            return False
