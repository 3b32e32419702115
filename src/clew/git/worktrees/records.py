"""What the worktrees hand out: frozen records, and the one refusal a person meets.

Paths are POSIX strings relative to the project's root. A name that is not UTF-8 holds lone
surrogates, as everywhere in Python (`os.fsencode` gives its bytes back).
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from clew.words.errors import ClewError

__all__ = [
    "Applied",
    "ApplyConflict",
    "Carried",
    "ChangeKind",
    "Commit",
    "Home",
    "LeftOut",
    "LeftOutReason",
    "NotApplied",
    "Snapshot",
    "TreeChange",
    "path_text",
]


def path_text(path: str) -> str:
    """Spell a path for records and people: what is not UTF-8 in hexadecimal."""
    try:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # no file system gave it
        return path.encode("utf-8", "backslashreplace").decode("utf-8")


class Home(Protocol):
    """The person's project, as far as it matters here."""

    @property
    def root(self) -> Path:
        """Top of their work tree, or the folder itself."""

    @property
    def git(self) -> bool:
        """Whether `root` is the top of a git work tree."""


class LeftOutReason(StrEnum):
    """Reasons to leave something of a person's tree out."""

    SUBMODULE = "submodule"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    SPECIAL = "socket, pipe or device"
    ENVIRONMENT = "environment"
    REPORTS = "the folder of the reports has this name"
    IGNORED = "git ignores it"


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a snapshot or a commit does not hold."""

    path: str
    reason: LeftOutReason
    bytes: int = 0


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A person's tree at one moment."""

    commit: str
    tree: str
    head: str | None = None  # their HEAD; None in a folder, or before the first commit
    branch_ref: str | None = None  # their branch, as refs/heads/main; None when detached
    dirty: bool = False  # the tree is not the one of their HEAD
    skipped: tuple[LeftOut, ...] = ()


class ChangeKind(StrEnum):
    """What happened to a file between two commits."""

    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"


class TreeChange(msgspec.Struct, frozen=True, kw_only=True):
    """One file that differs between two commits."""

    path: str
    kind: ChangeKind


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """A step on a session's branch."""

    id: str
    tree: str
    parent: str
    changes: tuple[TreeChange, ...]
    skipped: tuple[LeftOut, ...] = ()


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What `apply` did to a person's tree."""

    files: tuple[str, ...]  # written or deleted now; empty when the fix was there already
    branch: str | None  # the exported branch, as clew/<session>; None in a folder without git
    private: bool = False  # the branch begins with work of theirs that they had not committed
    commit: str | None = None  # their new commit, if one was made; or that of what is taken back
    committed: bool = False  # a commit of theirs holds it, made now or by an earlier `apply`
    merged: tuple[str, ...] = ()  # of `files`, those that were merged with newer work of theirs
    already: bool = False  # every file had the fix before
    kept: dict[str, str] = {}  # what was there before: where it is kept, and the file
    lacking: tuple[str, ...] = ()  # what the proof had otherwise than the new commit has it
    own: tuple[str, ...] = ()  # in the commit, with work of theirs that was in none
    undone: dict[str, str] = {}  # put back after an apply that was killed: the file, its session


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """A change made anew on another base."""

    commit: str | None  # on top of the new base; None where nothing differs from it
    left: tuple[str, ...] = ()  # paths where the new base excludes the change


class NotApplied(ClewError):
    """The files of a fix could not be put in place; every one is as it was, or was saved since."""

    page = "not-applied"


class ApplyConflict(ClewError):
    """The fix and a person's newer work touch the same lines; nothing was written."""

    page = "apply-conflict"

    def __init__(self, message: str, *, paths: tuple[str, ...], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.paths = paths
