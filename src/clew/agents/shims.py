"""The program that a version manager's shim stands for: in the sandbox there is no manager."""

from __future__ import annotations

import os
import re
from pathlib import Path

from clew.sandbox import processes
from clew.sandbox.confinement import clean_environment
from clew.words.errors import AgentFailed, CommandNotFound

__all__ = ["behind"]

MANAGER = re.compile(
    r"""exec\s+["']?((?:[^\s"']*/)?(?:asdf|goenv|jenv|nodenv|phpenv|pyenv|rbenv))["']?\s+exec\b"""
)
LINKED = {"mise": "mise", "volta-shim": "volta"}  # what a shim is a link to, and whom to ask
CHOOSING = ("ASDF_", "GOENV_", "JENV_", "MISE_", "NODENV_", "PHPENV_", "PYENV_", "RBENV_", "VOLTA_")
HEAD, TIMEOUT = 4_000, 60.0


def behind(program: str, folder: Path) -> str:
    """Return the program that a shim starts in a folder; what is no shim is the program itself.

    Raises AgentFailed where its manager has none for that folder.
    """
    path = Path(program)
    manager = _manager(path)
    if manager is None:
        return program
    keep = {name: os.environ[name] for name in os.environ if name.startswith(CHOOSING)}
    words = [manager, "which", path.name]
    try:
        done = processes.run(
            words, cwd=folder, env=clean_environment(keep), timeout=TIMEOUT, cap=10_000
        )
    except CommandNotFound as error:
        told, why = "", error.message
    else:
        told, why = done.stdout.strip().rpartition("\n")[2], done.stderr.strip()
    if told.startswith("/") and os.access(told, os.X_OK):
        return told
    raise AgentFailed(
        f"{program} is a shim of a version manager, and `{' '.join(words)}` names no program:"
        f" {(why or told or 'no words')[-500:]}",
        kind="not_installed",
        hint="The sandbox has no version manager: install that version, or name the program itself,"
        " as in `command:/path/to/python3 agent.py`.",
    )


def _manager(path: Path) -> str | None:
    """Return the program to ask, if a path is a shim."""
    real = path.resolve()
    if real.name in LINKED and path.name != real.name:
        return str(real.with_name(LINKED[real.name]))
    if path.parent.name != "shims":
        return None
    try:
        with path.open("rb") as file:
            found = MANAGER.search(file.read(HEAD).decode("utf-8", "replace"))
    except OSError:
        return None
    return found.group(1) if found else None
