"""A kind of session for tests of the engine: a parent, and three children side by side.

Each child takes two steps, each of which adds a line to a file; one asks in between. The parent
sums up each that ends. As a program it works on one session: `toyflow.py FOLDER SESSION`, and on a
child as its parent's process begins it: `toyflow.py FOLDER CHILD PARENT NUMBER`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from clew.journal import engine, nesting
from clew.journal.flow import Action, Flow, Pending, Record
from clew.journal.store import Holder, Store
from clew.journal.streams import SQLiteJournal
from clew.words.codec import Codec
from clew.words.errors import SessionHeld, TransitionRefused
from clew.words.facts import Usage
from clew.words.records import (
    Abandoned,
    Answered,
    Asked,
    ChildAnswered,
    ChildAsked,
    ChildEnded,
    Children,
    ChildStalled,
    Ended,
    Event,
    Intent,
    Interrupted,
    Opened,
    Outcome,
    Recorded,
    RunSession,
    Started,
    bookkeeping,
)

PARENT = "parent"
CHILDREN = ("one", "two", "three")
CURIOUS = "two"  # the child that asks
STEPS = (1, 2)
COST = Usage(input=10, output=1)  # of a step


class TakeStep(Intent, frozen=True, kw_only=True):
    """Add a line to the effects."""

    step: int


class StepTaken(Outcome, frozen=True, kw_only=True):
    """It stands there."""

    step: int


class SumUp(Intent, frozen=True, kw_only=True):
    """Add a line to the effects that tells of a child."""

    child: str


class SummedUp(Outcome, frozen=True, kw_only=True):
    """It stands there."""

    child: str


class ToyOpened(Opened, frozen=True, kw_only=True, tag="SessionOpened"):
    """A toy begins."""

    steps: float = len(STEPS)  # that it may take: its budget


AnyIntent = TakeStep | SumUp | RunSession
AnyEvent = (
    ToyOpened
    | Started[AnyIntent]
    | Abandoned[AnyIntent]
    | StepTaken
    | SummedUp
    | ChildEnded
    | ChildAsked
    | ChildAnswered
    | ChildStalled
    | Asked
    | Answered
    | Interrupted
    | Ended
)
CODEC: Codec[AnyEvent] = Codec(AnyEvent, 1, {})


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the events of a toy come to."""

    seq: int = 0
    opened: ToyOpened | None = None
    in_flight: dict[int, AnyIntent] = {}
    steps: tuple[int, ...] = ()
    children: tuple[ChildEnded, ...] = ()
    summed: tuple[str, ...] = ()
    asked: Asked | None = None
    answered: Answered | None = None
    at_work: Children = Children()
    ended: Ended | None = None


_MOVES: dict[type[Event], Callable[[State, Any], dict[str, Any]]] = {
    ToyOpened: lambda _, event: {"opened": event},
    StepTaken: lambda state, event: {"steps": (*state.steps, event.step)},
    SummedUp: lambda state, event: {"summed": (*state.summed, event.child)},
    ChildEnded: lambda state, event: {"children": (*state.children, event)},
    Asked: lambda _, event: {"asked": event},
    Answered: lambda _, event: {"answered": event},
    Ended: lambda _, event: {"ended": event},
}


def fold(state: State, recorded: Recorded[AnyEvent]) -> State:
    """Return the state after an event. Raises TransitionRefused."""
    event, kept = recorded.event, bookkeeping(state, recorded)
    if state.ended:
        raise TransitionRefused(f"{type(event).__name__} after the end")
    move = _MOVES.get(type(event))
    moved = move(state, event) if move else {}
    return replace(state, **kept, **moved)


def decide(state: State, _: datetime) -> Collection[Action]:
    """Begin all children at once; sum each of them up; end. A child takes its steps."""
    if state.ended or state.opened is None:
        return ()
    return _of_parent(state) if state.opened.session_id == PARENT else _of_child(state)


def _of_parent(state: State) -> Collection[Action]:
    begun = {i.child for i in state.in_flight.values() if isinstance(i, RunSession)}
    ended = {each.child for each in state.children}
    actions: list[Action] = [
        RunSession(child=name, kind="toy", budget={"steps": len(STEPS)})
        for name in CHILDREN
        if name not in begun | ended
    ]
    summing = {i.child for i in state.in_flight.values() if isinstance(i, SumUp)}
    actions += [SumUp(child=n) for n in sorted(ended - summing - set(state.summed))]
    if set(CHILDREN) == set(state.summed):
        usage = Usage.total([each.usage for each in state.children])
        actions.append(Record(event=Ended(status="done", usage=usage)))
    return actions


def _of_child(state: State) -> Collection[Action]:
    if state.in_flight:
        return ()
    opened = state.opened
    assert opened is not None
    left = [step for step in STEPS if step not in state.steps and step <= opened.steps]
    if not left:
        usage = Usage.total([COST] * len(state.steps))
        return (Record(event=Ended(status="done", commit=f"c-{len(state.steps)}", usage=usage)),)
    if opened.session_id == CURIOUS and state.steps and state.answered is None:
        asks = Record(event=Asked(id="q1", text="Shall I go on?"))
        return () if state.asked else (asks,)
    return (TakeStep(step=left[0]),)


