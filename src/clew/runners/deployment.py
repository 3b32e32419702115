"""The probe, copied to where the project's interpreter can see it and nothing else of Clew."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import clew.probe

__all__ = ["deploy"]

PACKAGE = "clew_probe"


def deploy(scratch: Path) -> Path:
    """Put the probe below `scratch`, unless it is there unchanged; return its entry point."""
    source = Path(clew.probe.__file__).parent
    target = scratch / "probe" / PACKAGE
    if _contents(source) != _contents(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            fresh = Path(folder) / PACKAGE
            shutil.copytree(source, fresh, ignore=shutil.ignore_patterns("__pycache__"))
            if target.exists():
                target.rename(Path(folder) / "old")
            fresh.rename(target)
    return target / "__main__.py"


def _contents(folder: Path) -> dict[str, bytes]:
    paths = folder.rglob("*.py") if folder.is_dir() else ()
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
