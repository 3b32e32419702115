"""Runs, results and crashes for tests of the rules, in few words."""

from __future__ import annotations

from clew.words.facts import (
    CaseOutcome,
    Crash,
    Frame,
    Phase,
    Runner,
    TestCommand,
    TestResult,
    TestRun,
    Verdict,
)

PYTEST = TestCommand(runner=Runner.PYTEST, argv=("pytest",), interpreter="/usr/bin/python3")


def crash(kind: str, message: str, *frames: Frame, details: str = "") -> Crash:
    return Crash(type=kind, message=message, frames=frames, details=details)


def frame(place: str, function: str = "", code: str = "", **values: str) -> Frame:
    path, _, line = place.rpartition(":")
    return Frame(
        path=path, line=int(line), function=function, code=code, project=True, values=values
    )


def failed(name: str, of: Crash | None = None, phase: Phase = Phase.CALL) -> TestResult:
    outcome = CaseOutcome.FAILED if phase is Phase.CALL else CaseOutcome.ERROR
    return TestResult(id=name, outcome=outcome, phase=phase, crash=of)


def passed(*names: str) -> tuple[TestResult, ...]:
    return tuple(TestResult(id=name, outcome=CaseOutcome.PASSED) for name in names)


def run(*results: TestResult, output: str = "", command: TestCommand = PYTEST) -> TestRun:
    red = any(result.outcome.red for result in results) or (not results and bool(output))
    return TestRun(
        verdict=Verdict.FAILED if red else Verdict.PASSED,
        command=command,
        results=results,
        exit_code=int(red),
        output=output,
    )
