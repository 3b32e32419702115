"""A person's work in words: what they changed, and what becomes of kept progress beside it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from clew.api import State, path_text
from clew.words import events as ev

__all__ = ["by_hand", "edits_kept", "is_alone", "is_together", "put_back", "set_aside", "tried"]


def by_hand(event: ev.SnapshotTaken, state: State) -> str:
    """Show what a person changed, and what of kept progress that excludes."""
    lines = [f"\nleft behind, because your edits exclude it: {p}" for p in event.left_behind]
    if event.left_in:
        git, at, files = _private(event), event.left_in[:12], shlex.join(event.left_behind)
        lines += [
            f"\n  see your edits in the worktree: {git} diff {at}^ {at} -- {files}",
            f"\n  overwrite your own files with them: {git} archive {at} {files} | tar -x",
        ]
    if event.by_hand:
        made = set(map(path_text, state.by_answer(event)))
        answered = [path for path in event.by_hand if path in made]
        own = [path for path in event.by_hand if path not in answered]
        by = (("your answer", answered), ("hand", own))
        said = "; ".join(f"changed by {whom}: {', '.join(files)}" for whom, files in by if files)
        lines += [f"\n{said}\n{event.by_hand_diff}"]
    return "".join(lines).rstrip()


def edits_kept(event: ev.EditsKept, state: State) -> str:
    """Say which edits of the worktree are set aside, how one sees them, and takes them back."""
    said = f"your edits of {', '.join(event.files)} in the worktree are set aside"
    if state.snapshot is None:
        return f"{said}: commit {event.commit}"
    git, files = _private(state.snapshot), shlex.join(event.files)
    shown = f"{git} diff --binary {event.commit[:12]}^ {event.commit[:12]} -- {files}"
    back = f"apply them to your own tree, at its top: {shown} | git apply"
    return f"{said}\n  see them: {shown}\n  {back}"


def _private(taken: ev.SnapshotTaken) -> str:
    """Return the words that begin a command of git on the private repository."""
    place = Path(taken.worktree).parent.parent / "repository.git"
    return f"git -C {shlex.quote(str(place))}"


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


def put_back(state: State) -> Iterator[str]:
    """Say which tests of a person `apply` puts back as they were, since they rejected their edits.

    What is there is moved aside by then, as whatever is replaced.
    """
    if state.put_back:
        files = ", ".join(state.put_back)
        yield f"         it also puts {files} back as before your edits, which you rejected;"
        yield "         what you have there is kept, in .clew/replaced"


def set_aside(state: State) -> str:
    """Name the kept progress that is no part of the code any more, and where it still is."""
    found = [
        f"iteration {entry.iteration} (commit {entry.commit[:10]}, report {entry.report})"
        for entry in state.set_aside
        if entry.commit
    ]
    session = state.session.session_id
    back = [
        f"\n  see it: clew checkpoints {session} {name}; take it: clew rollback {session} {name}"
        for name in (f"iteration-{e.iteration}" for e in state.set_aside if e.commit)
        if state.mark(name)
    ]
    return f"\nset aside: {'; '.join(found)}{''.join(back)}" if found else ""
