"""Which phases own which files: paths are compared as the project's folder has them."""

from __future__ import annotations

import posixpath
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath

from clew.words.plans import PlanPhase

__all__ = ["around", "covers", "is_pattern", "normalised", "owned", "shared"]

GLOB = frozenset("*?[")


@lru_cache(4096)
def normalised(path: str) -> str:
    """Return a declared path as it is below the project's root: `./src//a.py` is `src/a.py`.

    A folder has no slash at its end; the root is `.`. A path that leads out of the project, or is
    blank, is the empty text.
    """
    plain = path.strip().replace("\\", "/")
    if not plain or plain.startswith(("/", "~")) or plain[1:2] == ":":
        return ""
    found = posixpath.normpath(plain)
    return "" if found == ".." or found.startswith("../") else found


@lru_cache(4096)
def around(path: str) -> tuple[str, ...]:
    """Return a path and the folders that it is in, the project's or the file system's root last."""
    return (path or ".", *map(str, PurePosixPath(path).parents))


def covers(declared: str, path: str) -> bool:
    """Whether a normalised declaration is a path, a folder that it is in, or a pattern of it."""
    return declared in around(path) or (is_pattern(declared) and fnmatchcase(path, declared))


def is_pattern(declared: str) -> bool:
    """Whether a declaration may mean many files: `src/*.py`."""
    return not GLOB.isdisjoint(declared)


def owned(phase: PlanPhase) -> frozenset[str]:
    """Return the files that a phase declares, as normalised paths, without those that are none."""
    return frozenset(filter(None, map(normalised, phase.files)))


def shared(one: frozenset[str], other: frozenset[str]) -> tuple[str, ...]:
    """Return the paths that two phases both own, the narrower one of each two."""
    inside = {path for path in one if any(covers(each, path) for each in other)}
    inside |= {path for path in other if any(covers(each, path) for each in one)}
    return tuple(sorted(inside))
