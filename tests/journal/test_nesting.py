"""Sessions in a session, with a flow that is nothing else: see `toyflow`."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toyflow
from clew.journal.crashpoints import POINTS
from clew.journal.nesting import LOST, Child
from clew.journal.store import Store
from clew.journal.streams import SQLiteJournal
from clew.words.facts import Usage
from clew.words.records import (
    ChildEnded,
    ChildStalled,
    Ended,
    Event,
    Interrupted,
    RunSession,
    Started,
)
from toyflow import CHILDREN, COST, CURIOUS, PARENT, STEPS, load

PATIENCE = 60.0
EFFECTS = [f"{child} {step}" for child in CHILDREN for step in STEPS]
EFFECTS += [f"sum {child}" for child in CHILDREN]
ALL = Usage.total([COST] * len(STEPS) * len(CHILDREN))
OF_PARENT = ("RunSession", "RunSession#2", "RunSession#3", "SumUp", "SumUp#2")
POINTS_TO_DIE_AT = tuple(
    f"{name}.{point}{mark and '#'}{mark}"
    for turn in (*OF_PARENT, "TakeStep", "TakeStep#2")
    for name, _, mark in [turn.partition("#")]
    for point in POINTS
)

BEGUN: list[subprocess.Popen[bytes]] = []


def begin(folder: Path, session: str = PARENT, **env: str) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    begun = subprocess.Popen(
        [sys.executable, toyflow.__file__, str(folder), session],
        env={**os.environ, **env},
        stderr=subprocess.DEVNULL,
    )
    BEGUN.append(begun)
    return begun


def run(folder: Path, **env: str) -> int:
    return begin(folder, **env).wait(PATIENCE)


def finish(folder: Path) -> toyflow.State:
    """Do what a person would: go on until it asks, answer, go on."""
    for _ in range(4):
        assert run(folder) == 0
        state = load(folder, PARENT)
        if state.ended:
            return state
        child = load(folder, CURIOUS)
        if child.asked and not child.answered:
            toyflow.answer(folder, CURIOUS)
    raise AssertionError("it does not come to an end")


def once(folder: Path, state: toyflow.State) -> None:
    """It came to the end of all, and no effect is there twice."""
    done = Counter((folder / "effects").read_text().splitlines())
    assert Counter(EFFECTS) == done
    assert ("done", ALL) == (state.ended.status, state.ended.usage) if state.ended else None
    assert {"done"} == {each.status for each in state.children}
    assert set(CHILDREN) == set(state.summed)
    assert ({}, {}) == (state.in_flight, state.at_work.questions)
    for child in CHILDREN:
        assert isinstance(events(folder, child)[-1], Ended)


def events(folder: Path, session: str) -> list[Event]:
    with contextlib.closing(SQLiteJournal(folder / "journal.db", toyflow.CODEC)) as journal:
        return [recorded.event for recorded in journal.read(session)]


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def held(folder: Path, session: str) -> int:
    holder = Store(folder).holder(session)
    return holder.pid if holder else 0


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of sessions, whose processes are gone afterwards."""
    made = tmp_path / "toy"
    yield made
    for session in (PARENT, *CHILDREN):
        if pid := held(made, session):
            os.kill(pid, signal.SIGKILL)
    while BEGUN:  # a test that failed may have left them
        with BEGUN.pop() as process:
            process.kill()


def test_a_child_that_asks_keeps_nobody_else_waiting(folder: Path) -> None:
    """Its question is shown in its parent, which ends its work when all others have."""
    assert run(folder) == 0
    state = load(folder, PARENT)
    assert ["Shall I go on?"] == [asked.text for asked in state.at_work.questions.values()]
    assert {"one", "three"} == set(state.summed)
    toyflow.answer(folder, CURIOUS)
    once(folder, finish(folder))


def test_what_children_took_adds_up(folder: Path) -> None:
    """The parent's usage is its children's, and each child's is that of its steps."""
    state = finish(folder)
    assert state.ended is not None
    assert state.ended.usage == Usage.total([each.usage for each in state.children])
    assert [Usage.total([COST] * len(STEPS))] * 3 == [each.usage for each in state.children]


@given(st.lists(st.builds(Usage, input=st.integers(0, 9), output=st.integers(0, 9)), min_size=2))
def test_a_total_does_not_depend_on_how_it_is_nested(parts: list[Usage]) -> None:
    """A session's usage is the sum of its calls, through however many children they were made."""
    for cut in range(1, len(parts)):
        nested = Usage.total([Usage.total(parts[:cut]), Usage.total(parts[cut:])])
        assert nested == Usage.total(parts)


def test_a_budget_is_kept_by_the_child(folder: Path) -> None:
    """It is handed down with the request, and stands in the child's opening event."""
    folder.mkdir()
    handed = RunSession(child="one", kind="toy", budget={"steps": 1})
    opening = toyflow.ToyOpened(session_id=PARENT, goal="toy")
    with contextlib.closing(SQLiteJournal(folder / "journal.db", toyflow.CODEC)) as journal:
        parent = toyflow.Run(folder=folder, id=PARENT, store=Store(folder), journal=journal)
        parent.record(opening)
        parent.record(Started(intent=handed))
    child = toyflow.work(folder, "one", PARENT, 2)
    assert ((1,), Usage.total([COST])) == (child.steps, child.ended and child.ended.usage)


