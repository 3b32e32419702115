"""A project that was moved or renamed keeps its sessions.

State is named after the place of the project. `.clew` notes that place; once there is nothing at it
any more, the state takes the name of the place where the note is found. A copy, beside which the
original still stands, begins with a state of its own.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from clew.git.project import Project, state_key
from clew.journal.store import Store, state_folder
from clew.sandbox.files import write_atomically

__all__ = ["remember", "store_of"]


def remember(root: Path) -> None:
    """Note in the project's `.clew`, which is there, where the project is now."""
    note, place = _note(root), os.fsencode(root) + b"\n"
    if not note.is_file() or note.read_bytes() != place:
        write_atomically(note, place)


def store_of(project: Project) -> Store:
    """Return the project's store, taken along from where the project was before.

    Raises UsageError where nothing can be told of its folder.
    """
    store = _store(project.root)
    with store.usable():  # the way to it may be closed
        before = None if store.folder.exists() else _before(project.root)
    if before is not None:
        with contextlib.suppress(OSError):  # another process was faster, or there is none
            if not _store(before).busy:
                _store(before).folder.rename(store.folder)
                remember(project.root)
    return store


def _store(root: Path) -> Store:
    return Store(state_folder() / "projects" / state_key(root))


def _note(root: Path) -> Path:
    return root / ".clew" / "root"


def _before(root: Path) -> Path | None:
    note = _note(root)
    try:
        place = Path(os.fsdecode(note.read_bytes().removesuffix(b"\n")))
    except OSError:
        return None
    gone = place.is_absolute() and "\0" not in str(place) and not os.path.lexists(place)
    return place if gone else None
