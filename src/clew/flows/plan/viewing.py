"""A plan as its document has it: the record that people and other tools read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from clew.analysis.plans.ownership import covers, owned
from clew.documents.phases import deviations
from clew.flows.plan.events import COMPLETED
from clew.flows.plan.states import PhaseState, PlanState
from clew.flows.plan.states.known import ISSUES
from clew.gates.phrases import some
from clew.words.phases import (
    AgentOutput,
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
    SessionRecord,
    TokenCount,
    TokenUsage,
    current,
    downstream_context,
)
from clew.words.plans import PhaseId, shown

__all__ = ["beyond", "changes", "delivered", "issues", "session_record", "undone"]


def session_record(state: PlanState) -> SessionRecord:
    """Return a plan's session as it stands; an interrupted one is in progress."""
    session = state.session
    before = state.imported.record if state.imported else None
    phases = tuple(map(_phase, state.phases.values()))
    if before is not None and phases == before.phases and state.ended is None:
        return before
    phases = tuple(map(_as_found, phases, state.phases.values()))
    phases = tuple(replace(p, errors=(*_inherited(state, p.id), *p.errors)) for p in phases)
    usage = before.token_usage if before else TokenUsage()
    for phase in (*state.phases.values(), *state.replaced):
        for agent, took in phase.usage:
            count = TokenCount(input=took.input, output=took.output, cached=took.cached)
            usage = usage.plus(agent, count)
    record = SessionRecord(
        session_id=session.session_id,
        task=state.plan.title or session.goal,
        created=state.began,
        updated=state.updated,
        status=_status(state),
        execution_mode="parallel" if session.parallel > 1 else "sequential",
        task_complexity=state.plan.complexity or None,
        design_document=state.plan.design or None,
        implementation_plan=str(PurePosixPath(session.plan_path)),
        token_usage=usage,
        phases=phases,
    )
    if before is not None:
        record = replace(
            record,
            session_id=before.session_id,
            task=before.task,
            created=before.created,
            workflow_mode=before.workflow_mode,
            execution_mode=before.execution_mode,
            execution_backend=before.execution_backend,
            task_complexity=before.task_complexity,
            design_document=before.design_document,
            implementation_plan=before.implementation_plan,
        )
    first, batch = current(record)
    return replace(record, current_phase=first, current_batch=batch)


def delivered(state: PlanState) -> str:
    """Return what the phases of a plan came to, by git, and where that is not what was planned."""
    record = session_record(state)
    phases = [phase for phase in record.phases if phase.status.done]
    lines = []
    for phase in phases:
        lines.append(f"phase {shown(phase.id)} {phase.name}: {phase.status}")
        if phase.status is PhaseStatus.SKIPPED:
            continue
        kinds = ("created", "modified", "deleted")
        told = [(kind, getattr(phase, f"files_{kind}")) for kind in kinds]
        lines += [f"  {kind} {len(files)}: {', '.join(files)}" for kind, files in told if files]
        lines += [f"  says: {output.text}" for output in phase.outputs]
    others = (*changes(state), *undone(state), *issues(state))
    off = [told for phase in phases for told in deviations(phase)] + list(others)
    lines += ["deviations from the plan:", *(f"- {told}" for told in off)] if off else []
    return "\n".join(lines)


def changes(state: PlanState) -> Iterator[str]:
    """Yield a line for each change of the plan that holds."""
    for change in state.changes:
        done = f" ({'; '.join(map(str, change.revisions))})" if change.revisions else ""
        yield f"the plan was changed by {change.by}: {change.reason}{done}"


def issues(state: PlanState) -> Iterator[str]:
    """Yield a line for each test that fails with a phase, and that a person lets fail."""
    for phase in state.phases.values():
        for issue in phase.result.get(ISSUES, ()):
            yield f"known issue of phase {shown(phase.id)}: {issue}"


def undone(state: PlanState) -> Iterator[str]:
    """Yield a line for each phase whose agent changed what steers Clew."""
    for phase in state.phases.values():
        if phase.undone:
            files = some(phase.undone)
            yield f"phase {shown(phase.id)} changed {files}, which was left out: that is yours"


def beyond(state: PlanState) -> Iterator[str]:
    """Yield a line for each phase with files in its work that it does not declare."""
    for phase in state.phases.values():
        declared = owned(phase.phase)
        files = [
            path
            for path in (*phase.created, *phase.modified, *phase.deleted)
            if declared and not any(covers(each, path) for each in declared)
        ]
        if files:
            yield f"phase {shown(phase.id)} also changed {some(files)}, which it does not declare"


def _status(state: PlanState) -> OverallStatus:
    if state.ended is None:
        return OverallStatus.IN_PROGRESS
    return OverallStatus.COMPLETED if state.ended.status == COMPLETED else OverallStatus.ABORTED


def _phase(phase: PhaseState) -> PhaseRecord:
    told = phase.told
    if told is not None and not phase.attempts and phase.status is not PhaseStatus.SKIPPED:
        return told
    record = _worked_on(phase)
    if told is None:
        return record
    return replace(
        record,
        agents=told.agents,
        parallel=told.parallel,
        blocked_by=told.blocked_by,
        planned_files=told.planned_files,
        outputs=(*told.outputs, *(o for o in record.outputs if phase.attempts)),
        downstream_context=record.downstream_context if phase.attempts else told.downstream_context,
        requires_reconciliation=told.requires_reconciliation,
        reconciliation_reason=told.reconciliation_reason,
    )


def _as_found(record: PhaseRecord, phase: PhaseState) -> PhaseRecord:
    """Return a record of a phase; not as completed where its files are not there."""
    if record.status is not PhaseStatus.COMPLETED or phase.status is not PhaseStatus.FAILED:
        return record
    return replace(record, status=phase.status, completed=None, errors=phase.errors)


def _inherited(state: PlanState, id_: PhaseId) -> Iterator[PhaseError]:
    """Yield what went wrong with phases that are gone, and whose work a phase does now."""
    made = {each.phase: each for change in state.changes for each in change.revisions if each.into}
    for gone in state.replaced:
        heir = gone.id
        for _ in made:  # into what it was made, and that in turn
            if heir not in state.phases and heir in made:
                heir = made[heir].into[0]
        for error in gone.errors if heir == id_ else ():
            told = replace(error, message=f"as phase {shown(gone.id)}: {error.message}")
            done = replace(told, resolved=True, resolution=str(made[gone.id]))
            yield told if error.resolved else done


def _worked_on(phase: PhaseState) -> PhaseRecord:
    planned, result = phase.phase, phase.result
    agent = planned.agent or "agent"
    summary = str(result.get("summary", ""))
    return PhaseRecord(
        id=phase.id,
        name=planned.name,
        status=phase.status,
        agents=(agent,),
        parallel=planned.parallel,
        started=phase.started,
        completed=phase.completed,
        blocked_by=planned.depends_on,
        files_created=phase.created,
        files_modified=phase.modified,
        files_deleted=phase.deleted,
        planned_files=planned.files,
        downstream_context=downstream_context(result.get("downstream_context", {})),
        errors=phase.errors,
        retry_count=phase.retries,
        outputs=(AgentOutput(agent=agent, text=summary),) if summary else (),
        validation=phase.gates,
    )
