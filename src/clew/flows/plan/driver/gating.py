"""Commits held against the gates, beside other work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from clew.flows.plan.driver.background import Background
from clew.flows.plan.events import GatesRan, RunGates
from clew.flows.plan.modules import is_module, missed
from clew.gates import GatePlace, GateRequest, brief, decided_by_hand, run_gates, verdict
from clew.sessions.run import SessionRun
from clew.words.gates import GateKind, GateStatus
from clew.words.records import Outcome
from clew.words.settings import Settings

__all__ = ["gates_of"]

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
