"""Tests whose names change from run to run are no tests that are gone."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clew.flows.debugging.driver import regressions
from clew.words.facts import CaseOutcome, Runner, TestCommand, TestResult, TestRun, Verdict


def ran(*names: str) -> TestRun:
    return TestRun(
        verdict=Verdict.PASSED,
        command=TestCommand(runner=Runner.PYTEST, argv=("pytest",)),
        results=tuple(TestResult(id=name, outcome=CaseOutcome.PASSED) for name in names),
    )


BEFORE = ran("t.py::one[a-0]", "t.py::one[b-1]", "t.py::one[c-2]", "t.py::two[x]", "t.py::three")


@pytest.mark.parametrize(
    ("after", "again", "excused"),
    [
        # By chance the run beside has one of the names that the run with the fix lacks.
        (
            ("one[a-1]", "one[b-2]", "one[c-0]", "two[x]", "three"),
            ("one[a-0]", "one[b-2]", "one[c-1]", "two[x]", "three"),
            {"t.py::one[a-0]", "t.py::one[b-1]", "t.py::one[c-2]"},
        ),
        # One is gone for good.
        (
            ("one[a-1]", "one[b-2]", "two[x]", "three"),
            ("one[a-0]", "one[b-2]", "one[c-1]", "two[x]", "three"),
            set(),
        ),
        # These names do not change by themselves.
        (
            ("one[a-0]", "one[b-1]", "one[c-2]", "two[y]", "three"),
            ("one[a-0]", "one[b-1]", "one[c-2]", "two[x]", "three"),
            set(),
        ),
    ],
)
def test_names_that_change_by_themselves_are_told_from_tests_that_are_gone(
    monkeypatch: pytest.MonkeyPatch,
    after: tuple[str, ...],
    again: tuple[str, ...],
    excused: set[str],
) -> None:
    run, beside = (ran(*(f"t.py::{name}" for name in names)) for names in (after, again))
    debug_run: Any = SimpleNamespace(run_tests=lambda _place, **_words: beside)
    monkeypatch.setattr(regressions, "_without_a_fix", lambda _: nullcontext(Path()))

    assert excused == regressions.unsteady(debug_run, BEFORE, run)
