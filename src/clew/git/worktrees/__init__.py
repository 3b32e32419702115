"""Code state: snapshots of a person's tree, worktrees for fixes, and the way back."""

from clew.git.worktrees.applying import APPLIED, Wording
from clew.git.worktrees.export import CommitStep
from clew.git.worktrees.outside_snapshot import OutsideSnapshot, outside_snapshot
from clew.git.worktrees.records import (
    Applied,
    ApplyConflict,
    Carried,
    ChangeKind,
    Commit,
    Home,
    LeftOut,
    LeftOutReason,
    NotApplied,
    Snapshot,
    TreeChange,
    path_text,
)
from clew.git.worktrees.repository import PrivateRepository

__all__ = [
    "APPLIED",
    "Applied",
    "ApplyConflict",
    "Carried",
    "ChangeKind",
    "Commit",
    "CommitStep",
    "Home",
    "LeftOut",
    "LeftOutReason",
    "NotApplied",
    "OutsideSnapshot",
    "PrivateRepository",
    "Snapshot",
    "TreeChange",
    "Wording",
    "outside_snapshot",
    "path_text",
]
