"""Which lines the failing tests run: traced once for each code that an agent is asked about.

What was traced is kept with the diagnosis that it was made for, so that a fix, a resumed session
and whoever only looks need no run of their own.
"""

from __future__ import annotations

from clew.analysis.suspects import traced
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.decisions import seconds_left
from clew.flows.debugging.driver.workshop import Workshop
from clew.runners import Request
from clew.words.errors import ClewError
from clew.words.facts import Reached, TestRun, Tick, Traced

__all__ = ["known", "trace"]

LONG = 120.0  # seconds: of a suite that takes longer the failing tests alone are traced


def known(workshop: Workshop) -> Traced:
    """Return what was traced of the code that the session stands at; nothing is run."""
    state = workshop.state
    found = workshop.traced.get(state.head)
    if found is not None:
        return found
    for told in reversed(state.diagnoses):
        reached = workshop.store.get_record(told.reach, Reached) if told.reach else None
        if reached is not None and reached.commit == state.head:
            return Traced(suspects=told.suspects, files=reached.files)
    return Traced()


def trace(workshop: Workshop, run: TestRun) -> Traced:
    """Return the same, and run the tests for it where they were not traced, while time is left.

    `run` is the one that counts, in which flaky tests have no say. The worktree is put back;
    nothing is traced beyond Python, and nothing is known of tests that cannot be run.
    """
    found, head, left = known(workshop), workshop.state.head, seconds_left(workshop.state)
    traceable = run.command.runner.python and left > 0
    if found.files or head in workshop.traced or not traceable:
        return found
    workshop.watcher.tick(Tick(phase="tests (traced)"))
    only = tuple(result.id for result in run.red) if run.seconds > LONG else ()
    try:
        report = workshop.report(workshop.worktree, Request(only=only, trace=True), most=left)
        found = traced(run, report.coverage, is_test=is_test_path)
    except ClewError:
        found = Traced()
    workshop.repository.reset(workshop.id, head)
    workshop.traced[head] = found
    return found
