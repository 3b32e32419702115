"""A question is answered, and the session goes on."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from clew.flows.debugging.driver import DebugRun, manual_edits_ref, settled, with_later_progress
from clew.flows.debugging.states import State, acceptable, taken_back_at
from clew.flows.debugging.working.answers import GUIDANCE, answered, budget_of, handed_on
from clew.flows.debugging.working.going_back import end, go_back, tell_of_edits
from clew.flows.debugging.working.held import NOTHING, at_work, edited, go_on
from clew.sessions import ProjectSessions, Watcher
from clew.words import events as ev

__all__ = ["answer"]


def answer(
    sessions: ProjectSessions,
    session: str,
    option: str,
    text: str,
    watcher: Watcher,
    *,
    bounds: Mapping[str, object] = NOTHING,
    ladder: object = None,
) -> State:
    """Answer the pending question and go on; free words are guidance.

    `ladder` names other agents for the rounds that begin, as a setting does. Raises UsageError if
    that is no answer, and nothing was done, or for an agent that is gone.
    """
    with at_work(sessions, session, watcher) as debug_run:
        event = (
            answered(debug_run.state, option, text)
            if ladder is None
            else handed_on(debug_run, ladder, text)
        )
        match event.option:
            case "rollback":
                return go_back(debug_run, event.text or taken_back_at(debug_run.state), "")
            case "terminate":
                return end(debug_run, event.text)
        if event.option.startswith(ev.ACCEPT):
            event = replace(event, commit=_accepted_commit(debug_run, event.option))
            tell_of_edits(debug_run)
        if event.option in (ev.OTHER, ev.VALUE):
            event = settled(debug_run, event)
        anew = event.option in (GUIDANCE, "again", "fault") and _is_edited(debug_run)
        budget = budget_of(debug_run.state, bounds)
        debug_run.record(replace(event, edited=anew, budget=budget))
        return go_on(debug_run)


def _accepted_commit(debug_run: DebugRun, word: str) -> str:
    """Return the accepted fix with what was kept since; empty where that is the fix itself."""
    fixes = (a for a in acceptable(debug_run.state) if a.entry.acceptance == word)
    return next((with_later_progress(debug_run, attempt) for attempt in fixes), "")


def _is_edited(debug_run: DebugRun) -> bool:
    """Whether a person edited anything since the question, in their tree or in the worktree."""
    kept = debug_run.repository.ref(debug_run.id, manual_edits_ref(debug_run.state))
    head = debug_run.state.head
    return bool((kept and debug_run.repository.changed(head, kept)) or edited(debug_run))