@pytest.mark.slow
@pytest.mark.sweep(8)
@pytest.mark.parametrize("point", POINTS_TO_DIE_AT)
def test_whatever_dies_the_rest_goes_on_to_the_same_end(point: str, folder: Path) -> None:
    """kill -9 of the parent, or of each child, around each of its intents, effects, outcomes."""
    run(folder, CLEW_CRASH_AT=point)
    once(folder, finish(folder))


KILLS = int(os.environ.get("CLEW_KILLS") or "10")


@pytest.mark.slow
@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(KILLS))
def test_kills_at_any_time_lose_nothing(seed: int, folder: Path) -> None:
    """Whoever works is killed, again and again, at times that nobody chose."""
    chance = random.Random(f"{os.environ.get('CLEW_KILL_SEED', '0')} {seed}")  # noqa: S311 -- no secret
    for _ in range(chance.randint(2, 6)):
        parent = begin(folder, TOY_DELAY="0.05")
        time.sleep(chance.uniform(0.05, 0.9))
        for session in chance.sample([PARENT, *CHILDREN], chance.randint(1, 3)):
            if pid := held(folder, session):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if chance.random() < 0.5:
            parent.kill()
        parent.wait(PATIENCE)
    once(folder, finish(folder))


def test_two_at_once_are_one(folder: Path) -> None:
    """The second to come is refused, and does nothing."""
    gate = folder / "gate"
    both = [begin(folder, TOY_GATE=str(gate)) for _ in range(2)]
    until(lambda: [one for one in both if one.poll() is not None])
    gate.touch()
    assert [0, 1] == sorted(one.wait(PATIENCE) for one in both)
    once(folder, finish(folder))


def test_a_child_outlives_its_parent_and_is_found_again(folder: Path) -> None:
    """Who works on it is left alone; its next parent waits for what it comes to."""
    gate = folder / "gate"
    parent = begin(folder, TOY_GATE=str(gate))
    until(lambda: all(held(folder, child) for child in CHILDREN))
    parent.kill()
    parent.wait(PATIENCE)
    before = {child: held(folder, child) for child in CHILDREN}
    again = begin(folder)
    until(lambda: held(folder, PARENT) == again.pid)
    assert before == {child: held(folder, child) for child in CHILDREN}
    gate.touch()
    assert again.wait(PATIENCE) == 0
    once(folder, finish(folder))


def test_an_interruption_reaches_every_child(folder: Path) -> None:
    """Each comes to a stand, says so in its own stream, and is gone on with later."""
    parent = begin(folder, TOY_DELAY="60")
    until(lambda: all(held(folder, child) for child in CHILDREN))
    until(lambda: all(len(events(folder, child)) > 1 for child in CHILDREN))
    parent.send_signal(signal.SIGINT)
    assert parent.wait(PATIENCE) == 130
    assert [0, 0, 0] == [held(folder, child) for child in CHILDREN]
    assert isinstance(events(folder, PARENT)[-1], Interrupted)
    assert [True] * 3 == [isinstance(events(folder, c)[-1], Interrupted) for c in CHILDREN]
    once(folder, finish(folder))


def test_a_child_that_is_stopped_is_noticed(folder: Path) -> None:
    """Its parent's stream says so, and says when it goes on."""
    gate = folder / "gate"
    parent = begin(folder, TOY_GATE=str(gate))
    until(lambda: len(events(folder, "one")) > 1)  # it is in its step, and holds no lock
    os.kill(held(folder, "one"), signal.SIGSTOP)

    def told() -> list[str]:
        stalls = (e for e in events(folder, PARENT) if isinstance(e, ChildStalled))
        return [stall.reason for stall in stalls]

    until(told)
    assert [f"process {held(folder, 'one')} is stopped"] == told()
    os.kill(held(folder, "one"), signal.SIGCONT)
    until(lambda: told()[-1] == "")
    gate.touch()
    assert parent.wait(PATIENCE) == 0
    once(folder, finish(folder))


class Deadly:
    """A nest whose children die at once."""

    begun = 0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def question_below(self, _: str) -> None:
        return None

    def log(self, _: str) -> Path:
        return self.folder / "last-words"

    def standing(self, _: str) -> tuple[int, Event | None]:
        return 3, None

    def holder(self, _: str) -> None:
        return None

    def command(self, _: int, __: RunSession) -> list[str]:
        self.begun += 1
        return ["sh", "-c", "echo no such tool >&2; exit 1"]


def test_a_child_that_cannot_work_is_given_up(tmp_path: Path) -> None:
    """Its process is begun three times, and no more; what it said last is told."""
    nest = Deadly(tmp_path)
    child = Child(nest=nest, number=7, intent=RunSession(child="one", kind="toy"))
    news: list[Event] = []
    while not news:
        news += [each] if (each := child.poll()) else []
    (ended,) = news
    assert isinstance(ended, ChildEnded)
    assert (7, LOST, 3) == (ended.of, ended.status, nest.begun)
    assert ended.reason.endswith("it said: no such tool")
