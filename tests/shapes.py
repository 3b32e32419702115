"""Projects of other shapes: environments of their own, agents that are programs, hostile code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import commit_all, write

__all__ = ["CONFIG", "environment", "installed_by_finder", "installed_by_path", "person", "program"]

CONFIG = '[project]\nname = "shapes"\nversion = "1"\n\n[tool.pytest.ini_options]\n'

FINDER = """\
import importlib.util
import sys

MAPPING = {mapping!r}


class Finder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            folder = MAPPING[fullname]
            return importlib.util.spec_from_file_location(
                fullname, folder + "/__init__.py", submodule_search_locations=[folder]
            )


def install():
    sys.meta_path.append(Finder)
"""


def person(folder: Path, files: dict[str, str], name: str = "shapes") -> CommandLine:
    """Return a person in a git repository that holds these files."""
    return CommandLine(commit_all(write(folder / name, files)), folder / "state")


def environment(project: Path) -> Path:
    """Make the project's own `.venv`, with this interpreter's pytest; return its packages."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(project / ".venv")], check=True
    )
    (packages,) = (project / ".venv" / "lib").glob("python*/site-packages")
    (packages / "pytest.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    return packages


def installed_by_path(packages: Path, source: Path) -> None:
    """Install a src folder as a line of a .pth file."""
    (packages / "_shapes.pth").write_text(f"{source}\n")


def installed_by_finder(packages: Path, source: Path) -> None:
    """Install a src folder by an import hook, as setuptools does."""
    mapping = {path.name: str(path) for path in source.iterdir() if path.is_dir()}
    (packages / "__editable___shapes_finder.py").write_text(FINDER.format(mapping=mapping))
    line = "import __editable___shapes_finder; __editable___shapes_finder.install()\n"
    (packages / "__editable__.shapes-1.pth").write_text(line)


def program(path: Path, text: str) -> str:
    """Write a Python program and return the agent that it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return f"command:{sys.executable} {path}"


def events(said: Said, kind: str) -> list[dict[str, Any]]:
    """Return the events of one type."""
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


def answer(**fields: object) -> str:
    """Return a line of Python that prints these fields as JSON."""
    return f"print({json.dumps(fields)!r})\n"
