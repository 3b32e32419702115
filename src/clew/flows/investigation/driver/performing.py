"""The hands of a debug session: one function an intent, and one that finds what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from clew.analysis.failures.pasted import find_again
from clew.analysis.failures.requests import MappedRequest, routed
from clew.analysis.testfiles import is_test_path
from clew.documents import knowledge
from clew.flows.investigation.driver.filing import file_away, write_plan
from clew.flows.investigation.driver.fixing import files_between, have_it_fixed
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
from clew.words.debug_sessions import DebugStatus
from clew.words.models import AgentRole
from clew.words.records import AgentCall, BaseTaken, Intent, Outcome, RunSession, TakeBase

__all__ = ["PERFORM", "RECONCILE", "Hands"]

SOURCES = (".go", ".js", ".jsx", ".py", ".rs", ".ts", ".tsx")  # where routes are looked for
MANY = 2_000  # files of them
FIXED = 50  # files that a fix may change: more are not the fix alone

Hands = SessionRun[DebugState]


def take_base(run: Hands, _: int, __: TakeBase) -> BaseTaken:
    """Record the person's tree, each time under a name of its own.

    Where they say that they fixed it, with the files that they changed.
    """
    state = run.state
    taken = run.take_base(f"base-{state.bases + 1}" if state.bases else "base")
    verified = (DebugStatus.VERIFYING, DebugStatus.AWAITING_HUMAN_VERIFY)
    if state.status not in verified or state.began_with is None:
        return taken
    changed = files_between(run, state.began_with.commit, taken.commit)
    if len(changed) > FIXED:
        return taken
    return replace(taken, changed=tuple(changed), holds=_held(run, taken.commit))


def _held(run: Hands, commit: str) -> str:
    """Return the session whose fix a commit holds: it has its files as that left them.

    Of a fix that was proven, and one that helped in part, the first.
    """
    for made in filter(None, (run.state.proven, run.state.in_part)):
        files = {*made.ended.result.get("files", ())}
        if files and not files & {*files_between(run, made.ended.commit, commit)}:
            return made.ended.child
    return ""


def look_up(run: Hands, _: int, __: LookUp) -> KnowledgeConsulted:
    """Find what was fixed before and shares words with the symptoms."""
    told = run.state.symptoms
    words = (run.state.session.trigger, told.actual, told.errors, told.expected)
    known = knowledge.matches(knowledge_base.entries(run.project.root), words)
    return KnowledgeConsulted(known=known)


def map_traceback(run: Hands, _: int, __: MapTraceback) -> TracebackMapped:
    """Find the frames of the pasted traceback in what the session begins with, and requests."""
    pasted, base = run.state.traceback, run.state.base
    if base is None:
        return TracebackMapped()
    requests = tuple(_routed(run, base.commit))
    if pasted is None:
        return TracebackMapped(requests=requests)

    def text_of(path: str) -> str | None:
        content = run.repository.show(base.commit, path)
        return None if content is None else content.decode("utf-8", "replace")

    frames = find_again(pasted, run.repository.files(base.commit), text_of)
    return TracebackMapped(error=pasted.error, frames=frames, requests=requests)


def _routed(run: Hands, base: str) -> Iterator[MappedRequest]:
    """Yield the pasted requests whose routes are in the code, tests left out."""
    if requests := run.state.requests:
        files = [path for path in run.repository.files(base) if path.endswith(SOURCES)]
        code = [path for path in files if not is_test_path(path)][:MANY]
        contents = run.repository.texts(base, code)
        texts = {path: text.decode("utf-8", "replace") for path, text in contents.items()}
        found = (routed(request, texts) for request in requests)
        yield from (each for each in found if each is not None)


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
