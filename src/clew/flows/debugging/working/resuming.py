"""Sessions that are gone on with, as they were or with other settings of the tests."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from msgspec.structs import replace

from clew.flows.debugging.driver import DebugRun, settle
from clew.flows.debugging.states import TRANSITIONS, State
from clew.flows.debugging.working.answers import budget_of
from clew.flows.debugging.working.held import NOTHING, at_work, edited, go_on, halt
from clew.flows.debugging.working.set_up import check_tests
from clew.sessions import ProjectSessions, Watcher
from clew.words import events as ev
from clew.words.errors import UsageError
from clew.words.facts import Verdict
from clew.words.settings import FOR_ONE_RUN, load

__all__ = ["resume"]


def resume(
    sessions: ProjectSessions,
    session: str,
    watcher: Watcher,
    flags: Mapping[str, object] = NOTHING,
    *,
    bounds: Mapping[str, object] = NOTHING,
) -> State:
    """Go on with a session; for one that waits this is the answer that it may go on.

    While no run of the tests counts, their settings are read again, with `flags` before all else.
    `bounds` hold for the round that begins next.
    Raises UsageError if it waits for another answer, or for flags that come too late, and nothing
    was done, or for an agent that is gone, and what needs none was done.
    """
    with at_work(sessions, session, watcher) as debug_run:
        question = debug_run.state.question
        if question and "investigate" not in (o.word for o in question.options):
            raise UsageError(
                f"session {session} waits for an answer: {question.text.splitlines()[0]}",
                hint=" or ".join(o.command for o in question.options),
            )
        budget = budget_of(debug_run.state, bounds)
        _read_set_up(debug_run, {name: value for name, value in flags.items() if value is not None})
        if question:
            said = ev.QuestionAnswered(id=question.id, option="investigate", budget=budget)
            debug_run.record(said)
        else:
            _catch_up(debug_run)
        return go_on(debug_run)


def _read_set_up(debug_run: DebugRun, flags: Mapping[str, object]) -> None:
    """Read the settings of the tests again where they did not run yet, or could not."""
    if _is_unjudged(debug_run.state):
        debug_run.open_worktree()
        settle(debug_run)
    state = debug_run.state
    if not (_is_unjudged(state) and ev.SetUpRead in TRANSITIONS[state.stage]):
        if flags:
            raise _too_late(state)
        return
    project, known = debug_run.project, state.settings.of_tests
    told = {n: s for n, s in known.sources.items() if s in FOR_ONE_RUN and n not in flags}
    typed = {name: getattr(known, name) for name in told}
    read = load((project.root, project.path), os.environ, {**typed, **flags}).of_tests
    read = replace(read, sources=read.sources | told)
    check_tests(read)
    if replace(read, sources=known.sources) != known:
        debug_run.record(ev.SetUpRead(settings=read))


def _is_unjudged(state: State) -> bool:
    """Whether no run of the tests counts yet in a session that is not over."""
    run = state.baseline
    return not state.ended and (run is None or run.verdict is Verdict.DID_NOT_RUN)


def _too_late(state: State) -> UsageError:
    """Say why a session takes no other settings of its tests, and what may be done instead."""
    session, run = state.session.session_id, state.baseline
    anew = "`clew fix` with these options starts a new session."
    if state.ended:
        return UsageError(f"session {session} has ended: {state.status}", hint=anew)
    if run is not None and run.verdict is not Verdict.DID_NOT_RUN:
        argv = shlex.join(run.command.argv)
        why = f"has run its tests with `{argv}` and keeps that command"
        return UsageError(f"session {session} {why}", hint=anew)
    return UsageError(
        f"session {session} takes no other test command now: it is {state.stage}",
        hint=f"`clew resume {session}` continues without these options.",
    )


def _catch_up(debug_run: DebugRun) -> None:
    """Take a session that was cut off to what the person's tree is now, if they changed it.

    What was under way is brought to a stand first: it was begun on code that is no more. Where that
    ends in the question whether they go on from their own edits, they have answered it.
    """
    if not edited(debug_run):
        return
    halt(debug_run, "your files changed while the session was interrupted")
    paths, question = edited(debug_run), debug_run.state.question
    if paths and ev.SnapshotOutdated in TRANSITIONS[debug_run.state.stage]:
        debug_run.record(ev.SnapshotOutdated(files=paths))
    elif paths and question and "investigate" in (o.word for o in question.options):
        debug_run.record(ev.QuestionAnswered(id=question.id, option="investigate"))
