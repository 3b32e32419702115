"""The states of a session and the one function that moves between them.

A state is a fold over the session's events: `fold(state, recorded)` and nothing else makes one.
`TRANSITIONS` is the whole machine: which events a stage admits, and where they may lead. Whatever
is not in the table is refused with both sides named, and changes nothing.

Laws held here:
- an outcome needs its intent in flight; an intent is in flight once;
- the iteration counter moves with `IterationBegan` alone, by one, never past the cap of its round;
- counter - 1 <= entries of the history <= counter, at every instant;
- a round begins only after the recheck of the baseline, or by a person's answer;
- a halt or a way back never shortens the history: what was tried stays known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from clew import events as ev
from clew.edits import patch_hash
from clew.errors import TransitionRefused
from clew.events import Result, Status
from clew.facts import BUILT_IN, Usage, Verdict
from clew.setbacks import Follow, follow

__all__ = [
    "OUTCOMES",
    "TRANSITIONS",
    "Mark",
    "Spent",
    "Stage",
    "State",
    "doubted",
    "fold",
    "given",
    "replay",
]

T = TypeVar("T")

KNOWLEDGE = "knowledge"  # the kind of the document that proven fixes add to


class Stage(StrEnum):
    """Where a session stands: each names what comes next."""

    NEW = "new"
    OPENED = "opened"  # next: snapshot
    SNAPPED = "snapped"  # next: baseline run
    BASELINED = "baselined"  # next: recheck of the red tests
    RECHECKED = "rechecked"  # next: the first bad commit, if asked for, and a round
    STANDING = "standing"  # next: checkpoint of what stands now
    ROUND = "round"  # next: an iteration, or the escalation
    DIAGNOSING = "diagnosing"
    REPORTING = "reporting"
    REVIEWING = "reviewing"
    FIXING = "fixing"
    CONSULTING = "consulting"  # next: ask whether the fix may change tests
    VERIFYING = "verifying"
    PROVING = "proving"
    UNDOING = "undoing"  # next: roll back what did not help
    RETURNING = "returning"  # next: put the worktree back to where a person wants it
    JUDGED = "judged"  # next: the entry in the history
    PASSED = "passed"  # next: checkpoint
    CLOSING = "closing"  # next: what the fix taught, then the summary
    CLOSED = "closed"  # next: end
    ESCALATING = "escalating"  # next: escalation message
    ESCALATED = "escalated"  # next: question
    WAITING = "waiting"  # a person's turn
    ENDED = "ended"


_ANY_WORK = (
    Stage.OPENED,
    Stage.SNAPPED,
    Stage.BASELINED,
    Stage.RECHECKED,
    Stage.STANDING,
    Stage.ROUND,
    Stage.DIAGNOSING,
    Stage.REPORTING,
    Stage.REVIEWING,
    Stage.FIXING,
    Stage.VERIFYING,
    Stage.PROVING,
    Stage.UNDOING,
    Stage.RETURNING,
    Stage.PASSED,
    Stage.CLOSING,
    Stage.ESCALATING,
)

_LEAVING: dict[type[ev.Event], tuple[Stage, ...]] = {
    ev.WentBack: (Stage.RETURNING,),
    ev.SessionEnded: (Stage.ENDED,),
}

TRANSITIONS: dict[Stage, dict[type[ev.Event], tuple[Stage, ...]]] = {
    Stage.NEW: {ev.SessionOpened: (Stage.OPENED,)},
    Stage.OPENED: {ev.SnapshotTaken: (Stage.SNAPPED,), **_LEAVING},
    Stage.SNAPPED: {ev.TestsRan: (Stage.BASELINED,), **_LEAVING},
    Stage.BASELINED: {
        ev.TestsRan: (Stage.RECHECKED,),
        ev.QuestionAsked: (Stage.WAITING,),
        **_LEAVING,
    },
    Stage.RECHECKED: {
        ev.TestsRan: (Stage.RECHECKED, Stage.PROVING),
        ev.Bisected: (Stage.RECHECKED,),
        ev.RoundBegan: (Stage.STANDING,),
        ev.QuestionAsked: (Stage.WAITING,),
        **_LEAVING,
    },
    Stage.STANDING: {
        ev.CheckpointSaved: (Stage.ROUND, Stage.ESCALATING),
        ev.IterationBegan: (Stage.DIAGNOSING,),
        ev.Halted: (Stage.STANDING,),
        ev.WentBack: (Stage.RETURNING,),
    },
    Stage.ROUND: {
        ev.IterationBegan: (Stage.DIAGNOSING,),
        ev.Halted: (Stage.ROUND,),
        ev.WentBack: (Stage.RETURNING,),
        ev.CheckpointSaved: (Stage.ESCALATING,),
    },
    Stage.DIAGNOSING: {
        ev.Diagnosed: (Stage.DIAGNOSING, Stage.REPORTING),
        ev.AgentErred: (Stage.DIAGNOSING, Stage.REPORTING, Stage.JUDGED),
        ev.RungPassed: (Stage.DIAGNOSING, Stage.REPORTING, Stage.JUDGED),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.REPORTING: {
        ev.ReportWritten: (Stage.REVIEWING, Stage.FIXING, Stage.JUDGED),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.REVIEWING: {
        ev.Reviewed: (Stage.FIXING,),
        ev.AgentErred: (Stage.REVIEWING, Stage.FIXING),
        ev.RungPassed: (Stage.FIXING,),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.FIXING: {
        ev.RungPassed: (Stage.FIXING, Stage.UNDOING),
        ev.Halted: (Stage.UNDOING,),
        ev.FixApplied: (Stage.VERIFYING, Stage.CONSULTING, Stage.UNDOING, Stage.JUDGED),
        ev.AgentErred: (Stage.FIXING, Stage.UNDOING),
    },
    Stage.CONSULTING: {ev.QuestionAsked: (Stage.WAITING,), ev.Halted: (Stage.UNDOING,)},
    Stage.VERIFYING: {
        ev.TestsRan: (Stage.PROVING, Stage.UNDOING, Stage.JUDGED),
        ev.Halted: (Stage.UNDOING,),
    },
    Stage.PROVING: {
        ev.Proved: (Stage.JUDGED, Stage.UNDOING, Stage.PASSED, Stage.RETURNING),
        ev.Halted: (Stage.UNDOING, Stage.RETURNING),
    },
    Stage.UNDOING: {ev.RolledBack: (Stage.JUDGED,), ev.Halted: (Stage.UNDOING,)},
    Stage.RETURNING: {ev.RolledBack: (Stage.RECHECKED,)},
    Stage.JUDGED: {
        ev.IterationEnded: (Stage.PASSED, Stage.STANDING),
        ev.Halted: (Stage.JUDGED,),
    },
    Stage.PASSED: {ev.CheckpointSaved: (Stage.CLOSING,)},
    Stage.CLOSING: {ev.DocumentWritten: (Stage.CLOSING, Stage.CLOSED)},
    Stage.CLOSED: {ev.SessionEnded: (Stage.ENDED,)},
    Stage.ESCALATING: {ev.DocumentWritten: (Stage.ESCALATED,)},
    Stage.ESCALATED: {ev.QuestionAsked: (Stage.WAITING,)},
    Stage.WAITING: {
        ev.QuestionAnswered: (
            Stage.OPENED,
            Stage.RECHECKED,
            Stage.VERIFYING,
            Stage.UNDOING,
            Stage.CLOSING,
        ),
        ev.WentBack: (Stage.RETURNING,),
    },
    Stage.ENDED: {ev.WentBack: (Stage.RETURNING,)},
}
"""stage → event → the stages it may lead to. Those of `_UNMOVING` move nothing: they are admitted
around the work that they tell of; `Interrupted` and `EditsKept` everywhere but before the start."""

_UNMOVING = (ev.Started, ev.Abandoned, ev.ConversationBegan, ev.Interrupted, ev.EditsKept)

OUTCOMES: dict[type[ev.Intent], tuple[type[ev.Event], ...]] = {
    ev.TakeSnapshot: (ev.SnapshotTaken,),
    ev.RunTests: (ev.TestsRan,),
    ev.Bisect: (ev.Bisected,),
    ev.Diagnose: (ev.Diagnosed, ev.AgentErred),
    ev.WriteReport: (ev.ReportWritten,),
    ev.Review: (ev.Reviewed, ev.AgentErred),
    ev.ApplyFix: (ev.FixApplied, ev.AgentErred),
    ev.RollBack: (ev.RolledBack,),
    ev.Prove: (ev.Proved,),
    ev.SaveCheckpoint: (ev.CheckpointSaved,),
    ev.WriteDocument: (ev.DocumentWritten,),
}
"""intent → the events that settle it (beside `Abandoned`)."""

_CALLS = (ev.Diagnosed, ev.AgentErred, ev.Reviewed, ev.FixApplied)
_CALLING = (ev.Diagnose, ev.Review, ev.ApplyFix)
_COSTLY = (ev.TestsRan, ev.Bisected, ev.Proved, ev.Abandoned, *_CALLS)
_SETTLING = tuple({kind for kinds in OUTCOMES.values() for kind in kinds})


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What agents and tests have taken; a call that tells no tokens or money adds none."""

    calls: int = 0  # of agents
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0

    def plus(self, event: ev.Event) -> Spent:
        """Add an event's seconds and usage."""
        usage = getattr(event, "usage", None) or Usage()
        return Spent(
            calls=self.calls + bool(_called(event)),
            seconds=self.seconds + getattr(event, "seconds", 0.0),
            tokens=self.tokens + (usage.input or 0) + (usage.output or 0),
            usd=self.usd + (usage.usd or 0.0),
        )

    def since(self, before: Spent) -> Spent:
        """Return what was spent after another count of it."""
        return Spent(
            calls=self.calls - before.calls,
            seconds=self.seconds - before.seconds,
            tokens=self.tokens - before.tokens,
            usd=self.usd - before.usd,
        )


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A place that one may go back to: a checkpoint, and what counted there."""

    name: str
    commit: str
    kept: ev.TestsRan
    snapshot: ev.SnapshotTaken
    baseline: ev.TestsRan
    rechecked: ev.TestsRan
    helped: frozenset[int] = frozenset()


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of a session."""

    stage: Stage = Stage.NEW
    seq: int = 0
    created: datetime | None = None
    updated: datetime | None = None
    opened: ev.SessionOpened | None = None
    in_flight: ev.AnyIntent | None = None
    begun: datetime | None = None  # when what is in flight, or was last, began
    conversation: str = ""  # of the last call, if it has a name
    interrupted: str = ""

    generation: int = 1
    snapshot: ev.SnapshotTaken | None = None
    baseline: ev.TestsRan | None = None
    rechecked: ev.TestsRan | None = None
    kept: ev.TestsRan | None = None  # the run on `head`
    before: ev.TestsRan | None = None  # the kept run when the iteration began
    head: str = ""  # the commit that counts
    helped: frozenset[int] = frozenset()  # iterations whose changes are part of it
    carrying: str = ""  # the commit with a person's work that is still to be judged
    flaky: frozenset[str] = frozenset()
    flakes: tuple[ev.Flake, ...] = ()  # the last word on each test that was examined
    topic: str = ""
    bisected: ev.Bisected | None = None

    round: int = 0
    cap: int = 0
    counter: int = 0  # iterations of this round
    overall: int = 0  # iterations of the session
    calls: int = 0  # agent calls that were settled
    rung: int = 0  # place on the ladder of agents
    failures: int = 0  # of the present agent at the present step
    diagnosed: ev.Diagnosed | None = None
    report: ev.ReportWritten | None = None
    reviewed: ev.Reviewed | None = None
    fixer: str = ""  # that carries the fix out, where it is not who proposed it
    fix: ev.FixApplied | None = None
    verified: ev.TestsRan | None = None
    verdict: Result | None = None
    note: str = ""
    halted: ev.Halted | None = None
    spent: Spent = Spent()
    spent_by: dict[str, Spent] = {}  # by agent, in this round
    spent_before_round: Spent = Spent()
    spent_before_iteration: Spent = Spent()

    history: tuple[ev.IterationEnded, ...] = ()
    signatures: tuple[str, ...] = ()  # of the failures that each of them began with
    reports: tuple[ev.ReportWritten, ...] = ()
    agent_errors: tuple[ev.AgentErred, ...] = ()
    cut_off: tuple[str, ...] = ()  # the agents of calls that never came to an end
    erred_at: datetime | None = None  # when an agent failed last
    unfit: frozenset[str] = frozenset()  # agents that no call mends before a person has acted
    diagnoses: tuple[ev.Diagnosed, ...] = ()
    reviews: tuple[ev.Reviewed, ...] = ()
    fixes: tuple[ev.FixApplied, ...] = ()
    proof: ev.Proved | None = None
    checkpoints: tuple[ev.CheckpointSaved, ...] = ()
    marks: tuple[Mark, ...] = ()
    documents: tuple[ev.DocumentWritten, ...] = ()
    learned: str = ""  # the proven commit that the knowledge base tells of
    question: ev.QuestionAsked | None = None
    asked: int = 0
    answers: tuple[ev.QuestionAnswered, ...] = ()
    approved: tuple[ev.Approval, ...] = ()  # files of the tests, the newest approval last
    guidance: tuple[str, ...] = ()
    closing: Status | None = None
    ended: ev.SessionEnded | None = None

    @property
    def session(self) -> ev.SessionOpened:
        """The opening event. Raises TransitionRefused before there is one."""
        if self.opened is None:
            raise TransitionRefused("the session has not been opened")
        return self.opened

    @property
    def status(self) -> Status:
        """How the session stands, in one word."""
        if self.ended:
            return self.ended.status
        return Status.WAITING if self.question else Status.RUNNING

    @property
    def agent(self) -> str:
        """The agent on the present rung of the ladder."""
        return self.session.agents[self.rung]

    @property
    def hands(self) -> str:
        """The agent that is to carry out what was proposed."""
        return self.fixer or given(self.diagnosed).agent

    @property
    def red(self) -> tuple[ev.Red, ...]:
        """The red tests of the kept run, without the flaky ones."""
        run = self.kept
        return tuple(r for r in run.red if r.id not in self.flaky) if run else ()

    @property
    def helpful(self) -> tuple[ev.IterationEnded, ...]:
        """The iterations that helped, without those that going back took away."""
        return tuple(entry for entry in self.history if entry.iteration in self.helped)

    @property
    def solvers(self) -> tuple[str, ...]:
        """Who made the changes that helped and still stand, each once, in their order."""
        return tuple(dict.fromkeys(e.worker for e in self.helpful if e.agent))

    @property
    def contributors(self) -> frozenset[str]:
        """The agents that had a part in what helped and still stands, or that are at work."""
        over = {entry.iteration for entry in self.history}
        counted = self.helped | ({self.overall} - over)
        told = {e.agent for e in self.diagnoses if e.iteration in counted}
        return frozenset(told | {e.agent for e in self.fixes if e.iteration in counted})

    def mark(self, name: str) -> Mark | None:
        """Return the newest place of that name that one may go back to."""
        return next((m for m in reversed(self.marks) if m.name == name), None)

    @property
    def signature(self) -> str:
        """A name for the failures that stand now: the same tests with the same errors."""
        parts = sorted(f"{red.id} {red.fingerprint}" for red in self.red)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    @property
    def tried(self) -> tuple[ev.IterationEnded, ...]:
        """The attempts at these failures; of one that was halted nothing is known."""
        known, now = zip(self.history, self.signatures, strict=True), self.signature
        return tuple(e for e, at in known if at == now and e.result is not Result.HALTED)

    @property
    def tried_patches(self) -> frozenset[str]:
        """Hashes of the changes that were tried on these failures and did not help."""
        return frozenset(e.patch for e in self.tried if e.patch and not e.progress)

    @property
    def tried_edits(self) -> frozenset[str]:
        """Hashes of the edits that were tried on these failures, whatever came of them."""
        return self._edits({e.iteration for e in self.tried})

    def repeats(self, diagnosed: ev.Diagnosed) -> bool:
        """Whether a diagnosis recommends what was tried on these failures and did not help."""
        edits = diagnosed.diagnosis.edits
        useless = self._edits({e.iteration for e in self.tried if not e.progress})
        return bool(edits) and patch_hash(edits) in useless

    def _edits(self, iterations: set[int]) -> frozenset[str]:
        return frozenset(f.edits for f in self.fixes if f.edits and f.iteration in iterations)


