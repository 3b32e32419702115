"""What an interpreter is and where it finds code, told by itself."""

from __future__ import annotations

import compileall
import importlib.util
import json
import os
import sys
from importlib import metadata
from typing import Any, Dict, List
from urllib.parse import unquote, urlsplit

from .wire import Writer, clean

__all__ = ["facts", "tell"]


def tell(request: Dict[str, Any]) -> int:
    """Write the facts as the only record; leave bytecode of the probe if that is asked for."""
    Writer(request["results"]).write("facts", **facts())
    if request.get("compile"):
        compileall.compile_dir(os.path.dirname(os.path.abspath(__file__)), quiet=2)
    return 0


def facts() -> Dict[str, Any]:
    return {
        "executable": sys.executable,
        "version": ".".join(str(part) for part in sys.version_info[:3]),
        "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
        "path": [clean(entry) for entry in sys.path if entry],
        "pytest": installed("pytest"),
        "editable": editable(),
    }


def installed(name: str) -> str:
    """Return the version of an installed package, `?` when only its code is there, else ``."""
    if importlib.util.find_spec(name) is None:
        return ""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "?"


def editable() -> List[str]:
    """Return the folders that installations point at instead of holding copies."""
    found = set()
    for entry in sys.path:
        if not os.path.isdir(entry):
            continue
        for name in os.listdir(entry):
            path = os.path.join(entry, name)
            if name.endswith(".egg-link"):
                found.add(text(path).split("\n", 1)[0].strip())
            elif name.endswith(".dist-info"):
                found.add(source(os.path.join(path, "direct_url.json")))
    for finder in sys.meta_path:
        # setuptools' editable finder keeps a table of names and folders in its module.
        table = getattr(sys.modules.get(getattr(finder, "__module__", "")), "MAPPING", None)
        if isinstance(table, dict):
            found.update(os.path.dirname(str(target)) for target in table.values())
    return sorted(path for path in found if path and os.path.isdir(path))


def source(path: str) -> str:
    """Return the folder that an editable installation's record names, or nothing."""
    try:
        record = json.loads(text(path) or "{}")
    except ValueError:
        return ""
    if not isinstance(record, dict) or not record.get("dir_info", {}).get("editable"):
        return ""
    url = str(record.get("url", ""))
    if not url.startswith("file://"):
        return ""
    return unquote(urlsplit(url).path)


def text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(100_000)
    except OSError:
        return ""
