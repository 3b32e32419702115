"""The checkpoints of a debugging session: places that it may go back to."""

from __future__ import annotations

from pathlib import Path

import msgspec

from clew.documents.checkpoint import Checkpoint, from_json
from clew.flows.debugging.sessions import load_state
from clew.flows.debugging.states import RestorePoint, State
from clew.flows.debugging.working import mark_of
from clew.sessions import ProjectSessions
from clew.words.facts import Verdict

__all__ = ["SavedCheckpoint", "checkpoint", "checkpoints"]


class SavedCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint: the commit, and how its tests did."""

    session: str
    name: str
    commit: str
    red: tuple[str, ...]  # ids of tests
    passed: int
    is_here: bool  # whether the session stands at it now
    may_go_back: bool  # whether tests fail there, so that there is something to try
    path: Path  # of its document
    document: Checkpoint | None = None  # None in a list, and where the file is gone


def checkpoints(sessions: ProjectSessions, name: str | None = None) -> tuple[SavedCheckpoint, ...]:
    """Return the checkpoints of a session, the oldest first; none before its tests have run.

    Raises UsageError, for a session of another kind as well, and JournalDamaged.
    """
    state = load_state(sessions, sessions.find(name))
    newest = {mark.name: mark for mark in state.marks}
    return tuple(_saved(state, mark) for mark in newest.values())


def checkpoint(sessions: ProjectSessions, name: str | None, which: str) -> SavedCheckpoint:
    """Return one checkpoint with its document, by its name or the number of its iteration.

    Raises UsageError naming those that there are, DocumentUnreadable, and JournalDamaged.
    """
    state = load_state(sessions, sessions.find(name))
    saved = _saved(state, mark_of(state, which))
    if not saved.path.exists():
        return saved
    return msgspec.structs.replace(saved, document=from_json(saved.path.read_text("utf-8")))


def _saved(state: State, mark: RestorePoint) -> SavedCheckpoint:
    paths = {each.name: Path(each.path) for each in state.checkpoints}
    return SavedCheckpoint(
        session=state.session.session_id,
        name=mark.name,
        commit=mark.commit,
        red=tuple(test.id for test in mark.kept.red),
        passed=mark.kept.passed,
        is_here=mark.commit == state.head,
        may_go_back=mark.kept.verdict is Verdict.FAILED,
        path=paths[mark.name],
    )
