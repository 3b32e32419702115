"""The state of a plan, as one record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from clew.flows.plan.events import (
    AnyPlanIntent,
    ArchiveMove,
    DocumentImported,
    GatesRan,
    PlanAsked,
    PlanBounded,
    PlanChanged,
    PlanForked,
    PlanOpened,
    PlanProposed,
    Supervised,
)
from clew.flows.plan.states.known import known_in
from clew.words.facts import Usage
from clew.words.phases import PhaseError, PhaseRecord, PhaseStatus
from clew.words.plans import PhaseId, Plan, PlanPhase
from clew.words.records import AgentFailure, BaseTaken, Children, Concluded
from clew.words.settings import Settings

__all__ = ["MergeCandidate", "PhaseState", "PlanState", "with_phase"]


class PhaseState(msgspec.Struct, frozen=True, kw_only=True):
    """Where one phase stands."""

    phase: PlanPhase
    status: PhaseStatus = PhaseStatus.PENDING
    child: str = ""  # the newest session that carries it out
    attempts: int = 0  # sessions begun for it
    base: str = ""  # the commit that the newest one began with
    commit: str = ""  # and that it came to
    approved: str = ""  # the commit that a person wants merged
    retries: int = 0  # also those within its sessions
    errors: tuple[PhaseError, ...] = ()
    guidance: tuple[str, ...] = ()  # for the next attempt
    again: bool = False  # it failed, and is to be tried again
    advice: Supervised | None = None  # of a supervisor, since it failed last
    replan: str | None = None  # what a person says is wrong with the plan, which is cut anew
    proposal: PlanProposed | None = None  # how, since it failed last
    taken: bool = False  # a person takes that proposal
    unplanned: tuple[AgentFailure, ...] = ()  # how planners failed since then
    replans: int = 0  # revisions of the plan for it
    taken_back: bool = False  # a person took the newest one back
    fresh_from: int = 0  # retries and sessions before the plan was last revised for it
    retried: int = 0  # retries before that
    unadvised: tuple[AgentFailure, ...] = ()  # how supervisors failed since then
    repaired: bool = False  # a debugging session was tried on it, merged
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()  # edits of what steers Clew, left out when it was merged
    work: str = ""  # what a person accepted of it: its next session begins with that
    started: datetime | None = None
    completed: datetime | None = None
    skipped_after: int = -1  # merges before a person left it out; -1: before the plan began
    result: dict[str, Any] = {}  # what its session says of its work
    gates: str = ""  # what they said last, in a line
    told: PhaseRecord | None = None  # as an imported document has it
    usage: tuple[tuple[str, Usage], ...] = ()  # by agent, a call or a session each

    @property
    def id(self) -> PhaseId:
        return self.phase.id

    @property
    def known(self) -> frozenset[str]:
        """The tests that a person lets fail with its work, by their ids."""
        return known_in(self.result)

    @property
    def tries(self) -> int:
        """Sessions and retries since the plan was last revised for it."""
        return self.retries + self.attempts - self.fresh_from


class MergeCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """Phases merged on top of the plan's head, whose gates have not passed yet.

    A red batch is bisected: `green` and `red` are how many of its phases are known to pass, and to
    fail. Of the one that is red then, what was merged since it began is searched for its partner.
    """

    members: tuple[tuple[PhaseId, str], ...]  # with the branch after each
    green: int = 0
    red: int = 0  # 0: it is not known to fail
    gates: GatesRan | None = None  # that failed on the fewest phases
    alone: int = 0  # phases below it with which it passes, all the same
    paired: int = -1  # and with which it fails; -1: nobody looked
    tried: int = 0
    other: PhaseId | None = None  # its partner
    is_paired: bool = False  # whether that is known, or cannot be

    @property
    def phase(self) -> PhaseId:
        """The phase on top."""
        return self.members[-1][0]

    @property
    def is_unknown(self) -> bool:
        """Whether it is still to be found out which of them pass."""
        return self.gates is None or self.red - self.green > 1

    @property
    def commit(self) -> str:
        """The branch with all of them."""
        return self.members[-1][1]


class PlanState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a plan stands."""

    seq: int = 0
    opened: PlanOpened | None = None
    began: datetime | None = None
    updated: datetime | None = None
    plan: Plan = Plan()  # as it is now; `opened` has it as it began
    in_flight: dict[int, AnyPlanIntent] = {}
    at_work: Children = Children()
    base: BaseTaken | None = None
    head: str = ""  # the plan's branch: every phase in it has passed its gates
    phases: dict[PhaseId, PhaseState] = {}
    replaced: tuple[PhaseState, ...] = ()  # phases that revisions put others in place of
    changes: tuple[PlanChanged, ...] = ()  # of the plan, which can be taken back
    queue: tuple[PhaseId, ...] = ()  # done, and waiting to be merged
    candidate: MergeCandidate | None = None
    merges: tuple[tuple[PhaseId, str], ...] = ()  # completed phases, with the head after each
    question: PlanAsked | None = None
    asked: int = 0
    imported: DocumentImported | None = None  # what it goes on from
    forked: PlanForked | None = None  # what it goes on from
    calls: int = 0  # of supervisors and planners
    bounds: PlanBounded = PlanBounded()  # those that were set since it began
    aborting: str = ""  # why
    summary: str = ""  # the path of the final summary
    ended: Concluded | None = None
    moves: tuple[ArchiveMove, ...] = ()  # that put it away
    archived: bool = False

    @property
    def session(self) -> PlanOpened:
        """How it was opened."""
        if self.opened is None:
            raise ValueError("the plan has not begun")
        return self.opened

    @property
    def plan_hash(self) -> str:
        """The SHA-256 of the plan's file as a person approved it last."""
        written = (each.plan_hash for each in reversed(self.changes) if each.plan_hash)
        return next(written, self.session.plan_hash)

    @property
    def is_cut_off(self) -> bool:
        """Whether its opening was cut off: nobody will say where it goes on from."""
        return self.session.continues and self.imported is None and self.forked is None

    @property
    def settings(self) -> Settings:
        """The settings that it began with, by the bounds and the gates that hold now."""
        return msgspec.structs.replace(self.session.settings, **self.bounds.chosen)

    @property
    def known(self) -> frozenset[str]:
        """The tests that a person lets fail in what is completed."""
        having = (phase for phase in self.phases.values() if phase.result)
        done = (phase for phase in having if phase.status is PhaseStatus.COMPLETED)
        return frozenset().union(*(phase.known for phase in done))

    @property
    def usage(self) -> Usage:
        """What all phases took."""
        worked = (*self.phases.values(), *self.replaced)
        return Usage.total([usage for phase in worked for _, usage in phase.usage])

    def since(self, id_: PhaseId) -> tuple[tuple[PhaseId, str], ...]:
        """Return what was merged since the newest session of a phase began."""
        base = self.phase(id_).base
        known = [commit for _, commit in self.merges]
        return self.merges[known.index(base) + 1 :] if base in known else self.merges

    def phase(self, id_: PhaseId) -> PhaseState:
        """Return the state of a phase of the plan."""
        return self.phases[id_]


def with_phase(state: PlanState, phase: PhaseState) -> PlanState:
    """Return a state with a phase as it is now."""
    return msgspec.structs.replace(state, phases={**state.phases, phase.id: phase})
