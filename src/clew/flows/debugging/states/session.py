"""Moves of a session as a whole: its start and end, and the work begun and given up in it."""

from __future__ import annotations

from msgspec.structs import replace

from clew.flows.debugging.states.record import State
from clew.flows.debugging.states.spent import called
from clew.flows.debugging.states.table import Stage
from clew.words import events as ev
from clew.words.models import AgentRole

__all__ = [
    "KNOWLEDGE",
    "abandoned",
    "documented",
    "ended",
    "interrupted",
    "opened",
    "set_up",
    "started",
    "unmoved",
]

KNOWLEDGE = "knowledge"  # the kind of the document that proven fixes add to


def opened(state: State, event: ev.SessionOpened) -> State:
    return replace(state, stage=Stage.OPENED, opened=event, guidance=event.guidance)


def set_up(state: State, event: ev.SetUpRead) -> State:
    settings = state.settings.with_tests(event.settings)
    stage = Stage.SNAPPED if state.stage is Stage.BASELINED else state.stage
    return replace(state, stage=stage, opened=replace(state.session, settings=settings))


def started(state: State, event: ev.Started[ev.AnyIntent]) -> State:
    conversation = getattr(event.intent, "conversation", "")
    return replace(state, in_flight={state.seq + 1: event.intent}, conversation=conversation)


def abandoned(state: State, event: ev.Abandoned[ev.AnyIntent]) -> State:
    cut_off = (*state.cut_off, called(event)) if called(event) else state.cut_off
    state = replace(state, in_flight={}, cut_off=cut_off)
    if not ev.calls(event.intent, AgentRole.DOCUMENT):
        return state
    state = replace(state, failures=state.failures + 1)
    over = state.failures > state.settings.agent_retries
    return replace(state, told=state.head) if over else state


def interrupted(state: State, _: ev.Interrupted) -> State:
    """Ask nobody for words any more: nothing else of a proven fix takes long enough to be ended."""
    return replace(state, told=state.head) if state.closing is ev.Status.GREEN else state


def documented(state: State, event: ev.DocumentWritten) -> State:
    if event.kind == KNOWLEDGE and state.stage is Stage.CLOSING:
        documents = (*state.documents, event)
        return replace(state, learned=state.head, documents=documents, failures=0)
    stage = Stage.CLOSED if state.stage is Stage.CLOSING else Stage.ESCALATED
    return replace(state, stage=stage, documents=(*state.documents, event))


def unmoved(state: State, _: ev.Event) -> State:
    return state


def ended(state: State, event: ev.SessionEnded) -> State:
    return replace(state, stage=Stage.ENDED, ended=event, question=None)
