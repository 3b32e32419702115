"""What the settings of a runner say of which files are tests."""

from __future__ import annotations

import ast
import fnmatch
import glob
import importlib.util
import itertools
import os
import re
from typing import Dict, Iterable, Iterator, List, Tuple

from .stacks import Root
from .wire import LINE, clean

__all__ = ["named"]

USUAL = ("test_*.py", "*_test.py", "test*.py", "tests.py")  # known without being told
USUAL_FOLDERS = frozenset({"test", "tests", "__pycache__"})
BESIDE = ("__init__.py", "conftest.py")
WILD = re.compile(r"\[[^]]*\]|[*?]|\.py$")
MOST = 100  # names; what is longer than a line is left out
FILES = 2_000  # modules of one folder that are looked at
READ = 20  # tests of one folder that are read
LARGE = 200_000  # bytes of one of them


def named(patterns: Iterable[str], folders: Iterable[str], root: str, place: Root) -> List[str]:
    """Return patterns of files of tests, and folders of tests, which end in a `/`.

    A pattern that fits any module, as `*.py`, tells tests from code no more than no pattern does.
    The folders that settings name may be those of the code as well: one counts where it holds no
    fewer tests than other modules, and most of the tests that import code of the project import
    some from elsewhere.
    Folders are given relative to `root`, may be patterns, and are returned relative to the
    project's root.
    """
    telling = [each for each in patterns if WILD.sub("", os.path.basename(each))]
    found = [each for each in telling if each not in USUAL]
    homes: Dict[str, Tuple[List[str], int]] = {}
    for folder in folders:
        for path in glob.iglob(os.path.join(glob.escape(root), folder), recursive=True):
            below = place.relative(os.path.normpath(path)) + "/"
            if not os.path.isabs(below) and not USUAL_FOLDERS.intersection(below.split("/")):
                homes[below] = held(path, telling)
    # Of code that holds examples alone, tests elsewhere are apart.
    near = tuple(below for below, (tests, _) in homes.items() if tests)
    for below, (tests, others) in homes.items():
        if len(tests) >= others and apart(tests, near, place):
            found.append(below)
    return [clean(each) for each in found if len(each) <= LINE][:MOST]


def held(folder: str, patterns: List[str]) -> Tuple[List[str], int]:
    """Return the tests below a folder, and the number of its other modules."""
    bases = [os.path.basename(each) for each in patterns]
    found = list(itertools.islice(modules(folder), FILES))
    tests = [
        path
        for path in found
        if any(fnmatch.fnmatchcase(os.path.basename(path), each) for each in bases)
    ]
    return sorted(tests), len(found) - len(tests)


def apart(tests: List[str], near: Tuple[str, ...], place: Root) -> bool:
    """Tell whether most tests that import code of the project import some that is not near."""
    balance = 0
    for path in tests[:READ]:
        used = {home for name in imported(path) for home in home_of(name, place)}
        if used:
            balance += 1 if any(not home.startswith(near) for home in used) else -1
    return balance > 0


def modules(folder: str) -> Iterator[str]:
    """Yield the Python files below a folder that are not known to be tests anyway."""
    for inner, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in USUAL_FOLDERS]
        for name in names:
            if name.endswith(".py") and name not in BESIDE:
                yield os.path.join(inner, name)


def imported(path: str) -> Iterator[str]:
    """Yield the top-level names of the modules that a file imports."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(LARGE))
    except (OSError, SyntaxError, ValueError, MemoryError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def home_of(name: str, place: Root) -> Iterator[str]:
    """Yield where a top-level module of the project lies, with a `/`; nothing is loaded."""
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None:
            for path in (spec.origin, *(spec.submodule_search_locations or ())):
                known = place.scope.path(path) if path else None
                if known is not None:
                    yield place.relative(known) + "/"
    except Exception:  # noqa: BLE001  # finders are anybody's
        return
