"""The queue of finished phases: merged in batches, bisected where red, the pair found."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.flows.plan.events import GatesRan, MergePhase, PairFound, RunGates, TryMerge
from clew.flows.plan.viewing import issues
from clew.words.gates import GateKind, GateStatus
from clew.words.phases import ErrorKind, PhaseStatus
from clew.words.plans import PhaseId
from clew.words.records import ChildEnded, RunSession, Started
from clew.words.settings import Settings
from planflow import PlanPlay, phase, plan_of


class Queue:
    """Phases that are all done at once, of which some do not go together."""

    def __init__(self, phases: int, batch: int, *enemies: frozenset[PhaseId]) -> None:
        settings = Settings(agent=("builder",), merge_batch=batch)
        self.enemies = enemies
        self.play = PlanPlay(
            plan_of(*map(phase, range(1, phases + 1))), parallel=phases, settings=settings
        )
        self.play.routine()
        for number in self.play.children().values():
            self.play.end_child(number)

    def verdict(self, held: frozenset[PhaseId]) -> GateStatus:
        return GateStatus.FAIL if any(pair <= held for pair in self.enemies) else GateStatus.PASS

    def go_on(self) -> None:
        held = self.play.held
        self.play.routine(
            gates=lambda ran: self.verdict(held[ran.commit]),
            tries=lambda tried: self.verdict(held.get(tried.onto, frozenset()) | {tried.phase}),
        )

    def repair(self) -> None:
        """Have the pair that was found go together from then on."""
        (number,) = self.play.children("debugging").values()
        (found,) = self.pairs[-1:]
        self.enemies = tuple(e for e in self.enemies if e != {found.phase, found.other})
        self.play.end_child(number, "green")
        commit = f"c{self.play.commits}"
        self.play.held[commit] = self.play.held[self.play.state.head] | {found.phase}
        self.go_on()

    @property
    def pairs(self) -> list[PairFound]:
        return [event for event in self.play.events if isinstance(event, PairFound)]

    def begun(self, kind: type[object]) -> int:
        started = [event.intent for event in self.play.events if isinstance(event, Started)]
        return sum(isinstance(each, kind) for each in started)


def test_a_batch_that_passes_takes_one_run_of_the_gates() -> None:
    """Each phase is a commit and a checkpoint all the same; what is left over is the next batch."""
    queue = Queue(5, 3)
    queue.go_on()
    assert (5, 2) == (queue.begun(MergePhase), queue.begun(RunGates))
    assert [1, 2, 3, 4, 5] == [id_ for id_, _ in queue.play.state.merges]
    assert queue.play.state.ended
    assert "completed" == queue.play.state.ended.status


def test_a_batch_waits_for_nobody() -> None:
    """What is done is merged, be it less than a batch."""
    play = PlanPlay(plan_of(phase(1), phase(2)), settings=Settings(agent=("b",), merge_batch=4))
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    assert [1] == [id_ for id_, _ in play.state.merges]


def test_a_red_batch_is_bisected_and_its_pair_is_found_and_recorded() -> None:
    """The phases before it are merged; those after it are, once it is repaired."""
    queue = Queue(8, 8, frozenset({2, 6}))
    queue.go_on()
    assert [(6, 2)] == [(found.phase, found.other) for found in queue.pairs]
    assert [1, 2, 3, 4, 5] == [id_ for id_, _ in queue.play.state.merges]
    ((_, repair),) = queue.play.begun(RunSession).items()
    assert "phase 6 merged, which phase 2 breaks" in repair.request["goal"]
    error = queue.play.state.phase(6).errors[-1]
    assert ErrorKind.VALIDATION is error.type
    assert "both green alone, red together: it and phase 2" in error.message
    assert queue.begun(RunGates) <= 4
    assert queue.begun(TryMerge) <= 3
    queue.repair()
    assert {1, 2, 3, 4, 5, 6, 7, 8} == {id_ for id_, _ in queue.play.state.merges}


def test_what_does_not_fit_below_less_is_repaired_without_its_pair() -> None:
    """Nobody knows it then, and nobody guesses."""
    queue = Queue(4, 4, frozenset({1, 4}))
    held = queue.play.held
    queue.play.routine(gates=lambda ran: queue.verdict(held[ran.commit]), tries=lambda _: None)
    assert [] == queue.pairs
    assert {4} == set(queue.play.children("debugging"))


def test_a_change_that_does_not_fit_leaves_its_batch_and_no_other_does() -> None:
    """It is carried out again on top of what is merged."""
    queue = Queue(3, 3)
    queue.play.routine(merge=lambda intent: ("a.py",) if intent.phase == 2 else ())
    assert [1, 3] == [id_ for id_, _ in queue.play.state.merges]
    assert {2} == set(queue.play.children())


@given(
    phases=st.integers(1, 9),
    batch=st.integers(1, 9),
    picks=st.sets(st.integers(0, 35), max_size=3),
)
def test_every_pair_is_found_and_nothing_is_dropped(
    phases: int, batch: int, picks: set[int]
) -> None:
    """Whatever does not go together, and however it is cut into batches."""
    pairs = [frozenset[PhaseId](each) for each in combinations(range(1, phases + 1), 2)]
    queue = Queue(phases, batch, *(pairs[pick] for pick in picks if pick < len(pairs)))
    wrong = set(queue.enemies)
    queue.go_on()
    for _ in range(len(wrong) + 1):
        if queue.play.children("debugging"):
            queue.repair()
    state = queue.play.state
    found = {frozenset({each.phase, each.other}) for each in queue.pairs}
    repaired = {each.phase for each in queue.pairs}
    assert found <= wrong
    # a phase that is red a second time was repaired before, so that it is tried again or asked of
    left = {id_ for id_, each in state.phases.items() if each.status is not PhaseStatus.COMPLETED}
    assert left <= repaired
    assert state.ended or left


def test_the_plan_says_how_many_are_merged_before_the_gates_run() -> None:
    """It comes before the settings of the project, and after what is said for one run."""
    for settings, runs in (
        (Settings(agent=("b",)), 2),
        (Settings(agent=("b",), merge_batch=1, sources={"merge_batch": "command line"}), 4),
    ):
        plan = replace(plan_of(*map(phase, range(1, 5))), merge_batch=2)
        play = PlanPlay(plan, parallel=4, settings=settings)
        play.routine()
        for number in play.children().values():
            play.end_child(number)
        play.routine()
        assert runs == sum(isinstance(event, GatesRan) for event in play.events)


def test_known_issues_of_a_phase_are_known_once_it_is_merged() -> None:
    """To the gates of the plan, and to the phases after it."""
    play = PlanPlay(plan_of(phase(1), phase(2, 1)))
    play.routine()
    known: dict[str, Any] = {"known_issues": ["t::a: it rounds"], "known_failing": ["t::a"]}
    red = {"failed": (GateKind.TESTS,), "failing": ("t::a",)}
    play.end_child(play.children()[1], **known)
    play.routine(gates=lambda _: GateStatus.FAIL, ran=red)
    assert {"t::a"} == play.state.known
    (second,) = play.begun(RunSession).values()
    assert ["t::a"] == second.request["known"]
    play.end_child(play.children()[2])
    play.routine(gates=lambda _: GateStatus.FAIL, ran=red)
    assert play.state.ended
    assert "completed" == play.state.ended.status
    assert ["known issue of phase 1: t::a: it rounds"] == list(issues(play.state))


def test_what_a_person_skips_of_a_merged_phase_is_merged() -> None:
    """With its known issues; nothing of either side is dropped."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1])
    red = {"failed": (GateKind.TESTS,), "failing": ("t::a",)}
    play.routine(gates=lambda _: GateStatus.FAIL, ran=red)
    (number,) = play.children("debugging").values()
    known: dict[str, Any] = {"known_issues": ["t::a: it rounds"], "known_failing": ["t::a"]}
    child = play.state.in_flight[number]
    assert isinstance(child, RunSession)
    play.record(ChildEnded(of=number, child=child.child, status="skipped", **known))
    play.routine(gates=lambda _: GateStatus.FAIL, ran=red)
    assert [1] == [id_ for id_, _ in play.state.merges]
    assert ["a known issue"] == [error.resolution for error in play.state.phase(1).errors]
