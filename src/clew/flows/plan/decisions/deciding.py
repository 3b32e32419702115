"""The main line of a plan: begin what may begin, merge what is done, repair what is red, ask."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from clew.analysis.plans import ready
from clew.analysis.spending import budget_left
from clew.flows.plan.decisions.advising import told
from clew.flows.plan.decisions.learning import learned
from clew.flows.plan.decisions.merging import has_room, pair, refused, run_gates
from clew.flows.plan.decisions.naming import agent_of, model_named
from clew.flows.plan.decisions.revising import proposed, replan_option, revision, taken_unasked
from clew.flows.plan.decisions.supervising import ask_planner, ask_supervisor, supervise
from clew.flows.plan.events import (
    ABORTED,
    COMPLETED,
    KIND,
    AskPlanner,
    AskSupervisor,
    MergePhase,
    PlanAsked,
    PlanOption,
    RenderDocument,
    RunGates,
    TryMerge,
)
from clew.flows.plan.states import MergeCandidate, PhaseState, PlanState
from clew.flows.plan.states.folding import MERGE
from clew.flows.plan.viewing import delivered
from clew.gates.phrases import counted, some
from clew.journal.flow import Action, Record
from clew.words.phases import PhaseStatus
from clew.words.plans import DOCUMENTATION, PhaseId, shown
from clew.words.printable import below, one_line
from clew.words.records import Concluded, RunSession, TakeBase

__all__ = ["decide"]

DONE = (PhaseStatus.COMPLETED, PhaseStatus.SKIPPED)


def decide(state: PlanState, _: datetime) -> Collection[Action]:
    """Return the actions that come next, to be carried out side by side."""
    if state.ended or state.opened is None or state.is_cut_off:
        return ()
    if state.base is None:
        return () if state.in_flight else (TakeBase(),)
    if state.aborting:
        return () if state.in_flight else (_end(state, ABORTED, state.aborting),)
    if all(phase.status in DONE for phase in state.phases.values()):
        return _close(state)
    if review := _review(state):
        return (*_begin(state), review)
    return (*_merge(state), *_begin(state), *_supervise(state))


def _review(state: PlanState) -> Record | None:
    """Ask about a finished phase that a person looks at before it is merged."""
    unseen = next((id_ for id_ in state.queue if _is_unseen(state, id_)), None)
    if state.candidate is not None or unseen is None or state.question is not None:
        return None
    session, phase = state.session.session_id, state.phase(unseen)
    answer, id_ = f"clew answer {session}", shown(phase.id)
    awaits = phase.result.get("awaits") or ()
    aside = f", {counted(len(phase.known), 'known issue')} aside" if phase.known else ""
    whether = "You decide what no gate can check:" if awaits else "Is it to be merged?"
    asked = PlanAsked(
        id=f"q{state.asked + 1}",
        phase=phase.id,
        text="\n".join(
            (
                f"Phase {id_} ({phase.phase.name}) has passed its gates{aside}. {whether}",
                *(f"  {one_line(each)}" for each in awaits),
                f"`clew diff {phase.child}` shows its change.",
            )
        ),
        options=(
            PlanOption(
                word=MERGE,
                text="they are met: merge it" if awaits else "merge it",
                command=f"{answer} {MERGE}",
            ),
            PlanOption(
                word="retry",
                text="try it again; say what is wrong with it",
                command=f'{answer} retry "what is wrong with it"',
            ),
            PlanOption(word="skip", text="leave it out", command=f"{answer} skip"),
            PlanOption(word="abort", text="end the plan; work is kept", command=f"{answer} abort"),
        ),
    )
    return Record(event=asked)


def _is_unseen(state: PlanState, id_: PhaseId) -> bool:
    """Whether a finished phase waits for a person's look."""
    phase = state.phase(id_)
    asked = state.session.review or phase.result.get("awaits")
    return bool(asked) and phase.approved != phase.commit