def given(value: T | None) -> T:
    """Return what the stage promises to be there. Raises TransitionRefused if it is not."""
    if value is None:
        raise TransitionRefused("the session's state contradicts its stage")
    return value


def replay(records: Iterable[ev.Recorded], state: State | None = None) -> State:
    """Fold many events, from an empty state or on top of `state`."""
    state = state or State()
    for recorded in records:
        state = fold(state, recorded)
    return state


def fold(state: State, recorded: ev.Recorded) -> State:
    """Return the state after an event.

    Raises TransitionRefused when the state does not admit it.
    """
    if recorded.seq != state.seq + 1:
        raise TransitionRefused(
            f"event {recorded.seq} does not follow event {state.seq} of session {recorded.session}"
        )
    event = recorded.event
    _admit(state, event)
    moved = _MOVES[type(event)](state, event)
    if isinstance(event, _SETTLING):
        moved = replace(moved, in_flight=None)
    allowed = TRANSITIONS[state.stage].get(type(event), (state.stage,))
    if moved.stage not in allowed:
        raise _refusal(state, event, f"it would lead to {moved.stage}")
    return replace(
        moved,
        spent=state.spent.plus(event) if isinstance(event, _COSTLY) else state.spent,
        spent_by=_told_apart(moved, event),
        seq=recorded.seq,
        created=state.created or recorded.at,
        updated=recorded.at,
        interrupted=event.reason if isinstance(event, ev.Interrupted) else "",
        begun=recorded.at if isinstance(event, ev.Started) else state.begun,
        erred_at=recorded.at if isinstance(event, ev.AgentErred) else state.erred_at,
    )


