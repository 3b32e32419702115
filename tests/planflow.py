"""A plan that is played by hand: each intent gets the outcome that a test gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from clew.flows.plan.decisions import decide
from clew.flows.plan.events import (
    DocumentRendered,
    GatesRan,
    MergePhase,
    MergeTried,
    PhaseMerged,
    PlanOpened,
    RenderDocument,
    RunGates,
    TryMerge,
)
from clew.flows.plan.states import PlanState, fold
from clew.journal.flow import Record
from clew.words.gates import GateStatus
from clew.words.plans import PhaseId, Plan, PlanPhase
from clew.words.records import (
    AgentCall,
    BaseTaken,
    ChildEnded,
    Event,
    Intent,
    Recorded,
    RunSession,
    Started,
    TakeBase,
)
from clew.words.settings import Settings

__all__ = ["AT", "PlanPlay", "phase", "plan_of"]

AT = datetime(2026, 3, 1, tzinfo=UTC)


def phase(id_: PhaseId, *depends_on: PhaseId, creates: tuple[str, ...] = ()) -> PlanPhase:
    return PlanPhase(
        id=id_,
        name=f"phase {id_}",
        agent="coder",
        depends_on=depends_on,
        creates=creates or (f"src/p{id_}.py",),
    )


def plan_of(*phases: PlanPhase) -> Plan:
    return Plan(title="A plan", goal="something that works", phases=phases)


@dataclass
class PlanPlay:
    """A plan's state, moved by its own decisions and by outcomes that are told."""

    plan: Plan
    parallel: int = 3
    review: bool = False
    settings: Settings = field(default_factory=lambda: Settings(agent=("builder",)))
    state: PlanState = field(default_factory=PlanState)
    commits: int = 0
    held: dict[str, frozenset[PhaseId]] = field(default_factory=dict)  # phases of each commit
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.record(
            PlanOpened(
                session_id="s",
                goal="A plan",
                kind="plan",
                clew_version="0",
                root="/r",
                path="/r",
                plan=self.plan,
                plan_hash="h",
                plan_path="plan.md",
                settings=self.settings,
                parallel=self.parallel,
                review=self.review,
            )
        )

    def record(self, event: Event) -> int:
        seq = self.state.seq + 1
        at = AT + timedelta(seconds=seq)
        self.state = fold(self.state, Recorded(session="s", seq=seq, at=at, event=event))
        self.events.append(event)
        return seq

    def step(self) -> bool:
        """Begin what comes next; whether anything did."""
        actions = decide(self.state, AT)
        for action in actions:
            if isinstance(action, Record):
                self.record(action.event)
            else:
                assert isinstance(action, Intent)
                self.record(Started(intent=action))
        return bool(actions)

    def begun(self, kind: type[Any]) -> dict[int, Any]:
        """What is in flight of a kind, by number."""
        return {n: i for n, i in self.state.in_flight.items() if isinstance(i, kind)}

    def commit(self) -> str:
        self.commits += 1
        return f"c{self.commits}"

    def children(self, kind: str = "phase") -> dict[PhaseId, int]:
        """The children of a kind at work, by phase: the numbers of their intents."""
        found = self.begun(RunSession).items()
        return {i.request["phase_id"]: n for n, i in found if i.kind == kind}

    def end_child(self, number: int, status: str = "completed", **result: Any) -> None:  # noqa: ANN401 -- as JSON has it
        intent = self.state.in_flight[number]
        assert isinstance(intent, RunSession)
        good = status in ("completed", "green")
        self.record(
            ChildEnded(
                of=number,
                child=intent.child,
                status=status,
                reason="" if good else "it did not work",
                commit=self.commit() if good else "",
                result=result,
            )
        )

    def routine(
        self,
        merge: Callable[[MergePhase], tuple[str, ...]] = lambda _: (),
        gates: Callable[[RunGates], GateStatus] = lambda _: GateStatus.PASS,
        tries: Callable[[TryMerge], GateStatus | None] = lambda _: GateStatus.PASS,
        ran: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Do all but children and agents: the base, merges, gates, the summary; until all is."""
        while self.step() or any(not isinstance(i, RunSession | AgentCall) for i in self._flying()):
            for number, intent in tuple(self.state.in_flight.items()):
                match intent:
                    case TakeBase():
                        self.record(BaseTaken(of=number, commit="base", tree="t"))
                    case MergePhase():
                        left = merge(intent)
                        commit = "" if left else self.commit()
                        self.held[commit] = self.held.get(intent.onto, frozenset()) | {intent.phase}
                        told = PhaseMerged(
                            of=number, phase=intent.phase, commit=commit, conflicts=left
                        )
                        self.record(told)
                    case RunGates():
                        status = gates(intent)
                        verdict = GatesRan(
                            of=number,
                            phase=intent.phase,
                            commit=intent.commit,
                            status=status,
                            summary=f"gates: {status}",
                            tests_failed=status is GateStatus.FAIL,
                            **ran,
                        )
                        self.record(verdict)
                    case TryMerge():
                        tried = MergeTried(
                            of=number,
                            phase=intent.phase,
                            onto=intent.onto,
                            status=tries(intent),
                        )
                        self.record(tried)
                    case RenderDocument():
                        self.record(DocumentRendered(of=number, path="summary.md"))
                    case _:
                        pass

    def _flying(self) -> tuple[Any, ...]:
        return tuple(self.state.in_flight.values())
