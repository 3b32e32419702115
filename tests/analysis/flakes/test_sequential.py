"""Whether a red test is a fault or a coin, played on thousands of each."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.flakes.sequential import Draws, RerunRequest, Resampling, Word, needed, resample
from clew.analysis.flakes.sources import Chance
from clew.analysis.flakes.trials import FlakeTrial

TEST = "t::coin"
RANDOM = frozenset({Chance.RANDOM})
HASHES = frozenset({Chance.HASHES})
End = Callable[[int], bool | None]  # of the copy of that number: red, green or nothing


def suspicion(
    touched: frozenset[Chance],
    suite: tuple[str, ...] = (),
    tests: tuple[str, ...] = (TEST,),
    *,
    at_once: bool = False,
) -> RerunRequest:
    return RerunRequest(
        order=tests,
        red=dict.fromkeys(tests, 1),
        touched=dict.fromkeys(tests, touched),
        suite=suite,
        at_once=at_once,
    )


def played(
    known: RerunRequest, end: End, most: int = 1_000
) -> tuple[dict[str, Resampling], list[Draws]]:
    """Answer every draw by the rule of a world; return the words, and what was drawn."""
    dialogue, drawn = resample(known), list[Draws]()
    try:
        draws = next(dialogue)
        while True:
            drawn.append(draws)
            ends = [end(copy) for _ in range(draws.processes) for copy in range(draws.copies)]
            trials = tuple(trial(draws, each) for each in ends)
            draws = dialogue.send(trials if len(drawn) <= most else None)
    except StopIteration as ended:
        return ended.value, drawn


def trial(draws: Draws, red: bool | None) -> FlakeTrial:  # noqa: FBT001 - as it is written
    tests = frozenset(draws.order)
    nothing = frozenset[str]()
    return FlakeTrial(red=tests if red else nothing, green=tests if red is False else nothing)


@pytest.mark.parametrize("touched", [RANDOM, HASHES], ids=["random", "sets"])
@pytest.mark.parametrize("chance", [0.1, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9])
def test_of_coins_at_most_one_in_a_hundred_ends_as_a_fault(
    chance: float, touched: frozenset[Chance]
) -> None:
    """Of 6,000 that were red in the suite and red alone; the hardest of them as well."""
    dice = random.Random(f"{chance} {touched}")  # noqa: S311 - nothing is kept secret
    known = suspicion(touched)
    words = [played(known, lambda _: dice.random() < chance)[0][TEST].word for _ in range(6_000)]
    faults = words.count(Word.FAULT)
    assert 0 == words.count(Word.PERHAPS)
    assert faults <= 60
    assert 0.9 ** needed(touched) < 0.01


def test_a_red_test_without_a_source_of_chance_costs_at_most_three_runs() -> None:
    """The one that is known, and two more, each in a process of its own."""
    found, drawn = played(suspicion(frozenset()), lambda _: True)
    assert (Word.FAULT, 3, 3) == (found[TEST].word, found[TEST].runs, found[TEST].red)
    assert [1, 1] == [draws.copies for draws in drawn]


def test_copies_stand_for_processes_unless_the_order_of_sets_matters() -> None:
    """46 more red runs take few processes, or one each where only a new one orders sets anew."""
    found, drawn = played(suspicion(RANDOM), lambda _: True)
    assert (Word.FAULT, 47) == (found[TEST].word, found[TEST].runs)
    assert len(drawn) <= 5
    found, drawn = played(suspicion(HASHES), lambda _: True)
    assert (Word.FAULT, 46) == (found[TEST].word, len(drawn))


def test_two_processes_run_side_by_side_where_they_may() -> None:
    """As many runs, in half the time; the last odd one runs alone."""
    found, drawn = played(suspicion(HASHES, at_once=True), lambda _: True)
    assert (Word.FAULT, 47) == (found[TEST].word, found[TEST].runs)
    assert [2] * 23 == [draws.processes for draws in drawn]
    found, drawn = played(suspicion(frozenset(), at_once=True), lambda _: True)
    assert [2] == [draws.processes for draws in drawn]
    _, drawn = played(suspicion(RANDOM, at_once=True), lambda _: True)
    assert {1} == {draws.processes for draws in drawn}


@pytest.mark.parametrize("seed", range(20))
def test_a_green_run_of_two_settles_a_coin(seed: int) -> None:
    """Each was the first of its process."""
    dice = random.Random(seed)  # noqa: S311 - nothing is kept secret
    found, _ = played(suspicion(HASHES, at_once=True), lambda _: dice.random() < 0.5)
    assert Word.COIN is found[TEST].word


def test_one_green_run_ends_it() -> None:
    """It was red and green on the same code."""
    found, drawn = played(suspicion(RANDOM), lambda _: False)
    assert (Word.COIN, 1) == (found[TEST].word, len(drawn))


def test_what_a_run_leaves_behind_makes_no_coin() -> None:
    """Red in each new process, and green for good after that: red on the code as it stands."""
    found, drawn = played(suspicion(RANDOM), lambda copy: copy == 0)
    assert Word.FAULT is found[TEST].word
    assert {1} == {draws.copies for draws in drawn[1:]}


@given(st.integers(0, 60), st.sampled_from([RANDOM, HASHES, frozenset[Chance]()]))
@settings(deadline=None)
def test_when_time_is_short_only_a_source_of_chance_leaves_doubt(
    most: int, touched: frozenset[Chance]
) -> None:
    """Perhaps flaky is what touches one and was not seen red often enough; all else is a fault."""
    found, _ = played(suspicion(touched), lambda _: True, most)
    known = found[TEST]
    enough = known.red > needed(touched)
    assert (Word.FAULT if enough or not touched else Word.PERHAPS) is known.word


def test_a_test_that_says_nothing_is_not_asked_for_ever() -> None:
    """Nor is it called a fault."""
    found, drawn = played(suspicion(RANDOM), lambda _: None)
    assert (Word.PERHAPS, 3) == (found[TEST].word, len(drawn))
    assert found[TEST].silent


def test_one_run_is_in_the_order_of_the_suite() -> None:
    """Where there is time for one, up to the last of the tests that may be coins."""
    suite = ("t::a", TEST, "t::z")
    _, drawn = played(suspicion(RANDOM, suite), lambda _: True)
    assert [suite[:2]] == [draws.order for draws in drawn if draws.order != (TEST,)]
    _, drawn = played(suspicion(frozenset(), suite), lambda _: True)
    assert {(TEST,)} == {draws.order for draws in drawn}
