"""What the launcher is told to give up, before it becomes the command."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

__all__ = ["ConfinementRequest", "Files", "KernelLimits", "command_line"]

FOLDER = str(Path(__file__).parent)
# Imported, it is compiled once; the folder stands last, so that nothing in it passes for another.
START = "import sys; sys.path.append(sys.argv.pop(1)); import launcher; launcher.main(sys.argv[1:])"


class KernelLimits(TypedDict):
    """Each None for no bound; bytes, bytes, number, seconds."""

    memory: int | None
    file: int | None
    processes: int | None
    cpu: int | None


class Files(TypedDict):
    """Real paths. What is below none of them cannot be opened; hidden ones lie in the system."""

    system: list[str]
    hidden: list[str]
    readable: list[str]
    writable: list[str]


class ConfinementRequest(TypedDict):
    """What to give up."""

    limits: KernelLimits
    files: Files | None  # None: files are not restricted
    tcp: bool  # whether TCP may be used (where the kernel can refuse it)
    scope: int  # Landlock's scopes: 1 abstract unix sockets, 2 signals
    calls: bytes | None  # a filter of the kernel's calls, see `calls`
    capabilities: bool  # whether to keep root's powers
    tmp: str | None  # a folder to create
    parent: int | None  # who started it: nothing runs once that one is gone
    group: str | None  # a cgroup to join
    yields: bool  # whether others go first: what no limit holds must not keep us from ending it
    stay: bool  # whether to stay as the ancestor of all that the command starts


def command_line(request: ConfinementRequest, command: Sequence[str]) -> list[str]:
    """Return the words that start the launcher: this interpreter reads what it has written."""
    words = marshal.dumps(dict(request)).hex()
    return [sys.executable, "-I", "-S", "-c", START, FOLDER, words, *command]
