"""Projects of other shapes, and agents that are programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from commandline import CommandLine, Said
from projects import commit_all, write

__all__ = ["CONFIG", "answer", "events", "person", "program"]

CONFIG = '[project]\nname = "shapes"\nversion = "1"\n\n[tool.pytest.ini_options]\n'


def person(folder: Path, files: dict[str, str], name: str = "shapes") -> CommandLine:
    """Return a person in a git repository that holds these files."""
    return CommandLine(commit_all(write(folder / name, files)), folder / "state")


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
