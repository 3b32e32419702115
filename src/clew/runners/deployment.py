"""The probe, copied to where the project's interpreter can see it and nothing else of Clew.

It is kept among the person's caches, with bytecode for the interpreters that met it, so that no run
of tests has to compile it; where they cannot be written, it is put beside the run.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs

import clew.probe

__all__ = ["deploy", "digest", "shelf"]

PACKAGE = "clew_probe"
PARTS = (".py", ".json")


def shelf() -> Path:
    """Return the folder of what can be made again: `CLEW_CACHE_HOME`, else among the caches."""
    chosen = os.environ.get("CLEW_CACHE_HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen)
    return platformdirs.user_cache_path("clew", appauthor=False)


def deploy(scratch: Path) -> Path:
    """Put the probe on the shelf, or else below `scratch`, unless it is there unchanged.

    Returns its entry point.
    """
    try:
        target = _put(shelf() / "probe" / digest())
    except OSError:
        target = _put(scratch / "probe")
    return target / "__main__.py"


@functools.cache
def digest() -> str:
    """Tell this probe from those of other versions."""
    found = hashlib.sha256()
    for name, content in sorted(_source().items()):
        found.update(f"{name}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()[:16]


def _put(folder: Path) -> Path:
    target = folder / PACKAGE
    if _source() == _contents(target):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as name:
        fresh, old = Path(name) / PACKAGE, Path(name) / "old"
        source = Path(clew.probe.__file__).parent
        shutil.copytree(source, fresh, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            fresh.rename(target)
        except OSError:  # something lies there: altered, or put by another process meanwhile
            if _source() != _contents(target):
                target.rename(old)
                fresh.rename(target)
    return target


@functools.cache
def _source() -> dict[str, bytes]:
    return _contents(Path(clew.probe.__file__).parent)


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.suffix in PARTS
    }