def _merge(state: PlanState) -> Iterator[Action]:
    """Merge a batch at a time, hold it against the gates, have repaired what is red."""
    if any(isinstance(i, MergePhase | RunGates | TryMerge) for i in state.in_flight.values()):
        return
    candidate = state.candidate
    seen = next((id_ for id_ in state.queue if not _is_unseen(state, id_)), None)
    if seen is not None and has_room(state):
        phase, onto = state.phase(seen), candidate.commit if candidate else state.head
        yield MergePhase(phase=phase.id, base=phase.base, commit=phase.commit, onto=onto)
    elif candidate is None:
        return
    elif candidate.is_unknown:
        yield run_gates(state, candidate)
    elif not state.phase(candidate.phase).repaired:
        yield pair(state, candidate) or _repair(state, candidate)


def _repair(state: PlanState, candidate: MergeCandidate) -> RunSession:
    """Have a debugging session make a merged phase green."""
    session, phase = state.session, state.phase(candidate.phase)
    beside = "" if candidate.other is None else f", which phase {shown(candidate.other)} breaks"
    return RunSession(
        child=_child_name(state, phase, "merged"),
        kind="debugging",
        request={
            "phase_id": phase.id,
            "base": candidate.commit,
            "settings": msgspec.to_builtins(state.settings.of_support),
            "goal": f"make the tests pass with phase {shown(phase.id)} merged{beside}",
            "plan": session.plan_path,
            "phase": shown(phase.id),
        },
        budget=budget_left(state.settings, state.usage),
    )


def _begin(state: PlanState) -> Iterator[Action]:
    """Begin what may begin, as far as the limit allows."""
    running = sum(isinstance(i, RunSession) and i.kind == "phase" for i in state.in_flight.values())
    free = state.session.parallel - running
    if free <= 0:
        return
    pending = PhaseStatus.PENDING
    statuses = {id_: pending if p.again else p.status for id_, p in state.phases.items()}
    for id_ in ready(state.plan, statuses)[:free]:
        yield _run(state, state.phase(id_))


def _run(state: PlanState, phase: PhaseState) -> RunSession:
    session = state.session
    return RunSession(
        child=_child_name(state, phase),
        kind="phase",
        request={
            "phase_id": phase.id,
            "phase": msgspec.to_builtins(phase.phase),
            "base": phase.base if phase.work else state.head,
            "work": phase.work,
            "agent": agent_of(phase.phase, session.settings),
            "model": phase.phase.model or model_named(phase.phase.agent, session.settings),
            "settings": msgspec.to_builtins(state.settings),
            "plan": session.plan_path,
            "title": state.plan.title,
            "plan_goal": state.plan.goal,
            "test_command": state.plan.test_command,
            "max_retries": max(0, session.max_retries - phase.retries + phase.retried),
            "guidance": list(phase.guidance),
            "learned": list(learned(state, phase.phase)),
            "introduced": _introduced(state, phase),
            "promised": _promised(state, phase),
            "known": sorted(state.known),
            "delivered": delivered(state) if phase.phase.kind == DOCUMENTATION else "",
        },
        budget=budget_left(state.settings, state.usage),
    )


def _child_name(state: PlanState, phase: PhaseState, suffix: str = "") -> str:
    number = phase.attempts if suffix else phase.attempts + 1
    again = f"-{number}" if number > 1 else ""
    name = _word_of(phase.id, state.phases)
    return f"{state.session.session_id}-p{name}{again}{f'-{suffix}' if suffix else ''}"


def _word_of(id_: PhaseId, ids: Iterable[PhaseId]) -> str:
    """Return what names a phase's sessions, and no session of another phase.

    A text that may be taken for another phase, or for another's second session, ends with a hash.
    """
    word = _slug(id_)
    if isinstance(id_, int):
        return word
    others = {_slug(other) for other in ids if other != id_}
    if word[0].isdigit() or any(word == other or word.startswith(f"{other}-") for other in others):
        return f"{word}-{hashlib.sha256(id_.encode()).hexdigest()[:8]}"
    return word


def _slug(id_: PhaseId) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(id_).lower()).strip("-")[:30].strip("-") or "phase"


def _introduced(state: PlanState, phase: PhaseState) -> list[dict[str, Any]]:
    """Return what the phases that this one waits for say of their work."""
    told = []
    for id_ in phase.phase.depends_on:
        if id_ in state.phases and state.phase(id_).status is PhaseStatus.COMPLETED:
            done = state.phase(id_)
            kept = {k: done.result.get(k) for k in ("summary", "downstream_context")}
            files = [*done.created, *done.modified]
            told.append({"phase": shown(id_), "name": done.phase.name, "files": files} | kept)
    return told


