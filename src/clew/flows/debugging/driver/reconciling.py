"""What became of a side effect that was cut off: one probe an intent.

Each answers with the outcome, when the effect is there, or with None, when it is not: then the
intent is abandoned, and the next decision carries it out again. A half-done effect is undone first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from clew import agents
from clew.flows.debugging.driver import asking, documenting, fixing, performing, proving, returning
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.words import events as ev
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


def _call(
    debug_run: DebugRun, intent: ev.Diagnose | ev.Review | ev.Narrate
) -> ev.Diagnosed | ev.Reviewed | ev.Narrated | ev.AgentErred | None:
    """Go on with the agent's conversation; else clear what is left: its answer is lost."""
    if returning.can_go_on(debug_run, intent):
        with contextlib.suppress(agents.Forgotten):
            match intent:
                case ev.Diagnose():
                    return asking.diagnose(debug_run, intent, resuming=True)
                case ev.Review():
                    return asking.review(debug_run, intent, resuming=True)
                case ev.Narrate():
                    return asking.narrate(debug_run, intent, resuming=True)
    returning.reclaim_login(debug_run, intent)
    debug_run.store.clear_scratch(debug_run.id)
    return None


def _report(debug_run: DebugRun, intent: ev.WriteReport) -> ev.ReportWritten | None:
    """Look for a report that says it is this session's, of this iteration."""
    found = documenting.find_report(debug_run, intent.iteration)
    if found is None:
        return None
    number, path = found
    return performing.report_written(debug_run, intent, number, path)


def _fix(debug_run: DebugRun, intent: ev.ApplyFix) -> ev.FixApplied | ev.AgentErred | None:
    """Look for a commit on top of the base with this call's trailer.

    Without one go on with the agent's conversation, else undo half an edit.
    """
    repository, session = debug_run.repository, debug_run.id
    head = repository.head(session)
    summary = fixing.summary_of(repository.message(head), intent)
    if head != intent.base and summary is not None:
        return fixing.fix_applied(debug_run, intent, head, summary)
    if returning.can_go_on(debug_run, intent):
        with contextlib.suppress(agents.Forgotten):
            return asking.apply_fix(debug_run, intent, resuming=True)
    repository.reset(session, intent.base)
    returning.reclaim_login(debug_run, intent)
    debug_run.store.clear_scratch(session)
    return None


def _roll_back(debug_run: DebugRun, intent: ev.RollBack) -> ev.RolledBack:
    """Carry it out again: the same reset leads to the same tree."""
    return performing.roll_back(debug_run, intent)


def _proof(debug_run: DebugRun, _: ev.Prove) -> None:
    """Remove the checkouts: a proof that was cut off proves nothing."""
    proving.clear(debug_run)
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
    ev.Diagnose: _call,
    ev.WriteReport: _report,
    ev.Review: _call,
    ev.ApplyFix: _fix,
    ev.RollBack: _roll_back,
    ev.Prove: _proof,
    ev.SaveCheckpoint: _checkpoint,
    ev.WriteDocument: _document,
    ev.Narrate: _call,
}
