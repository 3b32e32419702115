"""What waits for a person in a project; while anything does, no chain goes on.

Two places are looked at: Clew's own sessions, and debug documents in `.planning/debug`. Both are
read as the files that they are; one that cannot be read asks nothing, and is complained about.
"""

from __future__ import annotations

import os

from clew.handoff.records import complain, state_folder

__all__ = ["pending"]

WAITING = ("awaiting_human_verify",)
HEAD = 4096


def pending(project: str) -> tuple[str, ...]:
    """Return each question in words; empty if nothing waits."""
    return (*_sessions(project), *_documents(project))


def _sessions(project: str) -> list[str]:
    """Return Clew's sessions of this project, or of the repository around it, that wait."""
    projects = os.path.join(state_folder(), "projects")
    try:
        names = os.listdir(projects)
    except OSError:
        return []
    from hashlib import sha256

    at, found = project, []
    while True:
        key = "-" + sha256(os.fsencode(at)).hexdigest()[:12]
        for name in names:
            path = os.path.join(projects, name, "journal.db")
            if name.endswith(key) and os.path.exists(path):
                found += [f"session {s} waits for an answer" for s in _waiting(path)]
        above = os.path.dirname(at)
        if above == at or os.path.exists(os.path.join(at, ".git")):
            return found
        at = above


def _waiting(path: str) -> list[str]:
    import sqlite3
    from urllib.parse import quote

    try:
        db = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=1.0)
        try:
            rows = db.execute("SELECT session FROM sessions WHERE status = 'waiting'").fetchall()
        finally:
            db.close()
    except sqlite3.Error as error:
        complain(f"{path}: {error}")
        return []
    return sorted(str(row[0]) for row in rows)


def _documents(project: str) -> list[str]:
    folder = os.path.join(project, ".planning", "debug")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))
    except OSError:
        return []
    return [
        f".planning/debug/{name} waits for a person ({status})"
        for name in names
        if (status := _status(os.path.join(folder, name))) in WAITING
    ]


def _status(path: str) -> str:
    """Return the status in a document's front matter."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(HEAD).split("\n")
    except OSError as error:
        complain(f"{path}: {error}")
        return ""
    if lines[0].strip() != "---":
        return ""
    for line in lines[1:]:
        if line.strip() == "---":
            return ""
        name, _, value = line.partition(":")
        if name.strip() == "status":
            return value.partition(" #")[0].strip().strip("\"'")
    return ""
