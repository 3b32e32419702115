"""From one state of a plan to the next, by one event."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from clew.flows.plan.events import (
    ArchiveBegun,
    Archived,
    AskPlanner,
    AskSupervisor,
    DocumentImported,
    DocumentRendered,
    GatesRan,
    MergeTried,
    PairFound,
    PhaseMerged,
    PlanAnswered,
    PlanAsked,
    PlanBounded,
    PlanChanged,
    PlanForked,
    PlanOpened,
    PlanProposed,
    PlanWentBack,
    Supervised,
)
from clew.flows.plan.states.changing import NO_REVISION, accepted, changed, guided, proposed
from clew.flows.plan.states.failing import error_of, failed, moved
from clew.flows.plan.states.merging import (
    gates_ran,
    merge_tried,
    merged,
    pair_found,
    repaired,
)
from clew.flows.plan.states.record import PhaseState, PlanState, with_phase
from clew.gates.phrases import some
from clew.words.errors import TransitionRefused
from clew.words.facts import Usage
from clew.words.phases import ErrorKind, PhaseError, PhaseRecord, PhaseStatus
from clew.words.plans import PhaseId, shown
from clew.words.records import (
    AgentFailure,
    BaseTaken,
    ChildEnded,
    Concluded,
    Event,
    Recorded,
    RunSession,
    Started,
    bookkeeping,
)

__all__ = ["fold"]

PHASE, DEBUGGING = "phase", "debugging"
MERGE = "merge"  # the answer that lets a phase be merged
REVISE, REPLAN = "revise", "replan"  # the answers about revisions of the plan
START = "start"  # the checkpoint that every plan has
GOOD = ("completed", "green")
SAID = ("summary", "decisions", "concerns", "downstream_context")  # by the agent of a phase


def fold(state: PlanState, recorded: Recorded[Any]) -> PlanState:
    """Return the state after an event. Raises TransitionRefused, naming what does not fit."""
    event, kept = recorded.event, bookkeeping(state, recorded)
    archives = isinstance(event, ArchiveBegun | Archived)
    if state.ended and not isinstance(event, PlanWentBack) and not archives:
        raise TransitionRefused(f"{type(event).__name__} after the plan ended")
    if archives and (state.ended is None or state.archived):
        raise TransitionRefused(f"{type(event).__name__} of a plan that goes on, or is archived")
    if state.opened is None and not isinstance(event, PlanOpened):
        raise TransitionRefused(f"{type(event).__name__} before the plan was opened")
    move = _MOVES.get(type(event))
    after = move(state, event, recorded.at) if move else state
    return replace(after, updated=recorded.at, **kept)


def _opened(state: PlanState, event: PlanOpened, at: datetime) -> PlanState:
    phases = {phase.id: PhaseState(phase=phase) for phase in event.plan.phases}
    return replace(state, began=at, opened=event, plan=event.plan, phases=phases)


def _imported(state: PlanState, event: DocumentImported, at: datetime) -> PlanState:
    """Stand where a document says; a person looks at what was in progress, or is not there."""
    phases = dict(state.phases)
    for told in event.record.phases:
        phase = replace(
            phases[told.id],
            told=told,
            status=told.status,
            retries=told.retry_count,
            errors=told.errors,
            created=told.files_created,
            modified=told.files_modified,
            deleted=told.files_deleted,
            started=told.started,
            completed=told.completed,
            gates=told.validation,
            result={
                "summary": "\n\n".join(output.text for output in told.outputs),
                "downstream_context": msgspec.to_builtins(told.downstream_context),
            },
        )
        if words := _doubt(told, event.missing):
            error = error_of(phase, words, ErrorKind.RUNTIME, at)
            errors = (*phase.errors, error)
            phase = replace(phase, status=PhaseStatus.FAILED, errors=errors, completed=None)
        phases[told.id] = phase
    return replace(state, phases=phases, imported=event, began=event.record.created or at)


def _doubt(told: PhaseRecord, missing: Collection[str]) -> str:
    """Return why a phase may not stand as its document says; empty if it may."""
    files = (*told.files_created, *told.files_modified)
    if told.status is PhaseStatus.IN_PROGRESS:
        left = some((*files, *told.files_deleted))
        seen = f" ({left})" if left else ""
        return f"it was in progress when its session was imported: look at its files{seen}"
    gone = [path for path in dict.fromkeys(files) if path in missing]
    if told.status is not PhaseStatus.COMPLETED or not gone:
        return ""
    return (
        f"its document says that it is completed, but its files are not there: {some(gone)}. "
        "Have it carried out again, or leave it out; or put them back and import the document again"
        " before another phase begins"
    )


def _forked(state: PlanState, event: PlanForked, _: datetime) -> PlanState:
    """Stand where another plan stood."""
    words = (event.text,) if event.text else ()
    phases = {id_: replace(phase, guidance=words) for id_, phase in state.phases.items()}
    for done in event.phases:
        phases[done.phase] = replace(
            state.phases[done.phase],
            status=done.status,
            commit=done.commit,
            created=done.created,
            modified=done.modified,
            deleted=done.deleted,
            started=done.started,
            completed=done.completed,
            result=done.result,
            gates=done.gates,
            skipped_after=done.skipped_after,
        )
    merges = tuple((done.phase, done.commit) for done in event.phases if done.commit)
    head = merges[-1][1] if merges else event.base.commit
    return replace(state, forked=event, base=event.base, head=head, phases=phases, merges=merges)


def _base_taken(state: PlanState, event: BaseTaken, _: datetime) -> PlanState:
    return replace(state, base=event, head=event.commit)


def _started(state: PlanState, event: Started[Any], at: datetime) -> PlanState:
    intent = event.intent
    if isinstance(intent, AskSupervisor | AskPlanner):
        return replace(state, calls=intent.call)
    if not isinstance(intent, RunSession):
        return state
    id_ = phase_of(intent)
    phase = state.phase(id_)
    if intent.kind != PHASE:
        return with_phase(state, replace(phase, repaired=True))
    waits = [shown(each) for each in _unmet(state, id_)]
    if waits:
        raise TransitionRefused(f"phase {shown(id_)} waits for {', '.join(waits)}")
    return with_phase(
        state,
        replace(
            phase,
            status=moved(phase, PhaseStatus.IN_PROGRESS),
            child=intent.child,
            attempts=phase.attempts + 1,
            base=intent.request["base"],
            commit="",
            again=False,
            work="",
            advice=None,
            unadvised=(),
            **NO_REVISION,
            repaired=False,
            started=phase.started or at,
        ),
    )


def phase_of(intent: RunSession) -> PhaseId:
    """Return the phase that a child works for."""
    id_: PhaseId = intent.request["phase_id"]
    return id_


def _unmet(state: PlanState, id_: PhaseId) -> list[PhaseId]:
    done = (PhaseStatus.COMPLETED, PhaseStatus.SKIPPED)
    needed = state.phase(id_).phase.depends_on
    return [
        each for each in needed if each in state.phases and state.phase(each).status not in done
    ]


def _child_ended(state: PlanState, event: ChildEnded, at: datetime) -> PlanState:
    intent = state.in_flight[event.of]
    if not isinstance(intent, RunSession):
        raise TransitionRefused(f"event {event.of} began no session")
    phase = state.phase(phase_of(intent))
    phase = replace(phase, usage=(*phase.usage, *_usage_of(event)))
    if intent.kind != PHASE:
        return repaired(with_phase(state, phase), phase, event, at)
    errors = msgspec.convert(event.result.get("errors", ()), tuple[PhaseError, ...])
    phase = replace(
        phase,
        errors=(*phase.errors, *errors),
        retries=phase.retries + int(event.result.get("retries", 0)),
        result=event.result | _said_before(phase, intent, event),
        gates=str(event.result.get("gates", "")),
    )
    if event.status in GOOD and event.commit:
        done = replace(phase, commit=event.commit)
        return replace(with_phase(state, done), queue=(*state.queue, phase.id))
    reason = event.reason or f"its session ended {event.status}"
    return failed(state, phase, reason, ErrorKind.RUNTIME, at, record=not errors)


def _said_before(phase: PhaseState, intent: RunSession, event: ChildEnded) -> dict[str, Any]:
    """Return what was said of the work that a session began with, where it called no agent."""
    silent = intent.request.get("work") and not event.result.get("summary")
    return {name: phase.result[name] for name in SAID if name in phase.result} if silent else {}


def _usage_of(event: ChildEnded) -> tuple[tuple[str, Usage], ...]:
    by_agent = event.result.get("usage_by_agent")
    if by_agent is None:
        return (("agents", event.usage),) if event.usage != Usage() else ()
    return msgspec.convert(by_agent, tuple[tuple[str, Usage], ...])


def _asked(state: PlanState, event: PlanAsked, _: datetime) -> PlanState:
    if state.question:
        raise TransitionRefused(f"question {state.question.id} is still open")
    return replace(state, question=event, asked=state.asked + 1)


def _answered(state: PlanState, event: PlanAnswered, at: datetime) -> PlanState:
    question = state.question
    if question is None or question.id != event.id:
        raise TransitionRefused(f"no question {event.id} is open")
    state = replace(state, question=None)
    phase = state.phase(question.phase)
    if event.option == MERGE:
        return with_phase(state, replace(phase, approved=phase.commit))
    if event.option in ("retry", "skip") and phase.id in state.queue:
        reason = f"a person did not want it merged: {event.text}".rstrip(": ")
        state = failed(state, phase, reason, ErrorKind.VALIDATION, at)
        phase = state.phase(phase.id)
    match event.option:
        case "retry":
            phase = replace(phase, again=True, work="", guidance=guided(phase, event.text))
        case "skip":
            status = moved(phase, PhaseStatus.SKIPPED)
            phase = replace(phase, status=status, skipped_after=len(state.merges))
        case "revise":
            phase = replace(phase, taken=True)
        case "replan":
            asked = NO_REVISION | {"replan": event.text}
            phase = replace(phase, **asked)
        case "accept":
            return accepted(state, phase)
        case "abort":
            return replace(state, aborting=event.text or "a person ended it")
        case _:
            raise TransitionRefused(f"{event.option!r} is no answer to question {event.id}")
    return with_phase(state, phase)


def _supervised(state: PlanState, event: Supervised, _: datetime) -> PlanState:
    phase = state.phase(event.phase)
    usage = (*phase.usage, (event.agent, event.usage))
    failed = phase.status is PhaseStatus.FAILED and not phase.again
    return with_phase(state, replace(phase, usage=usage, advice=event if failed else None))


def _unsupervised(state: PlanState, event: AgentFailure, _: datetime) -> PlanState:
    intent = state.in_flight[event.of]
    if not isinstance(intent, AskSupervisor | AskPlanner):
        raise TransitionRefused(f"event {event.of} called no agent")
    phase = state.phase(intent.phase)
    phase = replace(phase, usage=(*phase.usage, (event.agent, event.usage)))
    if isinstance(intent, AskPlanner):
        return with_phase(state, replace(phase, unplanned=(*phase.unplanned, event)))
    return with_phase(state, replace(phase, unadvised=(*phase.unadvised, event)))


def _bounded(state: PlanState, event: PlanBounded, _: datetime) -> PlanState:
    """Take over bounds; work that is judged anew is merged again, or its phase begins with it."""
    for id_ in event.judged_anew:
        phase = replace(state.phase(id_), advice=None, unadvised=(), **NO_REVISION)
        if phase.commit:
            phase = replace(phase, status=moved(phase, PhaseStatus.IN_PROGRESS))
            state = replace(state, queue=(*state.queue, id_))
        else:
            phase = replace(phase, again=True, work=str(phase.result["work"]))
        state = with_phase(state, phase)
    settled = state.question and state.question.phase in event.judged_anew
    question = None if settled else state.question
    return replace(state, question=question, bounds=replace(state.bounds, **event.chosen))


def _went_back(state: PlanState, event: PlanWentBack, _: datetime) -> PlanState:
    """Stand where a phase was completed; what was merged or left out later is to be done again."""
    kept = _merged_at(state, event.checkpoint)
    done = {id_ for id_, _ in kept}
    skipped = {i for i, p in state.phases.items() if p.status is PhaseStatus.SKIPPED}
    stay = done | (skipped - set(event.wanted)) | set(event.kept)
    phases = {
        id_: phase
        if id_ in stay
        else PhaseState(
            phase=phase.phase,
            attempts=phase.attempts,
            errors=phase.errors,
            usage=phase.usage,
            guidance=(event.text,) if event.text else (),
        )
        for id_, phase in state.phases.items()
    }
    head = kept[-1][1] if kept else (state.base.commit if state.base else "")
    return replace(
        state,
        phases=phases,
        head=head,
        merges=kept,
        queue=(),
        candidate=None,
        question=None,
        aborting="",
        summary="",
        ended=None,
    )


def _merged_at(state: PlanState, checkpoint: str) -> tuple[tuple[PhaseId, str], ...]:
    """Return what was merged up to a checkpoint."""
    if checkpoint == START:
        return ()
    place = checkpoint_named(state, checkpoint)
    if not place:
        raise TransitionRefused(f"there is no checkpoint {checkpoint}")
    names = [checkpoint_of(id_) for id_, _ in state.merges]
    return state.merges[: names.index(place) + 1]


def back_to(state: PlanState, checkpoint: str, text: str) -> PlanWentBack:
    """Return that a person goes back to a checkpoint of a plan."""
    merged = {id_ for id_, _ in state.merges}
    there, phases = len(_merged_at(state, checkpoint)), state.phases.values()
    done = (p.id for p in phases if p.status is PhaseStatus.COMPLETED)
    skipped = (p for p in phases if p.status is PhaseStatus.SKIPPED)
    return PlanWentBack(
        checkpoint=checkpoint,
        text=text,
        kept=tuple(id_ for id_ in done if id_ not in merged),
        wanted=tuple(phase.id for phase in skipped if phase.skipped_after >= there),
    )


def checkpoint_of(id_: PhaseId) -> str:
    """Return the name of the checkpoint that a completed phase leaves."""
    return f"phase:{shown(id_)}"


def checkpoint_named(state: PlanState, text: str) -> str:
    """Return the checkpoint that a text names, without quotes too where one phase alone fits."""
    if text == START:
        return START
    known = {checkpoint_of(id_): f"phase:{id_}" for id_, _ in state.merges}
    wanted = text if text.startswith("phase:") else f"phase:{text}"
    if wanted in known:
        return wanted
    return next((name for name, bare in known.items() if bare == wanted), "")


def _rendered(state: PlanState, event: DocumentRendered, _: datetime) -> PlanState:
    return replace(state, summary=event.path)


def _ended(state: PlanState, event: Concluded, _: datetime) -> PlanState:
    return replace(state, ended=event)


def _put_away(state: PlanState, event: ArchiveBegun, _: datetime) -> PlanState:
    return replace(state, moves=event.moves)


def _archived(state: PlanState, _: Archived, __: datetime) -> PlanState:
    return replace(state, archived=True)


_MOVES: dict[type[Event], Callable[[PlanState, Any, datetime], PlanState]] = {
    PlanOpened: _opened,
    Started: _started,
    BaseTaken: _base_taken,
    ChildEnded: _child_ended,
    PhaseMerged: merged,
    GatesRan: gates_ran,
    MergeTried: merge_tried,
    PairFound: pair_found,
    Supervised: _supervised,
    PlanProposed: proposed,
    AgentFailure: _unsupervised,
    PlanAsked: _asked,
    PlanAnswered: _answered,
    PlanChanged: changed,
    PlanBounded: _bounded,
    PlanForked: _forked,
    DocumentImported: _imported,
    PlanWentBack: _went_back,
    DocumentRendered: _rendered,
    Concluded: _ended,
    ArchiveBegun: _put_away,
    Archived: _archived,
}
