"""The engine: decide, carry out, journal; again, for any kind of session.

An intent is journalled before its side effect, and its outcome after it, which names it. What goes
on by itself is pending: whichever has something new is journalled first, and what comes next is
decided again. Only the process that holds a session appends to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from clew.journal.crashpoints import reach
from clew.journal.flow import Action, Flow, Folded, Pause, Pending, Record, Run
from clew.words.records import Abandoned, Intent, Interrupted, Outcome, Started

__all__ = ["drive", "settle"]

LOOK = 0.05  # seconds between two looks at what is pending

S = TypeVar("S", bound=Folded)
R = TypeVar("R", bound=Run[Any])


def drive(flow: Flow[S, R], run: R, until: Callable[[S], bool] = lambda _: False) -> S:
    """Work until nothing is left to do, only a person can go on, or the state is as asked for.

    On an interruption what is pending is stopped, and the session left as it is: the next `drive`
    goes on from there.
    """
    try:
        settle(flow, run)
        while not until(run.state):
            actions = flow.decide(run.state, run.clock())
            for action in actions:
                _carry_out(flow, run, action)
            if not actions and not _await_news(run):
                break
    except KeyboardInterrupt as interruption:
        for each in run.pending.values():
            each.stop()
        run.catch_up()
        run.record(Interrupted(reason=str(interruption) or "interrupted"))
        raise
    state: S = run.state
    return state


def settle(flow: Flow[S, R], run: R) -> None:
    """Find out what became of each side effect that was cut off."""
    for number, intent in tuple(run.state.in_flight.items()):
        if number not in run.pending:
            found = flow.reconcile[type(intent)](run, number, intent)
            given_up = Abandoned(intent=intent, reason="it was interrupted")
            _take(run, number, given_up if found is None else found)


def _carry_out(flow: Flow[S, R], run: R, action: Action) -> None:
    """Do one thing, with the intent journalled before and the outcome after."""
    match action:
        case Record():
            run.record(action.event)
        case Pause():
            run.pause(action.until, action.why)
        case Intent():
            name = action.label
            reach(name, "before")
            number = run.record(Started(intent=action))
            reach(name, "intent")
            _take(run, number, flow.perform[type(action)](run, number, action), name)


def _take(run: Run[Any], number: int, found: Outcome | Pending, name: str = "") -> None:
    """Journal an outcome, or keep what is pending; where it has a `name`, a test may stop here."""
    if not isinstance(found, Outcome):
        run.pending[number] = found
        return
    run.pending.pop(number, None)
    reach(name, "effect")
    run.record(replace(found, of=number))
    reach(name, "outcome")


def _await_news(run: Run[Any]) -> bool:
    """Journal the first that is new of what is pending; False if all of it waits for a person."""
    while not all(pending.waiting for pending in run.pending.values()):
        for number, pending in tuple(run.pending.items()):
            news = pending.poll()
            if isinstance(news, Outcome):
                _take(run, number, news, run.state.in_flight[number].label)
            elif news is not None:
                run.record(news)
            if news is not None:
                return True
        time.sleep(LOOK)
    return False
