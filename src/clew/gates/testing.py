"""The gate of the tests: facts of a run, as everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from clew import runners
from clew.gates.checks import capped, did_not_run
from clew.gates.detection import left_out
from clew.gates.measurement import Measurement
from clew.gates.phrases import counted
from clew.runners.infrastructure import innermost
from clew.words.errors import NoTestsFound, TestsDidNotRun
from clew.words.facts import Runner, TestCommand, TestResult, TestRun, Verdict
from clew.words.gates import GateCommand, GateFinding, GateKind, GateResult, GateStatus
from clew.words.printable import shortened

__all__ = ["command_of", "tested"]

TESTS = GateCommand(name=GateKind.TESTS.value, kind=GateKind.TESTS)
SAID = {
    Verdict.PASSED: GateStatus.PASS,
    Verdict.FAILED: GateStatus.FAIL,
    Verdict.DID_NOT_RUN: GateStatus.DID_NOT_RUN,
}


def tested(measured: Measurement) -> Iterator[GateResult]:
    """Run all tests, and keep the run for what is asked of single ones."""
    place = measured.place
    if left_out(place.settings.gates, GateKind.TESTS):
        return
    try:
        command = command_of(measured)
        site = runners.site_for(
            place.project, measured.worktree, command, place.settings, place.scratch
        )
    except NoTestsFound as error:
        yield replace(did_not_run(TESTS, error.whole), required=False)
        return
    except TestsDidNotRun as error:
        yield did_not_run(TESTS, error.whole)
        return
    asked = runners.Request(
        timeout=place.settings.timeout, test_timeout=place.settings.test_timeout
    )
    run = measured.run = runners.run(site, command, asked, place.scratch).run
    place.repository.put_back(measured.worktree, measured.head)
    yield GateResult(
        name=TESTS.name,
        kind=TESTS.kind,
        status=SAID[run.verdict],
        summary=_summary(run),
        command=command.argv,
        seconds=run.seconds,
        output=capped(run.output, TESTS.name),
        output_key=place.store.put(run.output.encode()) if run.output else "",
        findings=tuple(map(_finding, run.red)),
        failing=tuple(test.id for test in run.red),
    )


def command_of(measured: Measurement) -> TestCommand:
    """Return how the tests are run: as settings say, as the plan says, or as it is found out.

    Raises TestsDidNotRun, UsageError.
    """
    place = measured.place
    settings, project = place.settings, place.project
    line = settings.gates.get(GateKind.TESTS) or measured.request.test_command
    return runners.detect(
        project.path,
        measured.worktree / project.subdir,
        flag=line or settings.test_command,
        settings=None,
        junit=settings.junit,
        root=project.root,
        scratch=place.scratch,
    )


def _summary(run: TestRun) -> str:
    if run.verdict is Verdict.DID_NOT_RUN:
        return run.reason
    if run.command.runner is Runner.COMMAND:
        return f"the test command {run.verdict}"
    passed, red = counted(len(run.passed), "test"), counted(len(run.red), "test")
    more = f"; {run.reason}" if run.reason else ""
    return f"{red} failed, {len(run.passed)} passed{more}" if run.red else f"{passed} passed{more}"


def _finding(test: TestResult) -> GateFinding:
    frame = innermost(test.crash) if test.crash else None
    said = f"{test.crash.type}: {test.crash.message}" if test.crash else test.outcome.value
    return GateFinding(
        path=frame.path if frame else test.home,
        line=frame.line if frame else 0,
        text=shortened(f"{test.id}: {said}", 300),
    )