@dataclass(kw_only=True)
class Run:
    """A toy session that this process holds."""

    folder: Path
    id: str
    store: Store
    journal: SQLiteJournal[AnyEvent]
    state: State = field(default_factory=State)
    pending: dict[int, Pending] = field(default_factory=dict)

    @property
    def clock(self) -> Callable[[], datetime]:
        return lambda: datetime.now(UTC)

    def record(self, event: AnyEvent) -> int:
        recorded = Recorded(session=self.id, seq=self.state.seq + 1, at=self.clock(), event=event)
        after = fold(self.state, recorded)
        self.journal.append(recorded)
        self.state = after
        return recorded.seq

    def catch_up(self) -> None:
        for recorded in self.journal.read(self.id, self.state.seq):
            self.state = fold(self.state, recorded)

    def pause(self, until: datetime, why: str) -> None:
        raise NotImplementedError

    def standing(self, session: str) -> Any:  # noqa: ANN401 -- as the journal has it
        return self.journal.standing(session)

    def holder(self, session: str) -> Holder | None:
        return self.store.holder(session)

    def question_below(self, session: str) -> ChildAsked | None:
        return next(reversed(self.journal.questions_below(session)), None)

    def log(self, session: str) -> Path:
        return self.store.log(session)

    def command(self, number: int, intent: RunSession) -> Sequence[str]:
        return [sys.executable, __file__, str(self.folder), intent.child, self.id, str(number)]

    @property
    def effects(self) -> Path:
        return self.folder / "effects"

    def do(self, line: str) -> None:
        if delay := os.environ.get("TOY_DELAY"):
            time.sleep(float(delay))
        if gate := os.environ.get("TOY_GATE"):
            while not Path(gate).exists():
                time.sleep(0.01)
        with self.effects.open("a") as file:
            file.write(f"{line}\n")

    def done(self, line: str) -> bool:
        return self.effects.exists() and line in self.effects.read_text().splitlines()


def _step(run: Run, _: int, intent: TakeStep) -> StepTaken:
    run.do(f"{run.id} {intent.step}")
    return StepTaken(step=intent.step)


def _stepped(run: Run, _: int, intent: TakeStep) -> StepTaken | None:
    return StepTaken(step=intent.step) if run.done(f"{run.id} {intent.step}") else None


def _sum(run: Run, _: int, intent: SumUp) -> SummedUp:
    run.do(f"sum {intent.child}")
    return SummedUp(child=intent.child)


def _summed(run: Run, _: int, intent: SumUp) -> SummedUp | None:
    return SummedUp(child=intent.child) if run.done(f"sum {intent.child}") else None


def _attend(run: Run, number: int, intent: RunSession) -> nesting.Child:
    return nesting.attend(run, run.state.at_work, number, intent)


FLOW: Flow[State, Run] = Flow(
    kind="toy",
    codec=CODEC,
    empty=State(),
    fold=fold,
    decide=decide,
    perform={TakeStep: _step, SumUp: _sum, RunSession: _attend},
    reconcile={TakeStep: _stepped, SumUp: _summed, RunSession: _attend},
)


def load(folder: Path, session: str) -> State:
    with closing(SQLiteJournal(folder / "journal.db", CODEC)) as journal:
        state = State()
        for recorded in journal.read(session):
            state = fold(state, recorded)
        return state


def work(folder: Path, session: str, parent: str = "", number: int = 0) -> State:
    """Open a session if there is none, and work on it. Raises SessionHeld."""
    store = Store(folder)
    store.create()
    with store.hold(session), closing(SQLiteJournal(store.journal, CODEC)) as journal:
        run = Run(folder=folder, id=session, store=store, journal=journal)
        run.catch_up()
        if run.state.opened is None:
            run.record(_opened(folder, session, parent, number))
        return engine.drive(FLOW, run)


def _opened(folder: Path, session: str, parent: str, number: int) -> ToyOpened:
    """Return the opening event; a child's has its budget from its parent's stream."""
    opened = ToyOpened(session_id=session, goal="toy", parent=parent, number=number)
    if not parent:
        return opened
    intent = load(folder, parent).in_flight[number]
    assert isinstance(intent, RunSession)
    return replace(opened, steps=intent.budget["steps"])


def answer(folder: Path, session: str) -> State:
    """Answer a session's question, and go on with it."""
    store = Store(folder)
    with store.hold(session), closing(SQLiteJournal(store.journal, CODEC)) as journal:
        run = Run(folder=folder, id=session, store=store, journal=journal)
        run.catch_up()
        assert run.state.asked is not None
        run.record(Answered(id=run.state.asked.id, option="yes"))
        return engine.drive(FLOW, run)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # whoever began it may ignore the first
        signal.signal(number, signal.default_int_handler)
    folder, session, *of = sys.argv[1:]
    if (begun := Path(folder, f"begun-{session}")).exists():
        os.environ.pop("CLEW_CRASH_AT", None)  # once is enough
    begun.touch()
    try:
        work(Path(folder), session, of[0] if of else "", int(of[1]) if of else 0)
    except SessionHeld:
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
