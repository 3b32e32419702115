"""Moves by what persons are asked and say."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from clew.flows.debugging.states.attempts import acceptable, undecided
from clew.flows.debugging.states.record import ChosenChange, Departure, State, refusal, require
from clew.flows.debugging.states.table import Stage
from clew.flows.debugging.states.trees import put_back
from clew.probe.formulas import same_value
from clew.words import events as ev
from clew.words.edits import patch_hash
from clew.words.events import Result, Status
from clew.words.facts import RAISES, Unsettled
from clew.words.test_ids import home_of

__all__ = ["answered", "asked", "went_back"]

_CLOSING = {"skip": Status.SKIPPED, "terminate": Status.TERMINATED}


def asked(state: State, event: ev.QuestionAsked) -> State:
    return replace(
        state,
        stage=Stage.WAITING,
        question=event,
        asked=state.asked + 1,
        asked_last=event.kind,
        ask_again=False,
    )


def answered(state: State, event: ev.QuestionAnswered) -> State:
    question = state.question
    if question is None or question.id != event.id:
        raise refusal(state, event, f"no question {event.id} is pending")
    option = next((o for o in question.options if o.word == event.option), None)
    if option is None or not option.available:
        raise refusal(state, event, f"{event.option!r} is not an answer to {event.id}")
    state = replace(
        _chosen(state, question, event.option),
        question=None,
        closing=None,
        answers=(*state.answers, event),
        refuted=(*state.refuted, *_refuted(state, question, event)),
        answer_files=_changed(question, event),
        granted=event.budget or state.granted,
    )
    if event.agents:
        state = _handed_to(state, event)
    if event.text:
        state = replace(state, guidance=(*state.guidance, event.text))
    state = _after(state, question.kind)
    match event.option:
        case "guidance" | "again" | "fault":
            faults = state.arguable if event.option == "fault" else frozenset()
            state = replace(state, flaky=state.flaky - faults)
            return _anew(state) if event.edited else replace(state, stage=Stage.RECHECKED)
        case "skip" | "terminate":
            return replace(state, stage=Stage.CLOSING, closing=_CLOSING[event.option])
        case "approve":
            return _approved(state)
        case "reject":
            return _rejected(state)
        case "investigate" | ev.OTHER | ev.VALUE:
            tests = (home_of(event.test),) if event.test else ()
            return _anew(_allowed(state, tests, event.commit))
        case word:
            return _accepted(state, event, word)


def _chosen(state: State, question: ev.QuestionAsked, word: str) -> State:
    """Note the change that a person takes, if any, and the iteration whose change it replaces."""
    told = question.unsettled
    if word != ev.OTHER or told is None:
        return state
    attempt = undecided(state)
    own = attempt and attempt.diagnosis and attempt.diagnosis.unsettled == told
    parts = attempt.proof.undecided if attempt and attempt.proof and not own else ()
    iteration = parts[0] if parts else attempt.entry.iteration if attempt else 0
    chosen = ChosenChange(told=told, iteration=iteration, generation=state.generation + 1)
    return replace(state, taken_instead=chosen)


def _refuted(
    state: State, question: ev.QuestionAsked, event: ev.QuestionAnswered
) -> tuple[str, ...]:
    """Return the hashes of the changes that give something else than what a person says."""
    told = question.unsettled
    if told is None or event.option != ev.VALUE:
        return ()
    attempt = undecided(state)
    of_it = attempt and attempt.diagnosis and attempt.diagnosis.unsettled == told
    own = attempt.edits if attempt and of_it else ()
    both = ((told.gives, own), (told.other_gives, told.edits))
    return tuple(patch_hash(edits) for gives, edits in both if edits and _differ(gives, event.text))


def _differ(gives: str, value: str) -> bool:
    """Tell whether two values, as code writes them, are known to differ."""
    if gives.startswith(RAISES) or value.startswith(RAISES):
        return gives.partition(":")[0] != value
    return same_value(gives, gives) and not same_value(gives, value)  # it is a literal


def _changed(question: ev.QuestionAsked, event: ev.QuestionAnswered) -> tuple[str, ...]:
    """Return the files into which an answer is written: another change, or a test of a value."""
    match question.unsettled, event.option:
        case Unsettled() as told, ev.OTHER:
            return tuple(edit.path for edit in told.edits)
        case Unsettled() as told, ev.VALUE:
            return (home_of(event.test), *(edit.path for edit in told.undo))
        case _:
            return ()


def _handed_to(state: State, event: ev.QuestionAnswered) -> State:
    """Go on with other agents; what was found out and tried so far is theirs as well."""
    settings = replace(state.settings, agent=event.agents)
    unbounded = tuple(dict.fromkeys((*state.session.unbounded, *event.unbounded)))
    return replace(state, opened=replace(state.session, settings=settings, unbounded=unbounded))


def _after(state: State, kind: ev.QuestionKind) -> State:
    """Take note that a question of this kind was answered.

    Within a round, and before the first, an answer opens no other one.
    """
    asked = state.halted is not None and state.halted.kind is ev.HaltKind.SCOPE
    ends = kind in (ev.QuestionKind.ESCALATION, ev.QuestionKind.UNPROVEN)
    return replace(state, decided=state.decided or asked, reopened=state.reopened or ends)


def _anew(state: State) -> State:
    """Go on from what the person has now, in their tree and in the worktree."""
    generation = state.generation + 1
    return replace(state, stage=Stage.OPENED, generation=generation, answered_at=generation)


def _approved(state: State) -> State:
    if state.by_hand:
        paths, commit, stage = require(state.snapshot).touched, state.carrying, Stage.SNAPPED
    else:
        fix = require(state.fix)
        paths, commit, stage = fix.tampering, require(fix.commit), Stage.VERIFYING
    return replace(_allowed(state, paths, commit), stage=stage)


def _allowed(state: State, paths: Sequence[str], commit: str) -> State:
    """Have files of the tests count as they are in a commit."""
    new = {p: ev.Approval(path=p, commit=commit) for p in paths}
    kept = tuple(each for each in state.approved if each.path not in new)
    return replace(state, approved=(*kept, *new.values()))


def _accepted(state: State, event: ev.QuestionAnswered, word: str) -> State:
    """Have what a person says is right proven once more: their own work, or an attempt."""
    if word == ev.ACCEPT:
        commit = require(state.proof).commit
    else:
        attempt = next((a for a in acceptable(state) if a.entry.acceptance == word), None)
        if attempt is None:
            raise refusal(state, event, f"{word!r} takes more than an answer")
        commit = event.commit or require(attempt.entry.commit)
        state = replace(state, helped=state.helped | {attempt.entry.iteration})
    stage = Stage.SNAPPED if require(state.snapshot).tip else Stage.RECHECKED
    accepted = (*state.accepted, commit)
    return replace(state, stage=stage, carrying=commit, halted=None, accepted=accepted)


def _rejected(state: State) -> State:
    if state.by_hand:
        taken = require(state.snapshot)
        return put_back(replace(state, turned_down=(taken.touched, taken.test_diff)), taken)
    files = ", ".join(require(state.fix).tampering)
    note = f"a person rejected the change of {files}"
    return replace(state, stage=Stage.UNDOING, verdict=Result.TAMPERING, note=note)


def went_back(state: State, event: ev.WentBack) -> State:
    mark = state.mark(event.checkpoint)
    if mark is None:
        raise refusal(state, event, f"there is no checkpoint {event.checkpoint!r}")
    return replace(
        state,
        stage=Stage.RETURNING,
        ask_again=not event.text and event.checkpoint == state.chose_at,
        head=mark.commit,
        kept=mark.kept,
        snapshot=mark.snapshot,
        baseline=mark.baseline,
        origin=mark.origin,
        rechecked=mark.rechecked,
        helped=mark.helped,
        edition=mark.edition,
        rejected=mark.rejected,
        answers_before=len(state.answers),
        turned_down=((), ""),  # they may see it otherwise now
        refuted=(),  # and may have mistyped a value
        departures=(
            *state.departures,
            Departure(after=state.overall, checkpoint=event.checkpoint),
        ),
        carrying="",
        spare="",
        proof=None,
        question=None,
        closing=None,
        ended=None,
        guidance=(*state.guidance, event.text) if event.text else state.guidance,
    )
