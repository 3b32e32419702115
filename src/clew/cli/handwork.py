"""A person's work in words: what they changed, and what becomes of kept progress beside it."""

from __future__ import annotations

from clew.flows.debugging.states import State
from clew.words import events as ev

__all__ = ["by_hand", "is_alone", "is_together", "set_aside", "tried"]


def by_hand(event: ev.SnapshotTaken) -> str:
    """Show what a person changed, and what of kept progress that excludes."""
    lines = [f"\nleft behind, since your edits exclude it: {p}" for p in event.left_behind]
    if event.by_hand:
        lines += [f"\nchanged by hand: {', '.join(event.by_hand)}\n{event.by_hand_diff}"]
    return "".join(lines).rstrip()


def is_alone(commit: str, state: State) -> bool:
    """Whether a commit holds a person's work alone, which kept progress would go together with."""
    taken = state.snapshot
    return taken is not None and taken.together != "" and commit in (taken.tip, taken.restored)


def is_together(commit: str, state: State) -> bool:
    """Whether a commit holds a person's work with kept progress."""
    taken = state.snapshot
    known = (taken.together, taken.together_restored) if taken else ()
    return commit in filter(None, known)


def tried(event: ev.TestsRan, state: State) -> str:
    """Say what was run, where a person's work is tried alone, and then with kept progress."""
    if event.purpose is not ev.Purpose.CARRIED:
        return ""
    if is_together(event.commit, state):
        return ", with the kept progress"
    return ", your tree alone" if is_alone(event.commit, state) else ""


def set_aside(state: State) -> str:
    """Name the kept progress that is no part of the code any more, and where it still is."""
    found = [
        f"iteration {entry.iteration} (commit {entry.commit[:10]}, report {entry.report})"
        for entry in state.set_aside
        if entry.commit
    ]
    return f"\nset aside: {'; '.join(found)}" if found else ""
