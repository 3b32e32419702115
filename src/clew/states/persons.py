"""Moves by what persons are asked and say."""

from __future__ import annotations

from msgspec.structs import replace

from clew import events as ev
from clew.events import Result, Status
from clew.states.record import State, given, refusal
from clew.states.table import Stage

__all__ = ["answered", "asked", "went_back"]


def asked(state: State, event: ev.QuestionAsked) -> State:
    return replace(state, stage=Stage.WAITING, question=event, asked=state.asked + 1)


def answered(state: State, event: ev.QuestionAnswered) -> State:
    question = state.question
    if question is None or question.id != event.id:
        raise refusal(state, event, f"no question {event.id} is pending")
    option = next((o for o in question.options if o.word == event.option), None)
    if option is None or not option.available:
        raise refusal(state, event, f"{event.option!r} is not an answer to {event.id}")
    state = replace(state, question=None, answers=(*state.answers, event))
    if event.text:
        state = replace(state, guidance=(*state.guidance, event.text))
    match event.option:
        case "guidance":
            return replace(state, stage=Stage.RECHECKED)
        case "skip":
            return replace(state, stage=Stage.CLOSING, closing=Status.SKIPPED)
        case "terminate":
            return replace(state, stage=Stage.CLOSING, closing=Status.TERMINATED)
        case "approve":
            return _approved(state)
        case "reject":
            files = ", ".join(given(state.fix).tampering)
            note = f"a person does not let the fix change {files}"
            return replace(state, stage=Stage.UNDOING, verdict=Result.TAMPERING, note=note)
        case "investigate":
            return replace(state, stage=Stage.OPENED, generation=state.generation + 1)
        case other:
            raise refusal(state, event, f"{other!r} takes more than an answer")


def _approved(state: State) -> State:
    fix = given(state.fix)
    new = {p: ev.Approval(path=p, commit=given(fix.commit)) for p in fix.tampering}
    kept = tuple(each for each in state.approved if each.path not in new)
    return replace(state, stage=Stage.VERIFYING, approved=(*kept, *new.values()))


def went_back(state: State, event: ev.WentBack) -> State:
    mark = state.mark(event.checkpoint)
    if mark is None:
        raise refusal(state, event, f"there is no checkpoint {event.checkpoint!r}")
    return replace(
        state,
        stage=Stage.RETURNING,
        head=mark.commit,
        kept=mark.kept,
        snapshot=mark.snapshot,
        baseline=mark.baseline,
        rechecked=mark.rechecked,
        helped=mark.helped,
        carrying="",
        proof=None,
        question=None,
        closing=None,
        ended=None,
        guidance=(*state.guidance, event.text) if event.text else state.guidance,
    )
