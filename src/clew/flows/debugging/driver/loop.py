"""The flow of debugging, and what is done around the engine that drives it.

What comes next is decided in `decisions`, how it is done stands in `performing`, and what to make
of something that was cut off in `reconciling`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from clew.flows.debugging.decisions import decide
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.documenting import write_session_document
from clew.flows.debugging.driver.performing import PERFORM
from clew.flows.debugging.driver.reconciling import RECONCILE
from clew.flows.debugging.driver.returning import beating, ensure_none_works, keep_edits, worked
from clew.flows.debugging.states import State, fold
from clew.journal import engine
from clew.journal.flow import Flow
from clew.words import events as ev
from clew.words.errors import ClewError
from clew.words.records import Intent, Outcome

__all__ = ["FLOW", "drive", "settle"]


def drive(debug_run: DebugRun, until: Callable[[State], bool] = lambda _: False) -> State:
    """Work until nothing is left to do, a person is needed, or the state is as asked for.

    On an interruption the session is left as it is: the next `drive` goes on from there.
    """
    debug_run.document = write_session_document
    try:
        debug_run.open_worktree()
        settle(debug_run)
        return engine.drive(FLOW, debug_run, until)
    except (ClewError, OSError):
        require_project(debug_run)  # whatever failed, it failed for that
        raise
    finally:
        with contextlib.suppress(ClewError, OSError):  # a view may not hide what went wrong
            write_session_document(debug_run)


def require_project(debug_run: DebugRun) -> None:
    """Raise ClewError where the project's folder is gone: nothing may be written at its place."""
    root = debug_run.project.root
    if not root.is_dir():
        raise ClewError(
            f"the project's folder {root} is gone: it was moved or removed while Clew was working",
            hint="Go to its new place, or put it back, and `clew resume` there; the session"
            " lost nothing.",
        )


def settle(debug_run: DebugRun) -> None:
    """Find out what became of the worktree, and of a side effect that was cut off."""
    debug_run.worked = worked(debug_run)
    if debug_run.state.snapshot is not None:
        ensure_none_works(debug_run)
        keep_edits(debug_run)
    engine.settle(FLOW, debug_run)


def _performing(
    perform: Callable[[DebugRun, Any], Outcome],
) -> Callable[[DebugRun, int, Any], Outcome]:
    def act(debug_run: DebugRun, _: int, intent: Intent) -> Outcome:
        require_project(debug_run)
        with beating(debug_run, intent):
            return perform(debug_run, intent)

    return act


def _reconciling(
    reconcile: Callable[[DebugRun, Any], Outcome | None],
) -> Callable[[DebugRun, int, Any], Outcome]:
    def act(debug_run: DebugRun, _: int, intent: Any) -> Outcome:  # noqa: ANN401 - any of the table
        seconds = debug_run.worked
        cut_off = ev.Abandoned(intent=intent, reason="it was interrupted", seconds=seconds)
        return reconcile(debug_run, intent) or cut_off

    return act


FLOW: Flow[State, DebugRun] = Flow(
    kind="debugging",
    codec=ev.CODEC,
    empty=State(),
    fold=fold,
    decide=decide,
    perform={kind: _performing(perform) for kind, perform in PERFORM.items()},
    reconcile={kind: _reconciling(probe) for kind, probe in RECONCILE.items()},
)
