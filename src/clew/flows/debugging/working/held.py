"""A session in hand: who works on it holds it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from clew import agents
from clew.flows.debugging.decisions import decide
from clew.flows.debugging.driver import DebugRun, drive, keep_manual_edits, settle
from clew.flows.debugging.sessions import edited_since, load_state
from clew.flows.debugging.states import TRANSITIONS, Stage, State
from clew.git.project import Project
from clew.journal import crashpoints
from clew.sessions import ProjectSessions, Watcher
from clew.words import events as ev
from clew.words.errors import UsageError
from clew.words.models import AgentRole

__all__ = [
    "BEFORE_A_ROUND",
    "BETWEEN",
    "NOTHING",
    "at_work",
    "check_ladder",
    "debug_run_of",
    "edited",
    "go_on",
    "halt",
]

NOTHING: Mapping[str, object] = {}
BEFORE_A_ROUND = (
    Stage.OPENED,
    Stage.SNAPPED,
    Stage.BASELINED,
    Stage.TAKEN_UP,
    Stage.RECHECKED,
)
BETWEEN = (Stage.STANDING, Stage.ROUND, Stage.WAITING, Stage.ENDED)


@contextlib.contextmanager
def at_work(sessions: ProjectSessions, session: str, watcher: Watcher) -> Iterator[DebugRun]:
    """Hold a session; where it waits or has ended, keep what a person did in its worktree."""
    crashpoints.check()
    with sessions.store.hold(session):
        state = load_state(sessions, session)
        debug_run = debug_run_of(sessions, watcher)
        debug_run.state = state
        debug_run.project = _project_of(sessions, state)
        if state.stage in (Stage.WAITING, Stage.ENDED):
            keep_manual_edits(debug_run)
        yield debug_run


def debug_run_of(sessions: ProjectSessions, watcher: Watcher) -> DebugRun:
    """Return the tools of a session, with no state yet."""
    return DebugRun(
        project=sessions.project,
        store=sessions.store,
        journal=sessions.journal(ev.CODEC),
        repository=sessions.repository,
        watcher=watcher,
        clock=lambda: datetime.now(UTC),
    )


def _project_of(sessions: ProjectSessions, state: State) -> Project:
    """Return the project with the folder that the session was opened for."""
    below = Path(state.session.path).relative_to(state.session.root)
    path = sessions.project.root / below
    if not path.is_dir():
        raise UsageError(
            f"{path} is gone, where session {state.session.session_id} runs its tests",
            hint="Put it back, or start a new session with `clew fix`.",
        )
    return replace(sessions.project, path=path)


def go_on(debug_run: DebugRun) -> State:
    """Work on; the first call of an agent is made only if there is one to be called.

    Raises UsageError, and that call is still to be made. Whatever needs no agent is done before.
    """
    drive(debug_run, until=lambda _: _next_call(debug_run) is not None)
    call = _next_call(debug_run)
    if call is None:
        return debug_run.state
    if call.role in (AgentRole.REVIEW, AgentRole.CHALLENGE):
        _check_agent(debug_run, call.agent)
    else:
        check_ladder(debug_run)
    return drive(debug_run)


def _next_call(debug_run: DebugRun) -> ev.CallAgent | None:
    """Return the call of an agent that comes next, if that is what comes next."""
    actions = decide(debug_run.state, debug_run.clock())
    calls = (each for each in actions if isinstance(each, ev.CallAgent))
    return next((call for call in calls if call.role is not AgentRole.DOCUMENT), None)


def check_ladder(debug_run: DebugRun) -> None:
    """Raise UsageError if no agent of the ladder is there; one of several is skipped."""
    refused: UsageError | None = None
    for name in debug_run.state.settings.agent:
        try:
            _check_agent(debug_run, name)
        except UsageError as error:
            refused = refused or error
        else:
            return
    if refused is not None:
        raise refused


def _check_agent(debug_run: DebugRun, name: str) -> None:
    try:
        agents.ready(name, debug_run.settings, debug_run.project)
    except UsageError as error:
        hint = f"{error.hint.rstrip('.')}. Then `clew resume`.".lstrip(". ")
        raise UsageError(error.message, hint=hint) from error


def halt(debug_run: DebugRun, reason: str) -> None:
    """Bring work under way to a stand; what an iteration had begun is rolled back, and on record.

    A change of tests that waits for a person's word has none, and is rejected.
    """
    debug_run.open_worktree()
    debug_run.halting = True
    settle(debug_run)
    asked = debug_run.state.question
    of_a_fix = not debug_run.state.by_hand
    if asked is not None and asked.kind is ev.QuestionKind.TEST_EDIT and of_a_fix:
        debug_run.record(ev.QuestionAnswered(id=asked.id, option="reject"))
    if ev.Halted in TRANSITIONS[debug_run.state.stage]:
        debug_run.record(ev.Halted(kind=ev.HaltKind.PERSON, reason=reason))
    drive(debug_run, until=lambda state: state.stage in (*BEFORE_A_ROUND, *BETWEEN, Stage.CLOSING))
    if debug_run.state.stage is Stage.CLOSING:
        debug_run.record(ev.Interrupted(reason=reason))  # so that no agent is asked for words
        drive(debug_run)


def edited(debug_run: DebugRun) -> tuple[str, ...]:
    """Return the files of the person's tree that are not as the newest snapshot has them."""
    taken, repository = debug_run.state.snapshot, debug_run.repository
    if (
        taken is None
        or debug_run.state.session.base
        or debug_run.state.ended
        or debug_run.state.stage is Stage.OPENED
    ):
        return ()
    return edited_since(repository, debug_run.id, taken)
