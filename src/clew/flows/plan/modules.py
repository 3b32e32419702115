"""The modules that an output misses, and which file would be one of them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

__all__ = ["is_module", "missed"]

_MISSED = re.compile(
    r"No module named ['\"](?P<whole>[\w.]+)['\"]"
    r"|cannot import name ['\"](?P<name>\w+)['\"]"
    r"(?: from (?:partially initialized module )?['\"](?P<package>[\w.]+)['\"])?"
)


def missed(output: str) -> tuple[str, ...]:
    """Return the modules that Python misses in an output; a name of a package may be one, too."""
    found = (
        each["whole"] or ".".join(filter(None, (each["package"], each["name"])))
        for each in _MISSED.finditer(output)
    )
    return tuple(dict.fromkeys(found))


def is_module(path: str, name: str) -> bool:
    """Whether a file is the module, or the package, of that name."""
    parts = PurePosixPath(path).with_suffix("").parts
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    wanted = tuple(name.split("."))
    return parts[-len(wanted) :] == wanted