def _told_apart(state: State, event: ev.Event) -> dict[str, Spent]:
    """Return what each agent has taken in this round."""
    agent = _called(event)
    if not agent:
        return state.spent_by
    before = state.spent_by.get(agent, Spent())
    return {**state.spent_by, agent: before.plus(event)}


def _called(event: ev.Event) -> str:
    """Return the agent of a call that is over, also of one that was cut off; else nobody."""
    told = event.intent if isinstance(event, ev.Abandoned) else event
    return told.agent if isinstance(told, (*_CALLS, *_CALLING)) else ""


def _admit(state: State, event: ev.Event) -> None:
    flight = type(state.in_flight).__name__ if state.in_flight else ""
    match event:
        case ev.Started():
            admitted, why = state.stage in _ANY_WORK and not flight, f"{flight} is in flight"
        case ev.Abandoned():
            admitted, why = state.in_flight == event.intent, "that intent is not in flight"
        case ev.Interrupted() | ev.EditsKept():
            admitted, why = state.stage is not Stage.NEW, ""
        case ev.ConversationBegan():
            call = getattr(state.in_flight, "call", None)
            admitted, why = call == event.call, "that call is not in flight"
        case _ if isinstance(event, _SETTLING):
            settles = type(event) in OUTCOMES.get(type(state.in_flight), ())  # type: ignore[arg-type]
            admitted, why = settles, "its intent is not in flight"
        case _:
            admitted, why = not flight, f"{flight} is in flight"
    if not isinstance(event, _UNMOVING) and type(event) not in TRANSITIONS[state.stage]:
        raise _refusal(state, event)
    if not admitted:
        raise _refusal(state, event, why)


