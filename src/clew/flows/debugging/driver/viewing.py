"""The state of a session, as documents show it."""

from __future__ import annotations

from collections.abc import Iterator

from clew.analysis import failures
from clew.analysis.spending import by_agent
from clew.documents.views import HandworkView, IterationView, ProofView, SessionView
from clew.flows.debugging.states import Attempt, Departure, State, attempts, require
from clew.git.worktrees import ChangeKind, LeftOutReason, TreeChange, path_text
from clew.words import events as ev
from clew.words.events import Result
from clew.words.phases import (
    AgentOutput,
    ErrorKind,
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
)
from clew.words.retry_policy import Reaction, follow

__all__ = ["handwork_views", "iteration_views", "proof_view", "session_view"]

_SESSION_STATUS = {
    ev.Status.RUNNING: OverallStatus.IN_PROGRESS,
    ev.Status.WAITING: OverallStatus.IN_PROGRESS,
    ev.Status.GREEN: OverallStatus.COMPLETED,
    ev.Status.NOTHING_TO_DO: OverallStatus.COMPLETED,
    ev.Status.SKIPPED: OverallStatus.FAILED,
    ev.Status.TERMINATED: OverallStatus.ABORTED,
}
_PHASE_STATUS = {
    ev.Status.RUNNING: PhaseStatus.IN_PROGRESS,
    ev.Status.WAITING: PhaseStatus.FAILED,
    ev.Status.GREEN: PhaseStatus.COMPLETED,
    ev.Status.NOTHING_TO_DO: PhaseStatus.COMPLETED,
    ev.Status.SKIPPED: PhaseStatus.SKIPPED,
    ev.Status.TERMINATED: PhaseStatus.FAILED,
}
_RESOLUTION = {
    Reaction.LATER: "the agent is called again after a wait",
    Reaction.AGAIN: "the agent is called again",
    Reaction.ONCE: "the agent is called once more",
    Reaction.NEXT: "the next agent is asked, or a person",
}
_ERROR_KIND = {
    "timeout": ErrorKind.TIMEOUT,
    "invalid_output": ErrorKind.VALIDATION,
    "lone_option": ErrorKind.VALIDATION,
    "unavailable": ErrorKind.DEPENDENCY,
    "not_installed": ErrorKind.DEPENDENCY,
}

_Told = ev.Diagnosed | ev.Reviewed | ev.Challenged | ev.Narrated


def session_view(state: State, changes: tuple[TreeChange, ...] = ()) -> SessionView:
    """Return the view of a session; `changes` are what git says its branch changed."""
    session = state.session
    summary = next((d.path for d in reversed(state.documents) if d.kind == "summary"), None)
    return SessionView(
        session_id=session.session_id,
        created=require(state.created),
        updated=require(state.updated),
        status=_SESSION_STATUS[state.status],
        project=session.path,
        goal=session.goal,
        spent=by_agent(state.usages),
        phases=(_phase(state, changes),),
        iteration=state.counter,
        cap=state.cap,
        topic=state.topic,
        iterations=iteration_views(state),
        strays=tuple(_stray(call) for call in state.settled if call.strays),
        reports=tuple(r.path for r in state.reports),
        outcome=str((state.closing or state.status).value),
        branch=state.snapshot.branch if state.snapshot else "",
        test_command=" ".join(state.baseline.command.argv) if state.baseline else "",
        flaky=tuple(sorted(state.still_flaky)),
        flakes=state.still_flakes,
        known_issues=_known_issues(state),
        question=state.question,
        ended=state.ended.reason if state.ended else "",
        checkpoints=tuple(c.name for c in state.checkpoints),
        proof=proof_view(state),
        summary=summary,
    )


def _stray(call: ev.CallOutcome) -> str:
    return f"{call.agent}, iteration {call.iteration}: {', '.join(call.strays)}"


def _known_issues(state: State) -> tuple[str, ...]:
    ended = state.closing in (ev.Status.SKIPPED, ev.Status.TERMINATED)
    return state.issues if ended else ()


def iteration_views(state: State) -> tuple[IterationView, ...]:
    """Return the history."""
    return tuple(_iteration(state, attempt) for attempt in attempts(state))


def handwork_views(state: State) -> tuple[HandworkView, ...]:
    """Return what a person changed between iterations; not what was before the first."""
    return tuple(
        HandworkView(
            after=made.after,
            files=made.files,
            diff=made.diff,
            fresh=tuple(red.error for red in made.now or () if _is_new(red, made.was)),
            green=tuple(
                red.id for red in made.was if red.id not in {one.id for one in made.now or made.was}
            ),
        )
        for made in state.departures
        if made.files and made.after
    )


def _is_new(red: ev.FailingTest, before: tuple[ev.FailingTest, ...]) -> bool:
    known = {each for one in before for each in (one.fingerprint, failures.normalise(one.error))}
    return known.isdisjoint((red.fingerprint, failures.normalise(red.error)))


def _iteration(state: State, attempt: Attempt) -> IterationView:
    e, told, fix = attempt.entry, attempt.diagnosis, attempt.fix
    return IterationView(
        number=e.iteration,
        result=e.result,
        report_path=e.report,
        root_cause=e.root_cause,
        path=told.path if told else "",
        line=told.line if told else None,
        fix_attempted=e.fix_attempted,
        new_errors=e.new_errors,
        fresh=attempt.ground.fresh,
        progress=e.iteration in state.helped,
        taken_back=e.progress and e.iteration not in state.helped,
        commit=e.commit,
        agent=e.worker,
        seconds=e.seconds,
        red_before=e.red_before,
        red_after=e.red_after,
        total=e.total,
        files=e.files,
        ignored=_ignored(state, e.iteration),
        upstream=told.upstream_dependency or "" if told else "",
        proposed=told.chosen.title if told and told.chosen else "",
        edits=attempt.edits,
        carried_out=attempt.carried_out,
        exhausted=bool(told and told.searched),
        open=attempt.ground.edition != state.edition or (attempt.doubted and bool(attempt.left)),
        made=attempt.made,
        diff=fix.diff if fix else "",
        note=_note(state, e),
        round=attempt.ground.round,
        code=_code(state, attempt),
    )


