"""The flow of debugging, and what is done around the engine that drives it.

What comes next is decided in `decisions`, how it is done stands in `performing`, and what to make
of something that was cut off in `reconciling`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from clew.flows.debugging.decisions import decide
from clew.flows.debugging.driver.documenting import write_session_document
from clew.flows.debugging.driver.performing import PERFORM
from clew.flows.debugging.driver.reconciling import RECONCILE
from clew.flows.debugging.driver.returning import beating, keep_edits, see_that_none_works, worked
from clew.flows.debugging.driver.workshop import Workshop
from clew.flows.debugging.states import State, fold
from clew.journal import engine
from clew.journal.flow import Flow
from clew.words import events as ev
from clew.words.errors import ClewError
from clew.words.records import Intent, Outcome

__all__ = ["FLOW", "drive", "settle"]


def drive(workshop: Workshop, until: Callable[[State], bool] = lambda _: False) -> State:
    """Work until nothing is left to do, a person is needed, or the state is as asked for.

    On an interruption the session is left as it is: the next `drive` goes on from there.
    """
    workshop.document = write_session_document
    try:
        workshop.open_worktree()
        settle(workshop)
        return engine.drive(FLOW, workshop, until)
    except (ClewError, OSError):
        require_project(workshop)  # whatever failed, it failed for that
        raise
    finally:
        with contextlib.suppress(ClewError, OSError):  # a view may not hide what went wrong
            write_session_document(workshop)


def require_project(workshop: Workshop) -> None:
    """Raise ClewError where the project's folder is gone: nothing may be written at its place."""
    root = workshop.project.root
    if not root.is_dir():
        raise ClewError(
            f"the project's folder {root} is gone: it was moved or removed while Clew was at work",
            hint="Go to where it is now, or put it back, and `clew resume` there; nothing of the"
            " session was lost.",
        )


def settle(workshop: Workshop) -> None:
    """Find out what became of the worktree, and of a side effect that was cut off."""
    workshop.worked = worked(workshop)
    if workshop.state.snapshot is not None:
        see_that_none_works(workshop)
        keep_edits(workshop)
    engine.settle(FLOW, workshop)


def _performing(
    perform: Callable[[Workshop, Any], Outcome],
) -> Callable[[Workshop, int, Any], Outcome]:
    def act(workshop: Workshop, _: int, intent: Intent) -> Outcome:
        require_project(workshop)
        with beating(workshop, intent):
            return perform(workshop, intent)

    return act


def _reconciling(
    reconcile: Callable[[Workshop, Any], Outcome | None],
) -> Callable[[Workshop, int, Any], Outcome]:
    def act(workshop: Workshop, _: int, intent: Any) -> Outcome:  # noqa: ANN401 - any of the table
        seconds = workshop.worked
        cut_off = ev.Abandoned(intent=intent, reason="it was cut off", seconds=seconds)
        return reconcile(workshop, intent) or cut_off

    return act


FLOW: Flow[State, Workshop] = Flow(
    kind="debugging",
    codec=ev.CODEC,
    empty=State(),
    fold=fold,
    decide=decide,
    perform={kind: _performing(perform) for kind, perform in PERFORM.items()},
    reconcile={kind: _reconciling(probe) for kind, probe in RECONCILE.items()},
)