def _refusal(state: State, event: ev.Event, why: str = "") -> TransitionRefused:
    reason = f": {why}" if why else ""
    return TransitionRefused(
        f"a session in stage {state.stage} does not admit {ev.type_of(event)}{reason}"
    )


# --- moves, one an event -------------------------------------------------------------------------


def _opened(state: State, event: ev.SessionOpened) -> State:
    return replace(state, stage=Stage.OPENED, opened=event, cap=event.cap)


def _started(state: State, event: ev.Started) -> State:
    conversation = getattr(event.intent, "conversation", "")
    return replace(state, in_flight=event.intent, conversation=conversation)


def _abandoned(state: State, event: ev.Abandoned) -> State:
    cut_off = (*state.cut_off, _called(event)) if _called(event) else state.cut_off
    return replace(state, in_flight=None, cut_off=cut_off)


def _conversing(state: State, event: ev.ConversationBegan) -> State:
    return replace(state, conversation=event.conversation)


def _kept(state: State, _: ev.EditsKept) -> State:
    return state


def _snapped(state: State, event: ev.SnapshotTaken) -> State:
    return replace(
        state,
        stage=Stage.SNAPPED,
        snapshot=event,
        head=event.base,
        carrying=event.carried or "",
    )


def _ran(state: State, event: ev.TestsRan) -> State:
    known = {flake.test: flake for flake in (*state.flakes, *event.flakes)}
    state = replace(state, flakes=tuple(known.values()))
    match event.purpose:
        case ev.Purpose.BASELINE:
            return replace(state, stage=Stage.BASELINED, baseline=event, kept=event)
        case ev.Purpose.RECHECK:
            return replace(
                state,
                stage=Stage.RECHECKED,
                rechecked=event,
                flaky=state.flaky | set(event.flaky),
            )
        case ev.Purpose.VERIFY:
            return _verified(replace(state, verified=event, flaky=state.flaky | set(event.flaky)))
        case ev.Purpose.CARRIED:
            return _carried(replace(state, flaky=state.flaky | set(event.flaky)), event)


