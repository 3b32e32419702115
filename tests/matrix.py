"""Environments of other Pythons and other pytests, as a project of its own has them."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import distributions
from pathlib import Path

import pytest

__all__ = ["PAIRS", "PYTHONS", "environment", "packages"]

MATRIX = Path(__file__).resolve().parent.parent / ".matrix"
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
PAIRS = tuple(
    (python, major)
    for python in PYTHONS
    for major in ("7", "8", "9")
    if (python, major) != ("3.9", "9")  # it needs Python 3.10
)
PLUGINS = frozenset({"asyncio", "cov", "randomly", "subtests", "xdist"})


def environment(
    project: Path, python: str, *, major: str = "8", plugins: tuple[str, ...] = ()
) -> Path:
    """Give a project its own `.venv` of that Python and pytest; return the folder.

    `major` is pytest's version, or empty for none at all. With `plugins` named (without `pytest-`)
    it is version 8. Skips the test when this machine lacks that Python.
    """
    made = MATRIX / f"{python}-{'plugins' if plugins else 'pytest' + (major or '8')}"
    if not (made / "made-from").exists():
        pytest.skip(f"no {made.name}: run scripts/matrix.py where there is a Python {python}")
    left_out = unwanted(made, plugins) if major else {str(packages(made))}

    def ignored(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if str(Path(folder, name)) in left_out}

    folder = project / ".venv"
    shutil.copytree(made, folder, symlinks=True, copy_function=os.link, ignore=ignored)
    packages(folder).mkdir(exist_ok=True)
    return folder


def unwanted(made: Path, plugins: tuple[str, ...]) -> set[str]:
    """Return the folders of the plug-ins that are not asked for."""
    return {
        str(packages(made) / file.parts[0])
        for each in distributions(path=[str(packages(made))])
        if each.name.removeprefix("pytest-") in PLUGINS.difference(plugins)
        for file in each.files or ()
        if file.parts[0] not in ("..", "__pycache__")
    }


def packages(folder: Path) -> Path:
    (found,) = folder.glob("lib/python*")
    return found / "site-packages"
