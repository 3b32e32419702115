"""Code state: snapshots of a person's tree, worktrees for fixes, and the way back."""

from clew.git.worktrees.applying import APPLIED, Wording
from clew.git.worktrees.beside import Beside, beside
from clew.git.worktrees.records import (
    Applied,
    ApplyConflict,
    Carried,
    Change,
    Commit,
    Home,
    Kind,
    NotApplied,
    Skipped,
    Snapshot,
    Why,
    spelled,
)
from clew.git.worktrees.repository import PrivateRepository

__all__ = [
    "APPLIED",
    "Applied",
    "ApplyConflict",
    "Beside",
    "Carried",
    "Change",
    "Commit",
    "Home",
    "Kind",
    "NotApplied",
    "PrivateRepository",
    "Skipped",
    "Snapshot",
    "Why",
    "Wording",
    "beside",
    "spelled",
]