def _carried(state: State, run: ev.TestsRan) -> State:
    """Take over what a person did by hand, unless it broke what worked."""
    if run.outcome == "passing":
        return replace(state, stage=Stage.PROVING, verified=run)
    if run.verdict is Verdict.DID_NOT_RUN or run.outcome == "regression":
        return replace(state, carrying="")
    return replace(state, carrying="", head=run.commit, kept=run)


def _verified(state: State) -> State:
    run = given(state.verified)
    if run.verdict is Verdict.DID_NOT_RUN:
        return replace(state, stage=Stage.UNDOING, verdict=Result.BROKEN, note=run.reason)
    match run.outcome:
        case "passing":
            return replace(state, stage=Stage.PROVING)
        case "fewer_errors" | "different_errors" if run.progress:
            result = Result.FEWER if run.outcome == "fewer_errors" else Result.DIFFERENT
            return replace(state, stage=Stage.JUDGED, verdict=result, head=run.commit, kept=run)
        case "regression":
            return replace(state, stage=Stage.UNDOING, verdict=Result.REGRESSION)
        case _:
            return replace(state, stage=Stage.UNDOING, verdict=Result.FAILING)


def _bisected(state: State, event: ev.Bisected) -> State:
    return replace(state, bisected=event)


def _round_began(state: State, event: ev.RoundBegan) -> State:
    if event.number != state.round + 1:
        raise _refusal(state, event, f"round {event.number} after round {state.round}")
    return replace(
        state,
        stage=Stage.STANDING,
        halted=None,
        spent_before_round=state.spent,
        spent_by={},
        unfit=frozenset(),
        round=event.number,
        cap=event.cap,
        counter=0,
        topic=state.topic or event.topic,
    )


