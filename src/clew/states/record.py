"""The record of a session: what the events so far come to."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TypeVar

import msgspec

from clew import events as ev
from clew.edits import patch_hash
from clew.errors import TransitionRefused
from clew.events import Result, Status
from clew.states.spent import Spent
from clew.states.table import Stage

__all__ = ["Mark", "State", "given", "refusal"]

T = TypeVar("T")


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
    narrations: tuple[ev.Narrated, ...] = ()
    told: str = ""  # the proven commit that an agent has told of, or need not
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
    def settled(
        self,
    ) -> tuple[ev.Diagnosed | ev.Reviewed | ev.FixApplied | ev.AgentErred | ev.Narrated, ...]:
        """What came of the calls of agents, by its kind."""
        return (
            *self.diagnoses,
            *self.reviews,
            *self.fixes,
            *self.narrations,
            *self.agent_errors,
        )

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


def refusal(state: State, event: ev.Event, why: str = "") -> TransitionRefused:
    reason = f": {why}" if why else ""
    return TransitionRefused(
        f"a session in stage {state.stage} does not admit {ev.type_of(event)}{reason}"
    )