def _ignored(state: State, iteration: int) -> tuple[str, ...]:
    fixes = (fix for fix in state.fixes if fix.iteration == iteration)
    skipped = (each for fix in fixes for each in fix.skipped)
    return tuple(each.path for each in skipped if each.reason == LeftOutReason.IGNORED)


def _note(state: State, entry: ev.IterationEnded) -> str:
    accepted = entry.doubtful and entry.iteration in state.helped
    return f"a person accepted it; before, {entry.note}" if accepted else entry.note


def _code(state: State, attempt: Attempt) -> str:
    """Say which code an attempt was made on, once the code became another one by a person."""
    left, ground = attempt.left, attempt.ground
    if left is not None:
        return f"the code before {_departure(left)}"
    stands = (ground.edition, ground.helped) == (state.edition, state.helped)
    return "the code as it stands now" if stands and state.departures else ""


def _departure(left: Departure) -> str:
    """Say how the code became another one."""
    if left.checkpoint:
        return f"the session went back to checkpoint {left.checkpoint}"
    return {
        ev.OTHER: "a person took another change",
        ev.VALUE: "a person gave a value, which became a test",
    }.get(left.answer, "a person changed it by hand")


def proof_view(state: State) -> ProofView | None:
    """Return the last proof that was attempted."""
    proof = state.proof
    if proof is None:
        return None
    return ProofView(
        rows=proof.rows,
        accepted=proof.accepted,
        sandbox=proof.sandbox,
        network=proof.network,
        commit=proof.commit,
        seconds=proof.seconds,
        did_not_run=proof.did_not_run,
        weak=proof.weak,
        approved=proof.approved,
    )


def _phase(state: State, changes: tuple[TreeChange, ...]) -> PhaseRecord:
    def paths(kind: ChangeKind) -> tuple[str, ...]:
        return tuple(path_text(c.path) for c in changes if c.kind is kind)

    told: tuple[_Told, ...]
    told = (*state.diagnoses, *state.reviews, *state.challenges, *state.narrations)
    outputs = sorted(told, key=lambda output: output.iteration)
    validation = ""
    if state.kept:
        validation = f"{state.kept.passed} passed, {len(state.red)} red."
    if state.proof:
        validation += f" Proof {'accepted' if state.proof.accepted else 'refused'}."
    ended = require(state.updated) if state.ended else None
    return PhaseRecord(
        id=1,
        name="Debugging",
        status=_PHASE_STATUS[state.closing or state.status],
        agents=tuple(dict.fromkeys(output.agent for output in outputs)),
        started=state.created,
        completed=ended,
        files_created=paths(ChangeKind.CREATED),
        files_modified=paths(ChangeKind.MODIFIED),
        files_deleted=paths(ChangeKind.DELETED),
        errors=tuple(sorted(_errors(state), key=lambda error: require(error.timestamp))),
        retry_count=_retries(state),
        outputs=tuple(AgentOutput(agent=output.agent, text=_said(output)) for output in outputs),
        validation=validation.strip(),
    )


def _errors(state: State) -> Iterator[PhaseError]:
    """Yield what went wrong: calls of agents, and iterations that did not help."""
    for error, at in zip(state.agent_errors, state.erred_at, strict=True):
        entry = next((e for e in state.history if e.iteration == error.iteration), None)
        answered = entry is not None and entry.result is not Result.AGENT_FAILED
        yield PhaseError(
            agent=error.agent,
            timestamp=at,
            type=_ERROR_KIND.get(error.kind, ErrorKind.RUNTIME),
            message=error.message,
            resolution=_RESOLUTION[follow(error.kind)],
            resolved=answered or state.closing is ev.Status.GREEN,
        )
    for entry, at in zip(state.history, state.judged_at, strict=True):
        if entry.progress or entry.result in (Result.AGENT_FAILED, Result.HALTED):
            continue  # nothing went wrong, or it is told by the call, or by who halted it
        tried = entry.iteration < state.overall
        left = entry.note or "; ".join(entry.new_errors)
        yield PhaseError(
            agent=entry.worker,
            timestamp=at,
            type=ErrorKind.RUNTIME if entry.result is Result.BROKEN else ErrorKind.VALIDATION,
            message=f"{entry.result}: {left}" if left else str(entry.result),
            resolution="another iteration" if tried else "a person is asked",
            resolved=state.closing is ev.Status.GREEN,
        )


def _retries(state: State) -> int:
    """Count the iterations of the round that came after one that did not help."""
    first = state.overall - state.counter + 1
    return sum(first <= e.iteration < state.overall and not e.progress for e in state.history)


def _said(output: _Told) -> str:
    match output:
        case ev.Diagnosed():
            return output.diagnosis.root_cause
        case ev.Reviewed():
            return f"Review: {output.opinion}. {output.reason} {output.suggestion}".strip()
        case ev.Challenged():
            found = (f"{each.file}: {each.words}: {each.why}" for each in output.counterexamples)
            return "Challenge: " + ("; ".join(found) or "nothing that it gets wrong")
        case ev.Narrated():
            return output.what_happened
