"""What became of a side effect that was cut off: one probe an intent.

Each answers with the outcome, when the effect is there, or with None, when it is not: then the
intent is abandoned, and the next decision carries it out again. A half-done effect is undone first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from clew import agents
from clew.flows.debugging.driver import (
    asking,
    checkouts,
    documenting,
    fixing,
    performing,
    returning,
)
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.words import events as ev
from clew.words.models import AgentRole
from clew.words.records import Outcome

__all__ = ["RECONCILE"]


def _snapshot(debug_run: DebugRun, intent: ev.TakeSnapshot) -> ev.SnapshotTaken:
    """Go on where it stopped: a snapshot that was recorded is found again, not taken anew."""
    return performing.take_snapshot(debug_run, intent)


def _measurement(debug_run: DebugRun, _: ev.RunTests) -> None:
    """Clear what is left: a run that was cut off says nothing."""
    debug_run.store.clear_scratch(debug_run.id)


def _search(debug_run: DebugRun, _: ev.Bisect) -> None:
    """Go on where it stopped: it keeps its answers itself."""
    debug_run.store.clear_scratch(debug_run.id)


def _call(debug_run: DebugRun, intent: ev.CallAgent) -> Outcome | None:
    """Go on with the agent's conversation; else clear what is left: its answer is lost.

    Of a fix a commit is looked for first, on top of the base and with this call's trailer; without
    one, half an edit is undone.
    """
    is_fix = intent.role is AgentRole.FIX
    if is_fix and (found := _committed(debug_run, intent)):
        return found
    if returning.can_go_on(debug_run, intent):
        with contextlib.suppress(agents.Forgotten):
            return asking.ask(debug_run, intent, resuming=True)
    if is_fix:
        debug_run.repository.reset(debug_run.id, intent.base)
    returning.reclaim_login(debug_run, intent)
    debug_run.store.clear_scratch(debug_run.id)
    return None


def _committed(debug_run: DebugRun, intent: ev.CallAgent) -> ev.FixApplied | None:
    repository = debug_run.repository
    head = repository.head(debug_run.id)
    summary = fixing.summary_of(repository.message(head), intent)
    if head == intent.base or summary is None:
        return None
    return fixing.fix_applied(debug_run, intent, head, summary)


def _report(debug_run: DebugRun, intent: ev.WriteReport) -> ev.ReportWritten | None:
    """Look for a report that says it is this session's, of this iteration."""
    found = documenting.find_report(debug_run, intent.iteration)
    if found is None:
        return None
    number, path = found
    return performing.report_written(debug_run, intent, number, path)


def _roll_back(debug_run: DebugRun, intent: ev.RollBack) -> ev.RolledBack:
    """Carry it out again: the same reset leads to the same tree."""
    return performing.roll_back(debug_run, intent)


def _proof(debug_run: DebugRun, _: ev.Prove) -> None:
    """Remove the checkouts: a proof that was cut off proves nothing."""
    checkouts.clear(debug_run)
    debug_run.store.clear_scratch(debug_run.id)


def _checkpoint(debug_run: DebugRun, intent: ev.SaveCheckpoint) -> ev.CheckpointSaved:
    """Write it again over itself."""
    return performing.save_checkpoint(debug_run, intent)


def _document(debug_run: DebugRun, intent: ev.WriteDocument) -> ev.DocumentWritten:
    """Write it again over itself; what was learned is found, and not added twice."""
    return performing.write_document(debug_run, intent)


RECONCILE: dict[type[ev.Intent], Callable[[DebugRun, Any], Outcome | None]] = {
    ev.TakeSnapshot: _snapshot,
    ev.RunTests: _measurement,
    ev.Bisect: _search,
    ev.CallAgent: _call,
    ev.WriteReport: _report,
    ev.RollBack: _roll_back,
    ev.Prove: _proof,
    ev.SaveCheckpoint: _checkpoint,
    ev.WriteDocument: _document,
}
