"""The flow of debug sessions, and what is done around the engine that drives it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clew.flows.investigation.decisions import decide
from clew.flows.investigation.driver.documenting import write_document
from clew.flows.investigation.driver.performing import PERFORM, RECONCILE
from clew.flows.investigation.events import CODEC, KIND, DocumentEdited
from clew.flows.investigation.states import DebugState, fold
from clew.journal import engine
from clew.journal.flow import Flow
from clew.sessions.run import SessionRun
from clew.words.errors import ClewError
from clew.words.records import Started

if TYPE_CHECKING:
    from clew.flows.investigation.driver.performing import Hands

__all__ = ["FLOW", "InvestigationRun", "drive"]


@dataclass(kw_only=True)
class InvestigationRun(SessionRun[DebugState]):
    """A debug session that this process holds and works on."""

    state: DebugState = field(default_factory=DebugState)
    edit: DocumentEdited | None = None  # by a person, while nobody worked on it

    def record(self, event: Any) -> int:  # noqa: ANN401 - of the flow that runs
        """Journal an event; before each action the document says what is done."""
        number = super().record(event)
        if isinstance(event, Started):
            write_document(self)
        return number


def drive(run: InvestigationRun) -> DebugState:
    """Work until the session ends, or only a person can go on."""
    run.document = write_document
    if run.state.ended is None and run.edit is not None:
        run.record(run.edit)
    try:
        return engine.drive(FLOW, run)
    finally:
        with contextlib.suppress(ClewError, OSError):  # a view may not hide what went wrong
            write_document(run)


FLOW: Flow[DebugState, Hands] = Flow(
    kind=KIND,
    codec=CODEC,
    empty=DebugState(),
    fold=fold,
    decide=decide,
    perform=PERFORM,
    reconcile=RECONCILE,
)
