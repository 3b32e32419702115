"""Moves by what agents answer: diagnosis, report, review, fix and challenge."""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.debugging.states.attempts import Attempt, repeated
from clew.flows.debugging.states.disputes import dispute
from clew.flows.debugging.states.ladder import (
    doubted,
    fixing_agent_after,
    handed_on,
    is_overruled,
    next_rung,
)
from clew.flows.debugging.states.record import State, require
from clew.flows.debugging.states.table import Stage
from clew.words import events as ev
from clew.words.events import Result
from clew.words.retry_policy import Reaction, follow, is_hopeless

__all__ = [
    "agent_erred",
    "challenged",
    "conversing",
    "diagnosed",
    "draft",
    "fixed",
    "narrated",
    "reported",
    "reviewed",
    "rung_passed",
]

UNSETTLED = "not tried: the requirement is unclear"


def conversing(state: State, event: ev.ConversationBegan) -> State:
    return replace(state, conversation=event.conversation)


def diagnosed(state: State, event: ev.Diagnosed) -> State:
    investigated = doubted(state)
    state = replace(
        state,
        calls=state.calls + 1,
        failures=0,
        diagnosed=event,
        diagnoses=(*state.diagnoses, event),
        note="",
    )
    if event.proposes and event.diagnosis.confidence == "low" and not investigated:
        return state
    return _settled(state, event)


def agent_erred(state: State, event: ev.AgentErred) -> State:
    before = [e.kind for e in state.agent_errors[len(state.agent_errors) - state.failures :]]
    state = replace(
        state,
        calls=state.calls + 1,
        failures=state.failures + 1,
        note=f"{event.agent}: {event.message}",
        agent_errors=(*state.agent_errors, event),
    )
    if is_hopeless(event.kind, before) or event.after > state.settings.longest_wait:
        state = replace(state, unfit=state.unfit | {event.agent})
    elif state.failures <= state.settings.agent_retries and _is_worth_it(state, event):
        return state
    if state.stage is Stage.CLOSING:
        return replace(state, told=state.head)
    if state.stage is Stage.REVIEWING:
        return replace(state, stage=Stage.FIXING, failures=0)
    if state.stage is Stage.CHALLENGING:
        return replace(state, stage=Stage.PROVING, failures=0, note="")
    if state.stage is Stage.DIAGNOSING:
        return _after(state)
    return handed_on(state, "")


def _after(state: State) -> State:
    """Take what the present agent gave before it failed, if that can be used; else the next one."""
    told = draft(state)
    if told is None:
        return next_rung(state)
    state = replace(
        state,
        failures=0,
        diagnosed=told,
        diagnoses=(*state.diagnoses, told),
        drafts=(*state.drafts, told),
        note="",
    )
    return _settled(state, told)


def draft(state: State) -> ev.Diagnosed | None:
    """Return what the present agent gave before it failed, if it is not taken yet."""
    drafts = (
        erred.draft
        for erred in reversed(state.agent_errors)
        if erred.draft and (erred.iteration, erred.agent) == (state.overall, state.agent)
    )
    told = next(drafts, None)
    return None if told in state.drafts else told


def _settled(state: State, told: ev.Diagnosed) -> State:
    if told.proposes and not told.diagnosis.blind and not repeated(state, told):
        return replace(state, stage=Stage.REPORTING)
    return next_rung(state)


def _is_worth_it(state: State, event: ev.AgentErred) -> bool:
    """Tell whether the call is made again: nothing waits for words about what is done."""
    return state.stage is not Stage.CLOSING or follow(event.kind) is Reaction.AGAIN


def rung_passed(state: State, event: ev.RungPassed) -> State:
    state = replace(state, note=f"{event.agent}: {event.reason}")
    match state.stage:
        case Stage.DIAGNOSING:
            return _after(state)
        case Stage.REVIEWING:
            return replace(state, stage=Stage.FIXING, failures=0)
        case Stage.CHALLENGING:
            return replace(state, stage=Stage.PROVING, failures=0, note="")
        case _:
            return handed_on(state, fixing_agent_after(state))


def reported(state: State, event: ev.ReportWritten) -> State:
    state = replace(state, report=event, reports=(*state.reports, event), failures=0)
    told = require(state.diagnosed)
    if before := repeated(state, told):
        note = _same_again(before)
        return replace(state, stage=Stage.JUDGED, verdict=Result.REPEATED, note=note)
    if told.proposes and dispute(state):
        return replace(state, stage=Stage.JUDGED, verdict=Result.NO_FIX, note=UNSETTLED)
    if told.proposes and not told.diagnosis.blind:
        reviewer = state.settings.review
        wanted = bool(reviewer) and reviewer not in state.unfit
        return replace(state, stage=Stage.REVIEWING if wanted else Stage.FIXING)
    if told.diagnosis.elsewhere and told.diagnosis.edits and state.session.rules > 1:
        note = f"not tried, a person is asked first: {told.diagnosis.elsewhere}"
        return replace(state, stage=Stage.JUDGED, verdict=Result.NOT_DONE, note=note)
    note = f"not tried, it is unsure: {told.diagnosis.confidence_reason}"
    return replace(
        state,
        stage=Stage.JUDGED,
        verdict=Result.NO_FIX,
        note=note if told.proposes else state.note,
    )


def reviewed(state: State, event: ev.Reviewed) -> State:
    """Go on to the fix: another agent's, where the built-in repairer's patch met an objection."""
    state = replace(
        state,
        stage=Stage.FIXING,
        calls=state.calls + 1,
        failures=0,
        reviewed=event,
        reviews=(*state.reviews, event),
        note="",
    )
    if is_overruled(state):
        return replace(state, fixer=fixing_agent_after(state))
    return state


def fixed(state: State, event: ev.FixApplied) -> State:
    known = repeated(state, event)
    fixes = (*state.fixes, event)
    state = replace(state, calls=state.calls + 1, fix=event, fixes=fixes, note="")
    if event.commit is None:
        undone = Result.NO_FIX if state.session.rules == 1 else Result.NOT_DONE
        note = "the fixer changed nothing" + " that a commit holds" * bool(event.skipped)
        return replace(state, stage=Stage.JUDGED, verdict=undone, note=note)
    if event.tampering and event.consult and not known:
        return replace(state, stage=Stage.CONSULTING)
    if event.tampering:
        note = "tests or their configuration were edited: " + ", ".join(event.tampering)
        return replace(state, stage=Stage.UNDOING, verdict=Result.TAMPERING, note=note)
    if known:
        note = _same_again(known)
        return replace(state, stage=Stage.UNDOING, verdict=Result.REPEATED, note=note)
    return replace(state, stage=Stage.VERIFYING)


def _same_again(before: Attempt) -> str:
    if before.unwanted:
        return "a person undid the same change before, though it was proven"
    if before.failed and before.entry.result is Result.TAMPERING:
        return "a person rejected the same change of tests before"
    if before.doubted:
        return f"the same change helped in iteration {before.entry.iteration}, and is doubted"
    return "the same change was tried before and did not help"


def challenged(state: State, event: ev.Challenged) -> State:
    return replace(
        state,
        stage=Stage.PROVING,
        calls=state.calls + 1,
        failures=0,
        challenges=(*state.challenges, event),
    )


def narrated(state: State, event: ev.Narrated) -> State:
    return replace(
        state,
        calls=state.calls + 1,
        failures=0,
        told=state.head,
        narrations=(*state.narrations, event),
    )
