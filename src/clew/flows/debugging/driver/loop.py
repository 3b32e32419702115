"""The loop: decide, carry out, journal; again.

This is all there is to driving a session. What comes next is decided in `decisions`, how it is done
stands in `performing`, and what to make of something that was cut off in `reconciling`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from clew.flows.debugging.decisions import Action, Pause, Record, decide
from clew.flows.debugging.driver.documenting import write_session_document
from clew.flows.debugging.driver.performing import PERFORM
from clew.flows.debugging.driver.reconciling import RECONCILE
from clew.flows.debugging.driver.returning import beating, keep_edits, see_that_none_works, worked
from clew.flows.debugging.driver.workshop import Workshop
from clew.flows.debugging.states import State
from clew.journal.crashpoints import reach
from clew.words import events as ev
from clew.words.errors import ClewError

__all__ = ["drive"]


def drive(workshop: Workshop, until: Callable[[State], bool] = lambda _: False) -> State:
    """Work until nothing is left to do, a person is needed, or the state is as asked for.

    On an interruption the session is left as it is: the next `drive` goes on from there.
    """
    try:
        workshop.open_worktree()
        settle(workshop)
        while not until(workshop.state) and (actions := _next(workshop)):
            for action in actions:
                require_project(workshop)
                carry_out(workshop, action)
    except (ClewError, OSError):
        require_project(workshop)  # whatever failed, it failed for that
        raise
    except KeyboardInterrupt as interruption:
        workshop.catch_up()
        workshop.record(ev.Interrupted(reason=str(interruption) or "interrupted"))
        raise
    finally:
        with contextlib.suppress(ClewError, OSError):  # a view may not hide what went wrong
            write_session_document(workshop)
    return workshop.state


def require_project(workshop: Workshop) -> None:
    """Raise ClewError where the project's folder is gone: nothing may be written at its place."""
    root = workshop.project.root
    if not root.is_dir():
        raise ClewError(
            f"the project's folder {root} is gone: it was moved or removed while Clew was at work",
            hint="Go to where it is now, or put it back, and `clew resume` there; nothing of the"
            " session was lost.",
        )


def _next(workshop: Workshop) -> frozenset[Action]:
    return decide(workshop.state, workshop.clock())


def settle(workshop: Workshop) -> None:
    """Find out what became of the worktree, and of a side effect that was cut off."""
    seconds = worked(workshop)
    if workshop.state.snapshot is not None:
        see_that_none_works(workshop)
        keep_edits(workshop)
    intent = workshop.state.in_flight
    if intent is not None:
        outcome = RECONCILE[type(intent)](workshop, intent)
        cut_off = ev.Abandoned(intent=intent, reason="it was cut off", seconds=seconds)
        workshop.record(outcome or cut_off)


def carry_out(workshop: Workshop, action: Action) -> None:
    """Do one thing, with the intent journalled before and the outcome after."""
    if isinstance(action, Pause):
        workshop.pause(action.until, action.why)
        return
    if isinstance(action, Record):
        workshop.record(action.event)
        return
    name = type(action).__name__
    reach(name, "before")
    workshop.record(ev.Started(intent=action))
    reach(name, "intent")
    with beating(workshop, action):
        outcome = PERFORM[type(action)](workshop, action)
    reach(name, "effect")
    workshop.record(outcome)
    reach(name, "outcome")
    write_session_document(workshop)
