"""What a run of tests says to a small change of a fix."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.flows.debugging.driver.proving.slips import Noticing, noticed
from clew.words.facts import CaseOutcome, Runner, TestCommand, TestResult, TestRun, Verdict


@pytest.mark.parametrize("runner", [Runner.PYTEST, Runner.GO])
def test_a_flaky_test_notices_nothing(runner: Runner) -> None:
    """What is red by chance says nothing of a change; any other red test does."""
    run = TestRun(
        verdict=Verdict.FAILED,
        command=TestCommand(runner=runner, argv=(), source=""),
        results=(TestResult(id="a", outcome=CaseOutcome.FAILED),),
    )

    assert Noticing.NONE is noticed(run, "a.py", {"a"})
    assert Noticing.TAKEN is noticed(run, "a.py", {"b"})


@pytest.mark.parametrize("runner", [Runner.PYTEST, Runner.JEST])
def test_a_run_that_did_not_run_notices_nothing(runner: Runner) -> None:
    """No test saw the change; but what takes the change for ever, a test has seen."""
    run = TestRun(
        verdict=Verdict.DID_NOT_RUN,
        command=TestCommand(runner=runner, argv=(), source=""),
        infrastructure=True,
        reason="bwrap: no namespace",
    )

    assert Noticing.UNTRIED is noticed(run, "a", ())
    assert Noticing.TAKEN is noticed(replace(run, timed_out=True), "a", ())
