"""The project's knowledge base on the disk: read by whoever looks, added to by who has a proof."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from clew.documents import knowledge
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.sandbox.files import locked, write_atomically
from clew.words.errors import UsageError
from clew.words.papers import DEBUG_FOLDERS, KNOWLEDGE_BASE, knowledge_base_of

__all__ = ["entries", "learn"]

LARGEST_READ = 4 << 20  # bytes that are searched
LARGEST = 16 << 20  # bytes that are added to


def entries(root: Path) -> tuple[knowledge.ParsedEntry, ...]:
    """Return what the knowledge base of a project holds; nothing where it cannot be read.

    One that lies where another tool keeps debug sessions is read as well.
    """
    paths = [root / knowledge_base_of(folder) for folder in DEBUG_FOLDERS]
    return tuple(entry for path in paths for entry in _read(path))


def _read(path: Path) -> tuple[knowledge.ParsedEntry, ...]:
    try:
        within = not path.parent.is_symlink() and stat.S_ISREG(path.lstat().st_mode)
        text = path.read_bytes()[-LARGEST_READ:] if within else b""
    except OSError:
        return ()
    return knowledge.parse(text.decode("utf-8", "replace"))


def learn(
    root: Path,
    session: str,
    commit: str,
    made: Callable[[frozenset[str]], knowledge.KnowledgeEntry],
    base: str = KNOWLEDGE_BASE,
) -> tuple[Path, str]:
    """Add the entry that a session's commit is to have; return the file, and the entry's slug.

    `made` returns it, given the slugs that are taken. An entry that is there is not written again:
    not after a crash, and not by hand-made edits. Raises UsageError where nothing can be added.
    """
    path = root / base
    with locked(own_folder(root) / "knowledge.lock"), writable(path.parent):
        refuse_links(root, path)
        before = _standing(path)
        slug = knowledge.found(before, session, commit)
        if slug is None:
            taken = (known.slug for known in knowledge.parse(before.decode("utf-8", "replace")))
            entry = made(frozenset(taken))
            write_atomically(path, knowledge.append(before, entry))
            slug = entry.slug
    return path, slug


def _standing(path: Path) -> bytes:
    """Return the knowledge base as it is; empty where there is none. Raises UsageError."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise UsageError(
                f"{path} is not a file of at most {LARGEST >> 20} MB, so nothing can be added"
                " to it",
                hint="Move it away; `clew resume` continues a waiting session.",
            )
        return path.read_bytes()
    except FileNotFoundError:
        return b""