def _iteration_began(state: State, event: ev.IterationBegan) -> State:
    expected = (state.counter + 1, state.overall + 1)
    if (event.number, event.overall) != expected or event.number > state.cap:
        raise _refusal(
            state, event, f"iteration {event.number} of {state.cap} after {state.counter}"
        )
    return replace(
        state,
        stage=Stage.DIAGNOSING,
        counter=event.number,
        overall=event.overall,
        before=state.kept,
        spent_before_iteration=state.spent,
        rung=_first_rung(state),
        failures=0,
        diagnosed=None,
        report=None,
        reviewed=None,
        fixer="",
        fix=None,
        verified=None,
        verdict=None,
        note="",
    )


def doubted(state: State) -> bool:
    """Tell whether the present agent gave a diagnosis of low confidence, and is asked once more."""
    told = state.diagnosed
    return told is not None and told.agent == state.agent and told.diagnosis.confidence == "low"


def _diagnosed(state: State, event: ev.Diagnosed) -> State:
    investigated = doubted(state)
    state = replace(
        state,
        calls=state.calls + 1,
        failures=0,
        diagnosed=event,
        diagnoses=(*state.diagnoses, event),
    )
    if event.proposes and event.diagnosis.confidence == "low" and not investigated:
        return state
    if event.proposes and not event.diagnosis.blind and not state.repeats(event):
        return replace(state, stage=Stage.REPORTING)
    return _next_rung(state)


def _first_rung(state: State) -> int:
    """Return where the ladder is entered: not where an agent is unfit, or has repeated itself."""
    repeated = {e.agent for e in state.tried if e.result is Result.REPEATED}
    for without in (state.unfit | repeated, state.unfit):
        for rung, agent in enumerate(state.session.agents):
            if agent not in without:
                return rung
    return 0


def _next_rung(state: State) -> State:
    for rung in range(state.rung + 1, len(state.session.agents)):
        if state.session.agents[rung] not in state.unfit:
            return replace(state, rung=rung, failures=0)
    if state.diagnosed:
        return replace(state, stage=Stage.REPORTING)
    return replace(state, stage=Stage.JUDGED, verdict=Result.AGENT_FAILED)


def _agent_erred(state: State, event: ev.AgentErred) -> State:
    state = replace(
        state,
        calls=state.calls + 1,
        failures=state.failures + 1,
        note=f"{event.agent}: {event.message}",
        agent_errors=(*state.agent_errors, event),
    )
    if follow(event.kind) is Follow.NEXT or event.after > state.session.longest_wait:
        state = replace(state, unfit=state.unfit | {event.agent})
    elif state.failures <= state.session.agent_retries:
        return state
    if state.stage is Stage.REVIEWING:
        return replace(state, stage=Stage.FIXING, failures=0)
    if state.stage is Stage.DIAGNOSING:
        return _next_rung(state)
    return _handed_on(state, "")


def _rung_passed(state: State, event: ev.RungPassed) -> State:
    state = replace(state, note=f"{event.agent}: {event.reason}")
    match state.stage:
        case Stage.DIAGNOSING:
            return _next_rung(state)
        case Stage.REVIEWING:
            return replace(state, stage=Stage.FIXING, failures=0)
        case _:
            return _handed_on(state, _hands_after(state))


def _hands_after(state: State) -> str:
    """Return the next agent on the ladder that can carry a fix out; none if there is none."""
    if _is_back(state):
        return ""
    agents = tuple(dict.fromkeys(state.session.agents))
    place = agents.index(state.hands) if state.hands in agents else len(agents)
    return next((agent for agent in agents[place + 1 :] if agent not in state.unfit), "")


