"""The hands of a plan: one function an intent, and one that finds out what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from clew.analysis.plans.ownership import covers
from clew.flows.plan.driver.documenting import write_summary
from clew.flows.plan.driver.gating import gates_of
from clew.flows.plan.driver.planning import ask_planner
from clew.flows.plan.driver.steering import steering
from clew.flows.plan.driver.supervising import ask_supervisor
from clew.flows.plan.events import (
    AskPlanner,
    AskSupervisor,
    DocumentRendered,
    GatesRan,
    MergePhase,
    MergeTried,
    PhaseMerged,
    RenderDocument,
    RunGates,
    TryMerge,
)
from clew.flows.plan.states import PlanState
from clew.flows.plan.states.known import passed
from clew.gates import GateRequest
from clew.git.worktrees import ChangeKind, path_text
from clew.journal.flow import Pending
from clew.sessions.run import SessionRun, attend
from clew.words.facts import Tick
from clew.words.gates import GateStatus
from clew.words.plans import PlanPhase, shown
from clew.words.records import BaseTaken, Intent, Outcome, RunSession, TakeBase

__all__ = ["PERFORM", "RECONCILE", "REPEATABLE", "Hands"]

JOINED = ("creates", "modifies", "deletes", "test_files", "criteria", "validation")

Hands = SessionRun[PlanState]


def take_base(run: Hands, _: int, __: TakeBase) -> BaseTaken:
    """Record the person's tree."""
    return run.take_base()


def merge_phase(run: Hands, _: int, intent: MergePhase) -> PhaseMerged:
    """Put a phase's change on top of the plan's branch; may be done again."""
    run.watcher.tick(Tick(phase="merge", text=f"phase {shown(intent.phase)}"))
    phase = run.state.phase(intent.phase)
    name = phase.phase.name or f"phase {shown(intent.phase)}"
    message = f"{name}\n\n{phase.result.get('summary', '')}\n\nClew-Plan: {run.id}\n"
    tip, undone = _without_steering(run, phase.phase, intent)
    carried = run.repository.carry(run.id, intent.base, tip, onto=intent.onto, message=message)
    if carried.left:
        return PhaseMerged(phase=intent.phase, conflicts=tuple(map(path_text, carried.left)))
    commit = carried.commit or intent.onto
    changes = run.repository.changed(intent.onto, commit)

    def of(kind: ChangeKind) -> tuple[str, ...]:
        return tuple(path_text(change.path) for change in changes if change.kind is kind)

    return PhaseMerged(
        phase=intent.phase,
        commit=commit,
        created=of(ChangeKind.CREATED),
        modified=of(ChangeKind.MODIFIED),
        deleted=of(ChangeKind.DELETED),
        undone=tuple(map(path_text, undone)),
    )


def _without_steering(
    run: Hands, phase: PlanPhase, intent: MergePhase
) -> tuple[str, tuple[str, ...]]:
    """Return the work without its edits of what steers Clew, and those files."""
    session = run.state.session
    places = steering(run.project, session.plan_path, session.settings.layout, phase)
    undone = tuple(
        change.path
        for change in run.repository.changed(intent.base, intent.commit)
        if any(covers(place, change.path) for place in places)
    )
    if not undone:
        return intent.commit, ()
    told = "Put back what no agent changes\n"
    tip = run.repository.restore(run.id, intent.commit, intent.base, undone, message=told)
    return tip, undone


def gates(run: Hands, _: int, intent: RunGates) -> Pending:
    """Hold the plan's branch, with a phase merged, against the gates."""
    candidate = run.state.candidate
    members = [run.state.phase(id_).phase for id_, _ in candidate.members] if candidate else []
    known = [phase.id for phase in members]
    batch = members[: known.index(intent.phase) + 1] if intent.phase in known else []
    return gates_of(run, intent, run.state.settings, _request(run, batch))


def try_merge(run: Hands, _: int, intent: TryMerge) -> Outcome | Pending:
    """Hold a phase against the gates on top of an earlier state of the branch; may be repeated."""
    phase = run.state.phase(intent.phase).phase
    told = f"Try phase {shown(intent.phase)}\n"
    carried = run.repository.carry(
        run.id, intent.base, intent.commit, onto=intent.onto, message=told
    )
    tried = MergeTried(phase=intent.phase, onto=intent.onto)
    if carried.left:
        return tried

    def of(ran: GatesRan) -> MergeTried:
        good = passed(ran, run.state.known, run.state.phase(intent.phase).known)
        status = GateStatus.PASS if good else ran.status
        return replace(tried, status=status, summary=ran.summary)

    commit = carried.commit or intent.onto
    asked = RunGates(phase=intent.phase, base=intent.onto, commit=commit)
    return gates_of(run, asked, run.state.settings, _request(run, [phase]), told=of)


def _request(run: Hands, phases: Sequence[PlanPhase]) -> GateRequest:
    """Return what a batch is measured by: all that its phases declare and want."""
    joined = {name: tuple(chain.from_iterable(getattr(p, name) for p in phases)) for name in JOINED}
    whole = replace(phases[-1], **joined) if phases else None
    return GateRequest(phase=whole, test_command=run.state.plan.test_command)


def render(run: Hands, _: int, __: RenderDocument) -> DocumentRendered:
    """Write the final summary."""
    return DocumentRendered(path=write_summary(run))


PERFORM: Mapping[type[Intent], Callable[[Hands, int, Any], Outcome | Pending]] = {
    TakeBase: take_base,
    MergePhase: merge_phase,
    RunGates: gates,
    TryMerge: try_merge,
    RunSession: attend,
    AskSupervisor: ask_supervisor,
    AskPlanner: ask_planner,
    RenderDocument: render,
}

# Each of them finds what it did before, or does no harm when it is done again.
RECONCILE: Mapping[type[Intent], Callable[[Hands, int, Any], Outcome | Pending | None]] = PERFORM

# What they come to is found again in git, in the streams of children, or by asking the gates again.
REPEATABLE: frozenset[type[Intent]] = frozenset(
    {MergePhase, RunGates, TryMerge, RunSession, RenderDocument}
)
