"""The flow of plans, and what is done around the engine that drives it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.flows.plan.decisions import decide
from clew.flows.plan.driver.documenting import write_document
from clew.flows.plan.driver.hearing import HEARING, RequestHearing
from clew.flows.plan.driver.performing import PERFORM, RECONCILE, REPEATABLE
from clew.flows.plan.events import CODEC, KIND
from clew.flows.plan.states import PlanState, fold
from clew.journal import engine
from clew.journal.flow import Flow
from clew.sessions.belongings import give_back
from clew.sessions.run import SessionRun
from clew.words.errors import ClewError

if TYPE_CHECKING:
    from clew.flows.plan.driver.performing import Hands

__all__ = ["FLOW", "PlanRun", "drive"]


@dataclass(kw_only=True)
class PlanRun(SessionRun[PlanState]):
    """A plan that this process holds and works on."""

    state: PlanState = field(default_factory=PlanState)


def drive(run: PlanRun, until: Callable[[PlanState], bool] = lambda _: False) -> PlanState:
    """Work until nothing is left to do, a person is needed, or the state is as asked for."""
    run.document = write_document
    run.pending.setdefault(HEARING, RequestHearing(run))
    try:
        return engine.drive(FLOW, run, until)
    finally:
        with contextlib.suppress(ClewError, OSError):  # a view may not hide what went wrong
            write_document(run)
        if run.state.ended:
            give_back(run.store, run.id)


FLOW: Flow[PlanState, Hands] = Flow(
    kind=KIND,
    codec=CODEC,
    empty=PlanState(),
    fold=fold,
    decide=decide,
    perform=PERFORM,
    reconcile=RECONCILE,
    repeatable=REPEATABLE,
)
