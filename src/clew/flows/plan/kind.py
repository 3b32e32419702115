"""Plans as any face sees them; see `clew.sessions.SessionKind`."""

# ruff: noqa: ARG001 - every kind answers to the same arguments
from __future__ import annotations

from collections.abc import Mapping

import msgspec

from clew.flows.plan import working
from clew.flows.plan.driver import FLOW
from clew.flows.plan.events import COMPLETED, KIND
from clew.flows.plan.states import PlanState
from clew.flows.plan.viewing import beyond, changes, issues, undone
from clew.sessions import INTERRUPTED, Delivery, ProjectSessions, SessionStatus, Watcher, deliver
from clew.sessions.nest import ProjectNest
from clew.words.errors import UsageError
from clew.words.phases import PhaseStatus
from clew.words.plans import shown
from clew.words.records import Asked, RunSession

__all__ = [
    "FLOW",
    "answer",
    "apply",
    "here",
    "note_taken_back",
    "resume",
    "roll_back",
    "standing",
    "status_of",
    "terminate",
    "work",
]

SIGNS = {
    PhaseStatus.COMPLETED: "✓",
    PhaseStatus.IN_PROGRESS: "○",
    PhaseStatus.FAILED: "✗",
    PhaseStatus.PENDING: "□",
    PhaseStatus.SKIPPED: "-",
}


def standing(sessions: ProjectSessions, session: str) -> SessionStatus:
    """Return how a plan stands."""
    return here(sessions, working.load_plan(sessions, session))


def here(sessions: ProjectSessions, state: PlanState) -> SessionStatus:
    """Return how a plan stands, with what changed around it in the project."""
    status = status_of(_with_what_is_asked(sessions, state))
    repository, session = sessions.repository, state.session.session_id
    began = state.base.head if state.base else ""
    applied = repository.still_applied(session)
    if applied is not None and applied == state.head and not repository.is_cut_off(session):
        known = "applied: `clew apply` has put it into your files"
        status = msgspec.structs.replace(status, lines=(*status.lines, known))
    elif began and repository.named_by_person("HEAD") not in ("", None, began):
        moved = "your branch has moved on since the plan began: `clew apply` merges"
        status = msgspec.structs.replace(status, lines=(*status.lines, moved))
    return status


def _with_what_is_asked(sessions: ProjectSessions, state: PlanState) -> PlanState:
    """Return a plan without the questions of children that were settled since it was at work."""
    if not (asked := state.at_work.questions):
        return state
    nest = ProjectNest(sessions, state.session.session_id)
    open_ = {of: question for of, question in asked.items() if _still_asks(nest, state, of)}
    at_work = msgspec.structs.replace(state.at_work, questions=open_)
    return msgspec.structs.replace(state, at_work=at_work)


def _still_asks(nest: ProjectNest, state: PlanState, number: int) -> bool:
    intent = state.in_flight[number]
    if not isinstance(intent, RunSession):
        return False
    asks = isinstance(nest.standing(intent.child)[1], Asked)
    return asks or nest.question_below(intent.child) is not None


def status_of(state: PlanState) -> SessionStatus:
    """Return how a plan stands, in words that any face can show."""
    ended, waits = state.ended, state.question or state.at_work.questions
    status = ended.status if ended else "waiting" if waits else "running"
    done = sum(p.status is PhaseStatus.COMPLETED for p in state.phases.values())
    return SessionStatus(
        session=state.session.session_id,
        kind=KIND,
        status=status,
        stage=f"{done} of {len(state.phases)} phases done",
        goal=state.session.goal,
        lines=tuple(_lines(state)),
        question=None if ended else state.question,
        usage=state.usage,
        exit_code=0 if status == COMPLETED else INTERRUPTED if status == "running" else 1,
        base=state.base.commit if state.base else "",
        commit=state.head,
    )


def _lines(state: PlanState) -> list[str]:
    lines = []
    for phase in state.phases.values():
        told = f"{SIGNS[phase.status]} {shown(phase.id)}  {phase.phase.name}"
        if phase.status is PhaseStatus.FAILED and phase.errors:
            told += f": {phase.errors[-1].message.splitlines()[0]}"
        lines.append(told)
    lines += [*changes(state), *beyond(state), *undone(state), *issues(state)]
    asking = state.at_work.questions.values()
    lines += [f"asks: {question.text.splitlines()[0]}" for question in asking]
    if state.forked:
        lines.append(f"forked from {state.forked.source} at {state.forked.checkpoint}")
    if state.archived:
        lines.append(f"archived: {', '.join(move.target for move in state.moves)}")
    if state.ended and state.ended.reason:
        lines.append(state.ended.reason)
    return lines


def work(
    sessions: ProjectSessions, session: str, parent: str, number: int, watcher: Watcher
) -> None:
    """Raise UsageError: no session begins a plan."""
    raise UsageError(f"session {session} is a plan, which no other session begins")


def resume(
    sessions: ProjectSessions, session: str, watcher: Watcher, options: Mapping[str, object]
) -> SessionStatus:
    """Go on with a plan. Raises UsageError for other agents: its phases have theirs."""
    if options.get("agent") is not None:
        raise UsageError(
            f"plan session {session} keeps the agents that it began with",
            hint="`clew run PLAN --agent NAME` starts the plan with others; a phase's debugging"
            " session that asks takes them: `clew status` names it.",
        )
    return here(sessions, working.resume(sessions, session, watcher, options))


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Answer a plan's question, and go on."""
    return here(sessions, working.answer(sessions, session, option, text, watcher))


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Go back to where a phase was completed, and go on from there."""
    return here(sessions, working.roll_back(sessions, session, target, text, watcher))


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> SessionStatus:
    """End a plan where it is, its children too; all work is kept."""
    return here(sessions, working.terminate(sessions, session, watcher))


def apply(sessions: ProjectSessions, session: str, *, commit: bool) -> Delivery:
    """Put what has passed its gates so far into the person's tree."""
    return deliver(sessions, standing(sessions, session), commit=commit)


def note_taken_back(_: ProjectSessions, __: str) -> None:
    """Say nothing: no document of it tells whether it is applied."""
