"""What a person has to settle before code is bent to it."""

from __future__ import annotations

from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.states.record import State, require
from clew.words.facts import Category

__all__ = ["dispute"]


def dispute(state: State) -> str:
    """Say why a person is asked before what was diagnosed is carried out; empty if they are not.

    Tests that contradict each other, or that the diagnosis calls wrong, are asked about once. A
    change of the tests themselves is asked about when it is there to be seen. The first rules asked
    nobody.
    """
    told, report = require(state.diagnosed).diagnosis, state.report
    if state.session.rules == 1 or state.decided:
        return ""
    if any(is_test_path(edit.path) for edit in told.edits):
        return ""
    if report and report.dispute:
        return f"tests contradict each other: {report.dispute}"
    if told.category is Category.TASK_SPEC_ERROR:
        return f"the requirement is unclear: {told.root_cause}"
    return ""
