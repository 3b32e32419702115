"""Commits held against the gates, beside other work."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from clew.flows.plan.decisions.merging import refused
from clew.flows.plan.driver.background import Background
from clew.flows.plan.events import GatesRan, PlanAsked, PlanBounded, RunGates
from clew.flows.plan.modules import is_module, missed
from clew.gates import GatePlace, GateRequest, brief, decided_by_hand, run_gates, verdict
from clew.sessions.run import SessionRun
from clew.words.gates import GateKind, GateStatus
from clew.words.records import Outcome
from clew.words.settings import FOR_ONE_RUN, Settings, load

if TYPE_CHECKING:
    from clew.flows.plan.states import PlanState
    from clew.git.project import Project

__all__ = ["gates_of", "gates_of_now", "read_gates", "with_gates_of_now"]

SCOPE = (GateKind.SCOPE, GateKind.CONFIGURATION)


def gates_of(
    run: SessionRun[Any],
    intent: RunGates,
    settings: Settings,
    request: GateRequest,
    promised: tuple[str, ...] = (),
    *,
    told: Callable[[GatesRan], Outcome] = lambda ran: ran,
) -> Background:
    """Run the gates on a commit; `promised` files are those that other phases create.

    `told` makes the outcome of what they say.
    """
    place = GatePlace(
        project=run.sessions.project,
        repository=run.repository,
        store=run.sessions.store,
        session=run.id,
        settings=settings,
    )

    def work() -> Outcome:
        results = run_gates(place, intent.base, intent.commit, request)
        red = [each for each in results if each.status is GateStatus.FAIL]
        text = "\n".join(each.output for each in red)
        ran = GatesRan(
            phase=intent.phase,
            commit=intent.commit,
            status=verdict(each for each in results if not each.awaits_person),
            summary=brief(results),
            output=run.sessions.store.put(msgspec.json.encode(results)),
            tests_failed=any(each.kind is GateKind.TESTS for each in red),
            failed=tuple(dict.fromkeys(each.kind for each in red)),
            failing=tuple(test for each in red for test in each.failing),
            undeclared=tuple(
                dict.fromkeys(f.path for each in red if each.kind in SCOPE for f in each.findings)
            ),
            awaits=tuple(decided_by_hand(each) for each in results if each.awaits_person),
            missing=tuple(
                name for name in missed(text) if any(is_module(path, name) for path in promised)
            ),
        )
        return told(ran)

    return Background(work)


def with_gates_of_now(project: Project, own: Settings) -> Settings:
    """Return settings with those of the gates read again: what could not run is put right there."""
    new = load((project.root, project.path), os.environ, {})
    typed = own.sources.get("gate_timeout") in FOR_ONE_RUN
    kept = typed and new.sources.get("gate_timeout") not in FOR_ONE_RUN
    timeout = own.gate_timeout if kept else new.gate_timeout
    return msgspec.structs.replace(own, gates=new.gates, gate_timeout=timeout)


def read_gates(run: SessionRun[PlanState], answered: PlanAsked | None = None) -> None:
    """Take over the gates of now; what others refused is judged anew, or as a person answered."""
    if bounds := gates_of_now(run.project, run.state, answered):
        run.record(bounds)


def gates_of_now(
    project: Project, state: PlanState, answered: PlanAsked | None = None
) -> PlanBounded | None:
    """Return the gates of now, and what they judge anew; None where they are as they were."""
    own = state.settings
    new = with_gates_of_now(project, own)
    if new == own:
        return None
    anew = tuple(id_ for id_ in refused(state) if not answered or id_ != answered.phase)
    return PlanBounded(gates=new.gates, gate_timeout=new.gate_timeout, judged_anew=anew)