def _promised(state: PlanState, phase: PhaseState) -> list[tuple[str, str]]:
    """Return the files that phases create which are not done yet, and that this one is not of."""
    return [
        (path, shown(id_))
        for id_, other in state.phases.items()
        if other.status is not PhaseStatus.COMPLETED and id_ != phase.id
        for path in other.phase.creates
    ]


def _supervise(state: PlanState) -> Iterator[Action]:
    """Have rules say what becomes of a phase that failed, else an agent, else a person."""
    failed = (p for p in state.phases.values() if p.status is PhaseStatus.FAILED and not p.again)
    for phase in failed:
        if any(isinstance(i, AskSupervisor | AskPlanner) for i in state.in_flight.values()):
            return
        change = revision(state, phase)
        decided = change if change and taken_unasked(state, phase, change) else None
        decided = decided or supervise(state, phase)
        if decided is not None:
            yield Record(event=decided)
        elif call := ask_supervisor(state, phase) or _ask_planner(state, phase):
            yield call
        elif state.question is None:
            asked = proposed(state, phase, change) if change else _ask(state, phase)
            yield Record(event=asked)
        else:  # one question at a time; rules may know what becomes of the next phase
            continue
        return


def _ask_planner(state: PlanState, phase: PhaseState) -> AskPlanner | None:
    return None if phase.proposal else ask_planner(state, phase)


def _ask(state: PlanState, phase: PhaseState) -> PlanAsked:
    session, id_ = state.session.session_id, shown(phase.id)
    error = (phase.errors[-1].message if phase.errors else "") or "it failed"
    behind = [shown(p.id) for p in state.phases.values() if phase.id in p.phase.depends_on]
    spent = bool(phase.result.get("overspent"))
    tried = f" after {counted(phase.attempts, 'session')} and {_retries(phase.retries)}"
    failed = f"Phase {id_} ({phase.phase.name}) failed{'' if spent else tried}:"
    waits = f"\nWaiting for it: {', '.join(behind)}." if behind else ""
    wrong = (
        f"\nIf `[gates]` is wrong, correct it: `clew resume {session}` judges the same work again."
    )
    again = wrong if phase.id in refused(state) else ""
    answer = f"clew answer {session}"
    return PlanAsked(
        id=f"q{state.asked + 1}",
        phase=phase.id,
        text=below(error, failed) + waits + again + told(phase),
        options=(
            *_accept(phase, answer),
            PlanOption(
                word="retry",
                text="go on with more" if spent else "try it again; add what its agent should know",
                command=_more(state) if spent else f'{answer} retry "what it should know"',
            ),
            PlanOption(word="skip", text="leave it out", command=f"{answer} skip"),
            PlanOption(word="abort", text="end the plan; work is kept", command=f"{answer} abort"),
            *(() if spent else replan_option(state, phase)),
        ),
    )


def _more(state: PlanState) -> str:
    """Return the command that goes on with twice the bound that was reached."""
    settings, resume = state.settings, f"clew resume {state.session.session_id}"
    if settings.max_usd is not None and (state.usage.usd or 0.0) >= settings.max_usd:
        return f"{resume} --max-usd {2 * settings.max_usd or 1:g}"
    return f"{resume} --max-tokens {2 * (settings.max_tokens or 50_000)}"


def _accept(phase: PhaseState, answer: str) -> Iterator[PlanOption]:
    """Offer to let a phase change what it did not declare, where that is what its work lacks."""
    if files := phase.result.get("undeclared"):
        text = f"let it change {some(files)}, and go on from its work"
        yield PlanOption(word="accept", text=text, command=f"{answer} accept")


def _retries(number: int) -> str:
    return "1 retry" if number == 1 else f"{number} retries"


def _close(state: PlanState) -> Collection[Action]:
    if state.in_flight:
        return ()
    if not state.summary:
        return (RenderDocument(),)
    return (_end(state, COMPLETED, ""),)


def _end(state: PlanState, status: str, reason: str) -> Record:
    ended = Concluded(status=status, reason=reason, commit=state.head, usage=state.usage)
    return Record(event=replace(ended, result={"kind": KIND}))
