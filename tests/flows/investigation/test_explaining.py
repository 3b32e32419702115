"""What the built-in investigator says is true, goes as far as it saw, and no further."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.analysis.failures.pasted import MappedFrame
from clew.analysis.mentioned import NamedFunction
from clew.flows.investigation.decisions.explaining import explained, unexplained
from clew.flows.investigation.events import Reproduced, TracebackMapped
from clew.words.debug_sessions import Symptoms
from clew.words.facts import (
    CaseOutcome,
    Category,
    Diagnosis,
    Edit,
    Option,
    Runner,
    Suspect,
    TestCommand,
    TestResult,
    TestRun,
    Verdict,
)
from clew.words.investigations import Returned
from debugplay import DebugPlay

COMMAND = TestCommand(runner=Runner.PYTEST, argv=("pytest",), source="detected")
RED = TestRun(
    verdict=Verdict.FAILED,
    command=COMMAND,
    results=(
        TestResult(id="t.py::test_a", outcome=CaseOutcome.FAILED, output="assert 5 == 6"),
        TestResult(id="t.py::test_b", outcome=CaseOutcome.PASSED),
    ),
)
EDIT = Edit(path="shop/total.py", line=6, current="- 1", should_be="- 0")
FOUND = Diagnosis(
    title="one off",
    category=Category.TEST_FAILURE,
    root_cause="total takes one off",
    path="shop/total.py",
    line=6,
    options=(Option(title="take nothing off", approach="take nothing off", edits=(EDIT,)),),
)
SUSPECT = Suspect(path="shop/total.py", line=6, score=0.5, reasons=("failing tests run it",))


def test_a_repair_that_was_found_is_a_root_cause_whose_reasoning_is_whole() -> None:
    """With the failing tests, which prove the fix; that they show it is left to a person."""
    told = explained(RED, FOUND, (SUSPECT,), proposes=True)
    assert told.root_cause
    assert (Returned.ROOT_CAUSE_FOUND, ()) == (told.returned, told.root_cause.reasoning.lacking)
    assert ("t.py::test_a",) == told.root_cause.failing_tests
    assert "for a person to say" in told.root_cause.reasoning.blind_spots
    assert ["ran `pytest`", "the failing test t.py::test_a", "shop/total.py:6"] == [
        entry.checked for entry in told.evidence
    ]


@pytest.mark.parametrize("actual", ["", "11.38"])
def test_what_does_not_show_it_is_shown(actual: str) -> None:
    """What the command printed tells a person that they saw something else."""
    ran = Reproduced(command="shop 3", commit="c", exit_code=0, tail="a\ntotal 11.39", runs=3)
    symptoms = Symptoms(expected="11.37" if actual else "", actual=actual).shown_by("shop 3")
    play = DebugPlay(symptoms=symptoms).run()
    told = unexplained(replace(play.state, reproduced=ran), None)
    assert told.checkpoint
    assert "It printed: a / total 11.39." in told.checkpoint.details
    silent = unexplained(replace(play.state, reproduced=replace(ran, tail="")), None)
    assert silent.checkpoint
    assert "It printed nothing." in silent.checkpoint.details


def test_red_tests_without_a_repair_are_inconclusive() -> None:
    """What is suspected remains."""
    told = explained(RED, replace(FOUND, options=()), (SUSPECT,), proposes=False)
    assert told.inconclusive
    assert ("shop/total.py:6",) == told.inconclusive.remaining


def test_nothing_else_than_what_was_refused_is_said_to_be_that() -> None:
    """Not that no change helps: one did, and a person wants another."""
    exhausted = replace(
        FOUND, options=(), exhausted="all 9 changes were tried, and none fixes this"
    )
    told = explained(RED, exhausted, (), proposes=False, refused=2)
    assert told.inconclusive
    assert told.inconclusive.recommendation.startswith(
        "nothing else was found than the 2 fixes that were refused; name an agent"
    )


def test_what_remains_names_functions_those_too_that_the_words_may_mean() -> None:
    """Of these only what the failing tests run is handed in; it is all one sentence."""
    meant = (NamedFunction("shop/cart.py", 9, "total_of", ("total",), 12),)
    open_ended = replace(FOUND, options=(), exhausted="Nothing was found.")
    suspect = replace(SUSPECT, function="total")
    told = explained(RED, open_ended, (suspect,), proposes=False, meant=meant)
    assert told.inconclusive
    assert (
        "shop/total.py:6 in total",
        "shop/cart.py:9 in total_of (shares total)",
    ) == told.inconclusive.remaining
    assert told.inconclusive.recommendation.startswith("Nothing was found; name an agent")


def test_green_tests_say_that_no_test_shows_it() -> None:
    """And where a pasted traceback ended is where to log what it works with."""
    play = DebugPlay().run()
    frame = MappedFrame(
        path="shop/a.py", line=3, function="f", code="if g(x) > limit:", pasted="a.py:9"
    )
    state = replace(play.state, mapped=TracebackMapped(frames=(frame,)))
    green = replace(RED, verdict=Verdict.PASSED, results=RED.results[1:])
    told = unexplained(state, green)
    assert told.checkpoint
    assert Returned.CHECKPOINT_REACHED is told.returned
    assert "- shop/a.py:3 in f, before that line: limit, x" in told.checkpoint.details
    assert "no test shows the symptom" == told.evidence[0].implication


def test_words_alone_name_functions_to_log() -> None:
    """They are candidates: the names share words."""
    state = DebugPlay().run().state
    meant = NamedFunction("shop/cart.py", 9, "total_of", ("total",), 12)
    told = unexplained(state, None, "tests: none found", (meant,))
    assert told.checkpoint
    assert "shop/cart.py:9 in total_of (shares total)" in told.checkpoint.details


def test_a_command_that_shows_it_leaves_nothing_to_wait_for() -> None:
    """No test fails, and what remains is said."""
    seen = Reproduced(command="shop 1", commit="c", exit_code=1, runs=3, failed=3)
    state = replace(DebugPlay().run().state, reproduced=seen)
    told = unexplained(state, None, "tests: none found")
    assert told.inconclusive
    assert "name an agent" in told.inconclusive.recommendation


def test_a_command_that_did_not_run_was_not_run_once() -> None:
    """Nobody counts its runs."""
    seen = Reproduced(command="shop 1", commit="c", why_not="shop was not found")
    state = replace(DebugPlay().run().state, reproduced=seen)
    told = unexplained(state, None)
    assert told.checkpoint
    assert "`shop 1`: it could not be run: shop was not found" in told.checkpoint.details
    assert "runs show it" not in told.checkpoint.details


def test_tests_that_do_not_run_say_nothing_of_the_symptom() -> None:
    """Why is evidence; where there are none that is what was checked."""
    broken = replace(RED, verdict=Verdict.DID_NOT_RUN, results=(), reason="no conftest")
    state = DebugPlay().run().state
    told = unexplained(state, broken)
    assert "did not run: no conftest" in told.evidence[0].found
    assert told.checkpoint
    assert "the tests, which did not run: no conftest" in told.checkpoint.details
    none = unexplained(state, None, "tests: none found")
    assert none.checkpoint
    assert "(tests: none found)" in none.checkpoint.details
