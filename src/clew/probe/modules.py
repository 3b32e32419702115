"""Modules of the project that were loaded from anywhere but the project.

With a stale installation, or an editable one that points at another folder, tests run against code
that nobody is looking at: red stays red, and a broken fix looks green.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any, Dict, List, Tuple

from .tracer import Scope
from .wire import TEXT, clean

__all__ = ["foreign", "loaded"]

USUAL = ("", "src")


def foreign(request: Dict[str, Any]) -> List[Tuple[str, str]]:
    """Return name and file of each foreign module, sorted.

    A module is foreign when the project has a file for its name but another was loaded, or when it
    came from `home`, the person's own tree, while the code under test is elsewhere.
    """
    root = request["root"]
    scope = Scope([root], list(request.get("skip") or ()))
    home = (
        Scope([request["home"]], list(request.get("skip") or ())) if request.get("home") else None
    )
    roots = import_roots(root, scope)
    found = []
    library = sysconfig.get_paths()["stdlib"] + os.sep
    for name, path in sorted(files().items()):
        if standard(name, path, library) or scope.path(path) is not None:
            continue
        if (home and home.path(path) is not None) or any(has(base, name) for base in roots):
            found.append((clean(name, TEXT), clean(path, TEXT)))
    return found


def loaded(request: Dict[str, Any]) -> List[str]:
    """Return the files of the project's modules that were loaded, sorted, as absolute paths."""
    scope = Scope([request["root"]], list(request.get("skip") or ()))
    paths = {scope.path(path) for path in files().values()}
    return sorted(clean(path, TEXT) for path in paths if path is not None)


def files() -> Dict[str, str]:
    found = {}
    for name, module in list(sys.modules.items()):
        path = vars(module).get("__file__") if type(module) is type(sys) else None
        if type(name) is str and type(path) is str and name != "__main__":
            found[name] = os.path.abspath(path)
    return found


def import_roots(root: str, scope: Scope) -> List[str]:
    found = []
    usual = [os.path.join(root, name) if name else root for name in USUAL]
    for base in [os.getcwd(), *usual, *sys.path]:
        path = os.path.abspath(base)
        # What lies in a folder counts: of installed ones, only that is known as installed.
        within = os.path.join(path, "__init__.py")
        inside = path == os.path.abspath(root) or scope.path(within) is not None
        if inside and path not in found and os.path.isdir(path):
            found.append(path)
    return found


def has(base: str, name: str) -> bool:
    """Say whether a module of that name would be found below a folder of the import path."""
    stem = os.path.join(base, *name.split("."))
    return os.path.isfile(stem + ".py") or os.path.isfile(os.path.join(stem, "__init__.py"))


def standard(name: str, path: str, library: str) -> bool:
    """Say whether the module belongs to Python or to what runs the tests."""
    top = name.partition(".")[0]
    if top in getattr(sys, "stdlib_module_names", ()) or top in ("clew_probe", "__mp_main__"):
        return True
    return path.startswith(library) and "site-packages" not in path
