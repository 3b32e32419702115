"""Which trials tell flaky tests apart, played on worlds whose rules are known."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.flakes import Conditions, ExaminationRequest, FlakeTrial, examine
from clew.analysis.flakes.trials import shuffled
from clew.words.events import Flake, FlakeKind

NOW = 1_790_000_000.0
SUITE = tuple(f"t::{name}" for name in "abcdefghij")
World = Callable[[Conditions], set[str]]


def asked(
    *turned: str, doubtful: tuple[str, ...] = (), suite: tuple[str, ...] = SUITE
) -> ExaminationRequest:
    return ExaminationRequest(suite=suite, turned=turned, doubtful=doubtful, now=NOW)


def played(
    question: ExaminationRequest, world: World, most: int = 200, *, held: bool = True
) -> tuple[dict[str, Flake], int]:
    """Answer every trial by the rules of a world; return the verdicts, and how many trials."""
    dialogue, number = examine(question), 0
    try:
        conditions = next(dialogue)
        while True:
            number += 1
            red = frozenset(world(conditions) & set(conditions.order))
            trial = FlakeTrial(red=red, green=frozenset(conditions.order) - red, held=held)
            conditions = dialogue.send(trial if number <= most else None)
    except StopIteration as end:
        return {flake.test: flake for flake in end.value}, number


def after(test: str, *before: str) -> World:
    """A test is red when all of certain others ran before it in the same process."""

    def world(conditions: Conditions) -> set[str]:
        order = conditions.order
        place = order.index(test) if test in order else 0
        return {test} if set(before) <= set(order[:place]) else set()

    return world


@given(st.integers(1, 9), st.data())
@settings(deadline=None)
def test_the_test_that_disturbs_is_named(victim: int, data: st.DataObject) -> None:
    """Wherever in the suite it stands, within trials that grow with the logarithm of its length."""
    disturber = SUITE[data.draw(st.integers(0, victim - 1))]
    found, trials = played(asked(SUITE[victim]), after(SUITE[victim], disturber))
    flake = found[SUITE[victim]]
    assert (FlakeKind.ORDER, disturber, False) == (flake.kind, flake.after, flake.counts)
    assert trials <= 14


def test_a_thousand_tests_are_halved() -> None:
    """Not tried one by one."""
    suite = tuple(f"t::{n}" for n in range(1_000))
    found, trials = played(asked("t::999", suite=suite), after("t::999", "t::123"))
    assert "t::123" == found["t::999"].after
    assert trials <= 30


def test_where_several_have_to_come_together_none_is_named() -> None:
    """It still is a matter of the order."""
    found, _ = played(asked("t::j"), after("t::j", "t::a", "t::i"))
    assert (FlakeKind.ORDER, "") == (found["t::j"].kind, found["t::j"].after)


def test_a_disturber_of_many_is_looked_for_once() -> None:
    """The next ones are tried with it at once."""
    victims = SUITE[4:]

    def world(conditions: Conditions) -> set[str]:
        return set().union(*(after(v, "t::b")(conditions) for v in victims))

    found, trials = played(asked(*victims), world)
    assert {"t::b"} == {flake.after for flake in found.values()}
    assert len(victims) == len(found)
    assert trials <= 60


def test_a_test_that_passes_only_after_others_is_red() -> None:
    """Red in the suite and alone is red, although it was green once."""

    def world(conditions: Conditions) -> set[str]:
        order = conditions.order
        place = order.index("t::a") if "t::a" in order else 0
        return {"t::a"} if "t::b" not in order[:place] else set()

    question = msgspec.structs.replace(asked("t::a", "t::b"), again=("t::b", "t::a"))
    found, _ = played(question, world)
    assert (FlakeKind.ORDER, True) == (found["t::a"].kind, found["t::a"].counts)


@pytest.mark.parametrize("doubtful", [False, True])
def test_a_seed_is_named(*, doubtful: bool) -> None:
    """Red with one and green with another, each time."""
    question = asked(doubtful=("t::c",)) if doubtful else asked("t::c")
    found, _ = played(question, lambda c: {"t::c"} if c.seed == 3 else set())
    assert (FlakeKind.RANDOM, False) == (found["t::c"].kind, found["t::c"].counts)
    assert "red with seed 3, green with seed 1" in found["t::c"].evidence


@pytest.mark.parametrize(
    ("rule", "counts"),
    [
        (lambda at: int(at) % 2 == 0, False),
        (lambda at: at > NOW - 86_400 * 100, True),
        (lambda at: at < NOW + 86_400 * 100, True),
    ],
    ids=["the second", "expired", "not yet"],
)
def test_the_clock_is_named(rule: Callable[[float], bool], *, counts: bool) -> None:
    """What is red whenever it runs these days is no flake, though another date would turn it."""

    def world(conditions: Conditions) -> set[str]:
        at = conditions.clock or NOW
        return {"t::c"} if rule(at) else set()

    found, _ = played(asked(doubtful=("t::c",)), world)
    assert (FlakeKind.TIME, counts) == (found["t::c"].kind, found["t::c"].counts)


def test_a_clock_that_turns_in_step_with_the_trials_is_no_order() -> None:
    """Trials of about a second each, and a test that is red in every other second."""
    machine = itertools.count(int(NOW) + 1)

    def world(conditions: Conditions) -> set[str]:
        real = next(machine)
        at = real if conditions.clock is None else conditions.clock
        return {"t::b"} if int(at) % 2 else set()

    found, _ = played(asked("t::b", suite=SUITE[:2]), world)
    assert FlakeKind.TIME is found["t::b"].kind


def test_an_order_among_the_red_is_found_by_shuffling() -> None:
    """Where the suite's own order always leads to the same end."""
    found, _ = played(asked("t::b", doubtful=("t::a",)), after("t::a", "t::b"))
    assert FlakeKind.ORDER is found["t::a"].kind
    assert "shuffled by" in found["t::a"].evidence


