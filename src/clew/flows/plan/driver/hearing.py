"""What a person says to a plan while another process works on it: an answer, other gates, a plan.

Only who holds a session appends to it. So whoever has something to say lays that beside the
journal; the process at work takes it, or says why it does not.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from clew.flows.plan.decisions.merging import refused
from clew.flows.plan.decisions.revising import edited, taken_back
from clew.flows.plan.driver.gating import read_gates
from clew.flows.plan.events import PlanAnswered, PlanBounded, PlanChanged
from clew.flows.plan.states import PlanState
from clew.journal.store import Store
from clew.sandbox.files import write_atomically
from clew.words.errors import UsageError
from clew.words.facts import Fact
from clew.words.plans import Plan
from clew.words.records import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.sessions.run import SessionRun

__all__ = ["HEARING", "PlanRequest", "RequestHearing", "ask_holder", "wanted"]

HEARING = -1  # among what is pending, of which each has the number of an event
PATIENCE = 20.0  # seconds for the process at work to answer
LOOK = 0.1  # seconds between two looks


class PlanRequest(Fact, frozen=True, kw_only=True):
    """A person's answer, other gates, or another plan; else its newest change is undone."""

    answer: PlanAnswered | None = None
    gates: PlanBounded | None = None
    plan: Plan | None = None
    digest: str = ""


class RequestHearing:
    """Takes a request when there is one; a `clew.journal.flow.Pending` that nobody waits for."""

    waiting = True

    def __init__(self, run: SessionRun[PlanState]) -> None:
        self._run = run
        self._place, self._refusal = _places(run.store, run.id)

    def poll(self) -> Event | None:
        """Return what is asked for, as an event; what may not be is refused in a file."""
        try:
            asked = self._place.read_bytes()
        except FileNotFoundError:
            return None
        self._place.unlink(missing_ok=True)
        try:
            request = msgspec.json.decode(asked, type=PlanRequest)
            event = wanted(self._run.state, request)
            if request.answer:
                read_gates(self._run, self._run.state.question)
        except (msgspec.DecodeError, UsageError) as error:
            why = error.whole if isinstance(error, UsageError) else "the request cannot be read"
            write_atomically(self._refusal, why.encode())
            return None
        return event

    def stop(self) -> None:
        """Leave what may be asked for to who goes on."""


def wanted(state: PlanState, request: PlanRequest) -> PlanChanged | PlanAnswered | PlanBounded:
    """Return what a request comes to. Raises UsageError where it may not be."""
    if request.answer:
        if state.question is None or state.question.id != request.answer.id:
            raise UsageError("what was asked is settled already", hint="`clew status` shows how.")
        return request.answer
    if request.gates:
        return replace(request.gates, judged_anew=refused(state))
    if request.plan is None:
        return taken_back(state)
    return edited(state, request.plan, request.digest)


def ask_holder(
    store: Store, session: str, request: PlanRequest, load: Callable[[], PlanState]
) -> PlanState:
    """Ask the process that works on a plan; return its state once it has taken the request.

    Raises UsageError with its reason, or where it does not answer.
    """
    place, refusal = _places(store, session)
    before = load()
    wanted(before, request)
    refusal.unlink(missing_ok=True)
    write_atomically(place, msgspec.json.encode(request))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if refusal.exists():
            why = refusal.read_text()
            refusal.unlink(missing_ok=True)
            raise UsageError(why)
        state = load()
        if _heard(state, request) != _heard(before, request) and not place.exists():
            return state
        time.sleep(LOOK)
    place.unlink(missing_ok=True)
    raise UsageError(
        f"the process that works on {session} does not answer",
        hint=f"`clew pause {session}` stops it; then say it again.",
    )


def _heard(state: PlanState, request: PlanRequest) -> object:
    """Return what is another one once a request is taken."""
    if request.answer:
        return state.question
    return state.bounds if request.gates else state.changes


def _places(store: Store, session: str) -> tuple[Path, Path]:
    folder = store.folder / "requests"
    return folder / f"{session}.json", folder / f"{session}.refused"
