"""Which lines the failing tests run: traced once for each code that an agent is asked about.

What was traced is kept with the diagnosis that it was made for, so that a fix, a resumed session
and whoever only looks need no run of their own.
"""

from __future__ import annotations

from clew.analysis.suspects import traced
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.decisions import seconds_left
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.runners import Request, places_of_hangs
from clew.words.errors import ClewError
from clew.words.facts import Reached, TestRun, Tick, Traced

__all__ = ["known", "trace"]

LONG = 120.0  # seconds: of a suite that takes longer the failing tests alone are traced


def known(debug_run: DebugRun) -> Traced:
    """Return what was traced of the code that the session stands at; nothing is run."""
    state = debug_run.state
    found = debug_run.traced.get(state.head)
    if found is not None:
        return found
    for told in reversed(state.diagnoses):
        reached = debug_run.store.get_record(told.reach, Reached) if told.reach else None
        if reached is not None and reached.commit == state.head:
            return Traced(suspects=told.suspects, files=reached.files)
    return Traced()


def trace(debug_run: DebugRun, run: TestRun) -> Traced:
    """Return the same, and run the tests for it where they were not traced, while time is left.

    `run` is the one that counts, in which flaky tests have no say. The worktree is put back;
    nothing is traced beyond Python, and nothing is known of tests that cannot be run.
    """
    found, head, left = known(debug_run), debug_run.state.head, seconds_left(debug_run.state)
    traceable = run.command.runner.python and left > 0
    if found.files or head in debug_run.traced or not traceable:
        return found
    debug_run.watcher.tick(Tick(phase="tests (traced)"))
    only = tuple(result.id for result in run.red) if run.seconds > LONG else ()
    try:
        request = Request(only=only, trace=True, hung=places_of_hangs(run.results))
        report = debug_run.report(debug_run.worktree, request, most=left)
        found = traced(run, report.coverage, is_test=is_test_path)
    except ClewError:
        found = Traced()
    debug_run.repository.reset(debug_run.id, head)
    debug_run.traced[head] = found
    return found
