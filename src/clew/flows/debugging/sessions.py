"""Debugging sessions of a project: read, and said how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clew.git.worktrees import path_text
from clew.words.errors import UsageError
from clew.words.papers import is_paper
from clew.words.records import DEBUGGING

if TYPE_CHECKING:
    from clew.flows.debugging.states import State
    from clew.git.worktrees import PrivateRepository
    from clew.sessions import ProjectSessions
    from clew.words import events as ev

__all__ = [
    "Whereabouts",
    "demand_work",
    "edited_since",
    "exit_code",
    "load_state",
    "whereabouts",
]

LOGS = (".err", ".log", ".out")  # ends of what output is written to


class Whereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the person's tree has what a session came to."""

    applied: bool = False  # `clew apply` put it there
    cut_off: bool = False  # it was killed while it wrote
    otherwise: tuple[str, ...] = ()  # files of their own proven work that they have changed since


def load_state(sessions: ProjectSessions, session: str) -> State:
    """Read a session's state. Raises JournalDamaged, and UsageError for another kind of session."""
    from clew.flows.debugging.states import replay  # noqa: PLC0415 - only then
    from clew.words.events import CODEC  # noqa: PLC0415 - only then

    kind = sessions.listed(session).kind
    if kind != DEBUGGING:
        named = f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
        raise UsageError(
            f"session {session} is {named}, and this command is for debugging sessions",
            hint=f"`clew status {session}` shows it, with the sessions it started.",
        )
    return replay(sessions.journal(CODEC).read(session))


def whereabouts(sessions: ProjectSessions, state: State) -> Whereabouts:
    """Compare the person's files with what a session came to, once it has ended."""
    from clew.words import events as ev  # noqa: PLC0415 - only then

    if not state.ended or not state.head:
        return Whereabouts()
    repository = sessions.repository
    session = state.session.session_id
    applied = repository.still_applied(session) == state.head
    own = state.status is ev.Status.GREEN and state.in_place
    changed = repository.differing(state.start.base, state.head) if own else ()
    cut_off = repository.is_cut_off(session)
    return Whereabouts(applied=applied and not cut_off, cut_off=cut_off, otherwise=changed)


def edited_since(
    repository: PrivateRepository, session: str, taken: ev.SnapshotTaken
) -> tuple[str, ...]:
    """Return the files of the person's tree that are not as a snapshot has them.

    Papers aside, and logs that have only grown: `clew fix > clew.log` writes one itself.
    """
    now = repository.glimpse(session)
    if now.tree == taken.tree:
        return ()
    own = repository.without_applied(session, now.commit)
    changed = [c.path for c in repository.changed(taken.ground, own) if not is_paper(c.path)]
    logs = {path for path in changed if path.endswith(LOGS)}
    then, here = (repository.texts(commit, logs) for commit in (taken.ground, own))
    grown = {path for path in here if here[path].startswith(then.get(path, b""))}
    return tuple(path_text(path) for path in changed if path not in grown)


def demand_work(state: State) -> None:
    """Raise UsageError where a session found nothing to do, and so has nothing to go on from."""
    from clew.words import events as ev  # noqa: PLC0415 - only then

    if state.ended and state.status is ev.Status.NOTHING_TO_DO and not state.marks:
        raise UsageError(
            f"session {state.session.session_id} had nothing to do: {state.ended.reason}",
            hint="`clew fix` checks again.",
        )


def exit_code(state: State) -> int:
    """Return the documented exit code for where a session stands."""
    from clew.words import events as ev  # noqa: PLC0415 - only then

    if state.status in (ev.Status.GREEN, ev.Status.NOTHING_TO_DO):
        return 0
    if state.question and state.question.kind is ev.QuestionKind.INFRASTRUCTURE:
        return 3
    if state.ended and state.baseline and state.baseline.misused and not state.round:
        return 2
    if state.status is ev.Status.RUNNING:
        return 130
    return 1
