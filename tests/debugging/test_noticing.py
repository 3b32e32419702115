"""What a run of tests says to a small change of a fix."""

from __future__ import annotations

import pytest

from clew.debugging.proving.trials import Notice, noticed
from clew.facts import Outcome, Runner, TestCommand, TestResult, TestRun, Verdict


@pytest.mark.parametrize("runner", [Runner.PYTEST, Runner.GO])
def test_a_flaky_test_notices_nothing(runner: Runner) -> None:
    """What is red by chance says nothing of a change; any other red test does."""
    run = TestRun(
        verdict=Verdict.FAILED,
        command=TestCommand(runner=runner, argv=(), source=""),
        results=(TestResult(id="a", outcome=Outcome.FAILED),),
    )

    assert Notice.NONE is noticed(run, "a.py", {"a"})
    assert Notice.TAKEN is noticed(run, "a.py", {"b"})
