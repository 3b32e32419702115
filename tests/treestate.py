"""What a person could notice of their project: compared before and after, it must be the same."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = ["TreeState", "fingerprint"]


class Place(Protocol):
    @property
    def root(self) -> Path: ...


@dataclass(frozen=True)
class TreeState:
    """Path → kind, permissions and hash; of git's own files, times as well."""

    files: dict[str, str]
    git: dict[str, str]


def fingerprint(project: Place, *, exempt: tuple[str, ...] = (".clew", "debug")) -> TreeState:
    """Describe the work tree and git's folder: index, HEAD, refs, logs, stash, config, hooks.

    `exempt` are top-level names that are left out. Of git's objects only the names count: git
    refreshes the times of objects that it meets.
    """
    files = _described(project.root, times=False, without=(*exempt, ".git"))
    state = {}
    for place in _git_folders(project.root):
        for path, words in _described(place, times=True).items():
            state[f"{place.name}/{path}"] = "" if path.startswith("objects/") else words
    return TreeState(files, state)


def _git_folders(root: Path) -> list[Path]:
    own = root / ".git"
    if own.is_file():
        own = root / own.read_text(encoding="utf-8").removeprefix("gitdir: ").strip()
    if not own.is_dir():
        return []
    common = own / "commondir"
    shared = [own / common.read_text(encoding="utf-8").strip()] if common.is_file() else []
    return [own, *(path.resolve() for path in shared)]


def _described(top: Path, *, times: bool, without: tuple[str, ...] = ()) -> dict[str, str]:
    found = {}
    for folder, folders, names in os.walk(top):
        if Path(folder) == top:
            folders[:] = [name for name in folders if name not in without]
            names = [name for name in names if name not in without]  # noqa: PLW2901 - the rest
        for name in (*folders, *names):
            path = Path(folder) / name
            status = path.lstat()
            words = [stat.filemode(status.st_mode)]
            if stat.S_ISLNK(status.st_mode):
                words.append(str(path.readlink()))
            elif stat.S_ISREG(status.st_mode):
                words.append(hashlib.sha256(path.read_bytes()).hexdigest())
            if times and not stat.S_ISDIR(status.st_mode):
                words.append(str(status.st_mtime_ns))
            found[path.relative_to(top).as_posix()] = " ".join(words)
    return found
