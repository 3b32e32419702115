"""Modules that tests load only while they run: loaded before, to have their code exchanged."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from typing import Iterator, Sequence

__all__ = ["load"]


def load(paths: Sequence[str]) -> None:
    """Import the modules that files hold, unless they are; one that does not load is left out."""
    loaded = {os.path.realpath(f) for m in list(sys.modules.values()) if (f := file_of(m))}
    for path in paths:
        if path not in loaded:
            for name in names(path):
                with contextlib.suppress(Exception, SystemExit):
                    spec = importlib.util.find_spec(name)
                    if spec is not None and os.path.realpath(spec.origin or "") == path:
                        importlib.import_module(name)
                        break


def file_of(module: object) -> str:
    found = getattr(module, "__file__", None)
    return found if isinstance(found, str) else ""


def names(path: str) -> Iterator[str]:
    """Yield the names that a file can be imported by, the shortest first."""
    found = set()
    for folder in map(os.path.realpath, sys.path):
        if path.startswith(folder.rstrip(os.sep) + os.sep):
            parts = os.path.relpath(path, folder)[: -len(".py")].split(os.sep)
            if parts[-1] == "__init__":
                parts.pop()
            if parts and all(part.isidentifier() for part in parts):
                found.add(".".join(parts))
    yield from sorted(found, key=lambda name: (name.count("."), name))
