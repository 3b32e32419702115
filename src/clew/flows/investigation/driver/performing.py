"""The hands of a debug session: one function an intent, and one that finds what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clew.analysis.failures.pasted import find_again
from clew.documents import knowledge
from clew.flows.investigation.driver.filing import file_away, write_plan
from clew.flows.investigation.driver.fixing import have_it_fixed
from clew.flows.investigation.driver.gating import see_red, write_test
from clew.flows.investigation.driver.investigating import investigate, look_again
from clew.flows.investigation.driver.reproducing import reproduce
from clew.flows.investigation.driver.reviewing import review
from clew.flows.investigation.events import (
    FileAway,
    KnowledgeConsulted,
    LookUp,
    MapTraceback,
    Reproduce,
    SeeRed,
    TracebackMapped,
    WritePlan,
)
from clew.flows.investigation.states import DebugState
from clew.journal.flow import Pending
from clew.sessions import knowledge_base
from clew.sessions.run import SessionRun
from clew.words.models import AgentRole
from clew.words.records import AgentCall, BaseTaken, Intent, Outcome, RunSession, TakeBase

__all__ = ["PERFORM", "RECONCILE", "Hands"]

Hands = SessionRun[DebugState]


def take_base(run: Hands, _: int, __: TakeBase) -> BaseTaken:
    """Record the person's tree, each time under a name of its own."""
    number = run.state.bases
    return run.take_base(f"base-{number + 1}" if number else "base")


def look_up(run: Hands, _: int, __: LookUp) -> KnowledgeConsulted:
    """Find what was fixed before and shares words with the symptoms."""
    told = run.state.symptoms
    words = (run.state.session.trigger, told.actual, told.errors, told.expected)
    known = knowledge.matches(knowledge_base.entries(run.project.root), words)
    return KnowledgeConsulted(known=known)


def map_traceback(run: Hands, _: int, __: MapTraceback) -> TracebackMapped:
    """Find the frames of the pasted traceback in what the session begins with."""
    pasted, base = run.state.traceback, run.state.base
    if pasted is None or base is None:
        return TracebackMapped()

    def text_of(path: str) -> str | None:
        content = run.repository.show(base.commit, path)
        return None if content is None else content.decode("utf-8", "replace")

    frames = find_again(pasted, run.repository.files(base.commit), text_of)
    return TracebackMapped(error=pasted.error, frames=frames)


def call_agent(run: Hands, _: int, intent: AgentCall) -> Outcome:
    """Have an agent do what its role asks for."""
    hands = {AgentRole.WRITE_TEST: write_test, AgentRole.REVIEW: review}
    return hands.get(intent.role, investigate)(run, intent)


PERFORM: Mapping[type[Intent], Callable[[Hands, int, Any], Outcome | Pending]] = {
    TakeBase: take_base,
    LookUp: look_up,
    MapTraceback: map_traceback,
    Reproduce: reproduce,
    AgentCall: call_agent,
    SeeRed: see_red,
    RunSession: have_it_fixed,
    WritePlan: write_plan,
    FileAway: file_away,
}

# Each of them finds what it did before, or does no harm when it is done again.
RECONCILE: Mapping[type[Intent], Callable[[Hands, int, Any], Outcome | Pending | None]] = {
    **PERFORM,
    AgentCall: look_again,
}
