"""Sessions taken back to a checkpoint, or ended where they stand."""

from __future__ import annotations

from clew.flows.debugging.decisions import ITERATION, START
from clew.flows.debugging.driver import DebugRun, drive, manual_edits_ref, note_gone_back
from clew.flows.debugging.sessions import demand_work
from clew.flows.debugging.states import RestorePoint, Stage, State
from clew.flows.debugging.working.answers import answered, words_of
from clew.flows.debugging.working.held import BEFORE_A_ROUND, at_work, check_ladder, halt
from clew.git.worktrees import path_text
from clew.sessions import ProjectSessions, Watcher
from clew.sessions.ended import nothing_to_end
from clew.words import events as ev
from clew.words.errors import UsageError
from clew.words.facts import Verdict

__all__ = ["end", "go_back", "mark_of", "roll_back", "tell_of_edits", "terminate"]


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> State:
    """Go back to a checkpoint, or an iteration by its number, and try otherwise from there.

    Raises UsageError naming the checkpoints if there is none of that name, or for an agent that is
    gone.
    """
    with at_work(sessions, session, watcher) as debug_run:
        return go_back(debug_run, target, text)


def go_back(debug_run: DebugRun, target: str, text: str) -> State:
    """Bring a session that is held to a stand, and work on from a checkpoint."""
    mark = _mark(debug_run.state, target)
    check_ladder(debug_run)
    halt(debug_run, f"a person returns to {mark.name}")
    tell_of_edits(debug_run)
    debug_run.record(ev.WentBack(checkpoint=mark.name, text=words_of(text)))
    note_gone_back(debug_run.project, debug_run.id, mark.name)
    return drive(debug_run)


def tell_of_edits(debug_run: DebugRun) -> None:
    """Say where what a person did in the worktree is, before it is put back."""
    state, repository, ref = (
        debug_run.state,
        debug_run.repository,
        manual_edits_ref(debug_run.state),
    )
    kept = repository.ref(debug_run.id, ref)
    waits = state.stage in (Stage.WAITING, Stage.ENDED)
    files = repository.changed(state.head, kept) if kept and waits else ()
    if kept and files:
        paths = tuple(path_text(change.path) for change in files)
        debug_run.record(ev.EditsKept(ref=ref, commit=kept, files=paths))


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> State:
    """End a session where it stands; all work is kept. Raises UsageError if it has ended."""
    with at_work(sessions, session, watcher) as debug_run:
        if debug_run.state.ended:
            raise nothing_to_end(
                session, str(debug_run.state.status), back=bool(debug_run.state.marks)
            )
        return end(debug_run, "")


def end(debug_run: DebugRun, text: str) -> State:
    """Bring a session that is held to a stand, and end it; all work is kept."""
    halt(debug_run, "a person ends it")
    if debug_run.state.stage in BEFORE_A_ROUND:
        debug_run.record(_ended_early(debug_run.state))
    drive(debug_run)
    if debug_run.state.question:
        debug_run.record(answered(debug_run.state, "terminate", text))
    return drive(debug_run)


def _ended_early(state: State) -> ev.SessionEnded:
    return ev.SessionEnded(
        status=ev.Status.TERMINATED,
        reason=f"a person ended it before iteration {state.overall + 1}",
        known_issues=tuple(red.error for red in state.baseline.red) if state.baseline else (),
    )


def mark_of(state: State, target: str) -> RestorePoint:
    """Return a checkpoint by its name, or the number of its iteration. Raises UsageError."""
    demand_work(state)
    name = f"{ITERATION}-{target}" if target.isdecimal() else target or START
    mark = state.mark(name)
    if mark is None and any(
        target == str(e.iteration) and e.result is ev.Result.PASSING for e in state.history
    ):
        raise UsageError(
            f"nothing fails after iteration {target}", hint=f"Checkpoints: {_mark_names(state)}"
        )
    if mark is None:
        raise UsageError(
            f"there is no checkpoint {target!r}", hint=f"Checkpoints: {_mark_names(state)}"
        )
    return mark


def _mark(state: State, target: str) -> RestorePoint:
    mark = mark_of(state, target)
    if mark.kept.verdict is Verdict.PASSED:
        raise UsageError(
            f"nothing fails at the checkpoint {mark.name!r}",
            hint=f"Checkpoints: {_mark_names(state)}",
        )
    return mark


def _mark_names(state: State) -> str:
    return ", ".join(dict.fromkeys(mark.name for mark in state.marks)) or "none yet"