def _handed_on(state: State, fixer: str) -> State:
    """Let `fixer` carry the fix out; without one, who proposed it, if an objection passed it by."""
    if not fixer and state.fixer and _is_overruled(state) and not _is_back(state):
        fixer = given(state.diagnosed).agent
    if fixer:
        return replace(state, fixer=fixer, failures=0)
    return replace(state, stage=Stage.UNDOING, verdict=Result.AGENT_FAILED)


def _is_overruled(state: State) -> bool:
    """Tell whether a patch of the built-in repairer met an objection."""
    reviewed, by = state.reviewed, given(state.diagnosed).agent
    return reviewed is not None and reviewed.opinion is ev.Opinion.SUGGEST_CHANGE and by == BUILT_IN


def _is_back(state: State) -> bool:
    """Tell whether the fix has come back to who proposed it: nobody is left to hand it on to."""
    return state.fixer == given(state.diagnosed).agent


def _reported(state: State, event: ev.ReportWritten) -> State:
    state = replace(state, report=event, reports=(*state.reports, event), failures=0)
    told = given(state.diagnosed)
    if state.repeats(told):
        return replace(state, stage=Stage.JUDGED, verdict=Result.REPEATED, note=SAME)
    if told.proposes and not told.diagnosis.blind:
        reviewer = state.session.review
        wanted = bool(reviewer) and reviewer not in state.unfit
        return replace(state, stage=Stage.REVIEWING if wanted else Stage.FIXING)
    note = f"not tried, since it is unsure: {told.diagnosis.confidence_reason}"
    return replace(
        state,
        stage=Stage.JUDGED,
        verdict=Result.NO_FIX,
        note=note if told.proposes else state.note,
    )


def _reviewed(state: State, event: ev.Reviewed) -> State:
    """Go on to the fix: another agent's, where the built-in repairer's patch met an objection."""
    state = replace(
        state,
        stage=Stage.FIXING,
        calls=state.calls + 1,
        failures=0,
        reviewed=event,
        reviews=(*state.reviews, event),
    )
    if _is_overruled(state):
        return replace(state, fixer=_hands_after(state))
    return state


SAME = "the same change was tried before and did not help"


def _fixed(state: State, event: ev.FixApplied) -> State:
    known = event.patch in state.tried_patches
    state = replace(state, calls=state.calls + 1, fix=event, fixes=(*state.fixes, event))
    if event.commit is None:
        return replace(
            state, stage=Stage.JUDGED, verdict=Result.NO_FIX, note="the fixer changed nothing"
        )
    if event.tampering and event.consult and not known:
        return replace(state, stage=Stage.CONSULTING)
    if event.tampering:
        note = "tests or their configuration were edited: " + ", ".join(event.tampering)
        return replace(state, stage=Stage.UNDOING, verdict=Result.TAMPERING, note=note)
    if known:
        return replace(state, stage=Stage.UNDOING, verdict=Result.REPEATED, note=SAME)
    return replace(state, stage=Stage.VERIFYING)


def _proved(state: State, event: ev.Proved) -> State:
    state = replace(state, flaky=state.flaky | set(event.flaky))
    if state.carrying:
        return _carried_proved(replace(state, carrying="", proof=event), event)
    if event.accepted:
        return replace(
            state,
            stage=Stage.JUDGED,
            proof=event,
            verdict=Result.PASSING,
            head=event.commit,
            kept=state.verified,
        )
    failed = "; ".join(f"{r.claim}: {r.measured}" for r in event.rows if not r.holds)
    return replace(
        state,
        stage=Stage.UNDOING,
        proof=event,
        verdict=Result.UNPROVEN,
        note=event.did_not_run or failed,
    )


def _carried_proved(state: State, event: ev.Proved) -> State:
    if not event.accepted:
        return replace(state, stage=Stage.RETURNING)
    return replace(
        state,
        stage=Stage.PASSED,
        closing=Status.GREEN,
        head=event.commit,
        kept=state.verified,
    )


def _rolled_back(state: State, event: ev.RolledBack) -> State:
    if event.commit != state.head:
        raise _refusal(state, event, f"the kept commit is {state.head}")
    after = Stage.RECHECKED if state.stage is Stage.RETURNING else Stage.JUDGED
    return replace(state, stage=after)


def _halted(state: State, event: ev.Halted) -> State:
    state = replace(state, halted=event)
    if state.stage in (Stage.STANDING, Stage.ROUND, Stage.UNDOING, Stage.JUDGED):
        return state
    if state.carrying:
        return replace(state, stage=Stage.RETURNING, carrying="")
    state = replace(state, verdict=Result.HALTED, note=event.reason)
    untouched = state.stage in (Stage.DIAGNOSING, Stage.REPORTING, Stage.REVIEWING)
    return replace(state, stage=Stage.JUDGED if untouched else Stage.UNDOING)


