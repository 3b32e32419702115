"""The flow of a phase, and its hands: one function an intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clew.flows.plan.driver.gating import gates_of
from clew.flows.plan.driver.steering import steering
from clew.flows.plan.events import RunGates
from clew.flows.plan.phases.decisions import decide
from clew.flows.plan.phases.events import CODEC, KIND
from clew.flows.plan.phases.implementing import implement, look_again
from clew.flows.plan.phases.states import PhaseWork, fold
from clew.gates import GateRequest
from clew.journal import engine
from clew.journal.flow import Flow, Pending
from clew.sessions.run import SessionRun, attend
from clew.words.records import AgentCall, Intent, Outcome, RunSession

__all__ = ["FLOW", "PhaseRun", "drive"]


@dataclass(kw_only=True)
class PhaseRun(SessionRun[PhaseWork]):
    """A phase that this process holds and works on."""

    state: PhaseWork = field(default_factory=PhaseWork)


def drive(run: PhaseRun, until: Callable[[PhaseWork], bool] = lambda _: False) -> PhaseWork:
    """Work until the phase ends, only a person can go on, or the state is as asked for."""
    return engine.drive(FLOW, run, until)


def gates(run: SessionRun[PhaseWork], _: int, intent: RunGates) -> Pending:
    """Hold the work against the gates."""
    request = run.state.request
    promised = tuple(path for path, _ in request.promised)
    asked = GateRequest(
        phase=request.phase,
        test_command=request.test_command,
        put_back=steering(run.project, request.plan, request.settings.layout, request.phase),
    )
    return gates_of(run, intent, request.settings, asked, promised)


PERFORM: Mapping[type[Intent], Callable[[Any, int, Any], Outcome | Pending]] = {
    AgentCall: implement,
    RunGates: gates,
    RunSession: attend,
}
RECONCILE: Mapping[type[Intent], Callable[[Any, int, Any], Outcome | Pending | None]] = {
    AgentCall: look_again,
    RunGates: gates,
    RunSession: attend,
}

FLOW: Flow[PhaseWork, SessionRun[PhaseWork]] = Flow(
    kind=KIND,
    codec=CODEC,
    empty=PhaseWork(),
    fold=fold,
    decide=decide,
    perform=PERFORM,
    reconcile=RECONCILE,
)