def test_what_no_lever_turns_is_unknown() -> None:
    """It was red and green on the same code; why is not guessed at."""
    found, _ = played(asked("t::c"), lambda _: set())
    assert (FlakeKind.UNKNOWN, False) == (found["t::c"].kind, found["t::c"].counts)


def test_a_red_test_that_only_speaks_of_chance_stays_red() -> None:
    """Its text was a reason to look, and nothing was seen."""
    found, trials = played(asked(doubtful=("t::c",)), lambda _: {"t::c"})
    assert {} == found
    assert trials <= 12


def test_a_clock_that_cannot_be_set_is_no_evidence() -> None:
    """Neither for the clock nor for chance."""
    turns = itertools.cycle([{"t::c"}, set[str]()])
    found, _ = played(asked("t::c"), lambda _: next(turns), held=False)
    assert FlakeKind.UNKNOWN is found["t::c"].kind


@given(st.integers(0, 40), st.sampled_from(["order", "seed", "clock", "chance"]), st.integers())
@settings(deadline=None)
def test_an_examination_may_end_after_any_trial(most: int, rule: str, seed: int) -> None:
    """Every test that turned has a verdict, and without time for proof it is unknown."""
    chance = random.Random(seed)  # noqa: S311 - nothing is kept secret
    worlds: dict[str, World] = {
        "order": after("t::c", "t::a"),
        "seed": lambda c: {"t::c"} if c.seed == 2 else set(),
        "clock": lambda c: {"t::c"} if int(c.clock or NOW) % 2 else set(),
        "chance": lambda _: {"t::c"} if chance.random() < 0.5 else set(),
    }
    right = {"order": FlakeKind.ORDER, "seed": FlakeKind.RANDOM, "clock": FlakeKind.TIME}
    found, trials = played(asked("t::c"), worlds[rule], most)
    assert {"t::c"} == set(found)
    if rule in right:
        assert found["t::c"].kind in (right[rule], FlakeKind.UNKNOWN)
    assert trials <= 60


@pytest.mark.parametrize("chance", [0.2, 0.5, 0.8])
def test_chance_is_hardly_ever_taken_for_something_else(chance: float) -> None:
    """Of 500 random tests that were red and then green, at most 1 in 50 gets a wrong kind."""
    dice = random.Random(7)  # noqa: S311 - nothing is kept secret
    kinds = []
    for _ in range(500):
        found, _ = played(asked("t::c"), lambda _: {"t::c"} if dice.random() < chance else set())
        kinds.append(found["t::c"].kind)
    wrong = sum(kind in (FlakeKind.ORDER, FlakeKind.TIME) for kind in kinds)
    assert wrong <= 10


@given(st.permutations(SUITE), st.integers())
@settings(deadline=None)
def test_a_shuffle_depends_on_its_seed_alone(order: list[str], seed: int) -> None:
    """Not on the order before; so a recorded seed gives the order again."""
    assert shuffled(order, seed) == shuffled(SUITE, seed)
    assert set(SUITE) == set(shuffled(order, seed))