def _went_back(state: State, event: ev.WentBack) -> State:
    mark = state.mark(event.checkpoint)
    if mark is None:
        raise _refusal(state, event, f"there is no checkpoint {event.checkpoint!r}")
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


def _iteration_ended(state: State, event: ev.IterationEnded) -> State:
    if event.iteration != state.overall or event.result != state.verdict:
        raise _refusal(state, event, f"iteration {state.overall} ended with {state.verdict}")
    passed = event.result is Result.PASSING
    return replace(
        state,
        stage=Stage.PASSED if passed else Stage.STANDING,
        closing=Status.GREEN if passed else None,
        history=(*state.history, event),
        helped=state.helped | {event.iteration} if event.progress else state.helped,
        signatures=(*state.signatures, replace(state, kept=state.before).signature),
    )


def _checkpointed(state: State, event: ev.CheckpointSaved) -> State:
    mark = Mark(
        name=event.name,
        commit=event.commit,
        kept=given(state.kept),
        snapshot=given(state.snapshot),
        baseline=given(state.baseline),
        rechecked=given(state.rechecked),
        helped=state.helped,
    )
    return replace(
        state,
        stage=_after_checkpoint(state, event),
        checkpoints=(*state.checkpoints, event),
        marks=(*state.marks, mark),
    )


def _after_checkpoint(state: State, event: ev.CheckpointSaved) -> Stage:
    """Return the next stage; the first journals have no checkpoints between iterations."""
    if state.stage is Stage.PASSED:
        return Stage.CLOSING
    early = state.counter == state.cap and event.name.startswith("escalation")
    return Stage.ESCALATING if state.stage is Stage.ROUND or early else Stage.ROUND


def _documented(state: State, event: ev.DocumentWritten) -> State:
    if event.kind == KNOWLEDGE and state.stage is Stage.CLOSING:
        return replace(state, learned=state.head, documents=(*state.documents, event))
    stage = Stage.CLOSED if state.stage is Stage.CLOSING else Stage.ESCALATED
    return replace(state, stage=stage, documents=(*state.documents, event))


def _asked(state: State, event: ev.QuestionAsked) -> State:
    return replace(state, stage=Stage.WAITING, question=event, asked=state.asked + 1)


def _answered(state: State, event: ev.QuestionAnswered) -> State:
    question = state.question
    if question is None or question.id != event.id:
        raise _refusal(state, event, f"no question {event.id} is pending")
    option = next((o for o in question.options if o.word == event.option), None)
    if option is None or not option.available:
        raise _refusal(state, event, f"{event.option!r} is not an answer to {event.id}")
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
            raise _refusal(state, event, f"{other!r} takes more than an answer")


def _approved(state: State) -> State:
    fix = given(state.fix)
    new = {p: ev.Approval(path=p, commit=given(fix.commit)) for p in fix.tampering}
    kept = tuple(each for each in state.approved if each.path not in new)
    return replace(state, stage=Stage.VERIFYING, approved=(*kept, *new.values()))


def _interrupted(state: State, _: ev.Interrupted) -> State:
    return state


def _ended(state: State, event: ev.SessionEnded) -> State:
    return replace(state, stage=Stage.ENDED, ended=event, question=None)


_MOVES: dict[type[ev.Event], Callable[..., State]] = {
    ev.SessionOpened: _opened,
    ev.Started: _started,
    ev.Abandoned: _abandoned,
    ev.ConversationBegan: _conversing,
    ev.EditsKept: _kept,
    ev.SnapshotTaken: _snapped,
    ev.TestsRan: _ran,
    ev.Bisected: _bisected,
    ev.RoundBegan: _round_began,
    ev.IterationBegan: _iteration_began,
    ev.Diagnosed: _diagnosed,
    ev.AgentErred: _agent_erred,
    ev.RungPassed: _rung_passed,
    ev.ReportWritten: _reported,
    ev.Reviewed: _reviewed,
    ev.FixApplied: _fixed,
    ev.RolledBack: _rolled_back,
    ev.IterationEnded: _iteration_ended,
    ev.Proved: _proved,
    ev.CheckpointSaved: _checkpointed,
    ev.Halted: _halted,
    ev.WentBack: _went_back,
    ev.QuestionAsked: _asked,
    ev.QuestionAnswered: _answered,
    ev.DocumentWritten: _documented,
    ev.Interrupted: _interrupted,
    ev.SessionEnded: _ended,
}
