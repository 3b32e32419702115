"""Checkouts beside the session's worktree, in which tests run where nothing else was run before."""

from __future__ import annotations

from pathlib import Path

from clew import runners
from clew.flows.debugging.driver.debug_run import DebugRun

__all__ = ["checkout", "clear"]

NAMES = ("again", "before", "proof", "reverted", "rivals", "spoiled", "trial")


def checkout(
    debug_run: DebugRun,
    commit: str,
    name: str,
    restore_from: str | None = None,
    restored: frozenset[str] = frozenset(),
) -> Path:
    """Check out a commit anew; what is `restored` is as in another commit."""
    place = debug_run.repository.pristine(
        debug_run.id, name, commit, restore_from=restore_from, restore=restored.__contains__
    )
    runners.forget(debug_run.scratch, place)  # nothing that an earlier run built counts
    return place


def clear(debug_run: DebugRun, names: tuple[str, ...] = NAMES) -> None:
    """Remove them, those that a killed process left too."""
    for name in names:
        place = debug_run.worktree.with_name(f"{debug_run.id}.{name}")
        debug_run.repository.remove(place)
        runners.forget(debug_run.scratch, place)
