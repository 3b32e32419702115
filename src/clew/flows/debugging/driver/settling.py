"""A person says which of two changes is right: that is written into the worktree."""

from __future__ import annotations

from msgspec.structs import replace

from clew.agents.filing import carry_out
from clew.analysis.tampering import place_of
from clew.flows.debugging.decisions.settling import given_value, value_test
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.performing import keep_manual_edits, manual_edits_ref
from clew.flows.debugging.states import require
from clew.words import events as ev
from clew.words.encodings import decoded
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import Edit, Runner
from clew.words.test_ids import is_example

__all__ = ["settled"]


def settled(debug_run: DebugRun, answer: ev.QuestionAnswered) -> ev.QuestionAnswered:
    """Write what a person decided into the worktree, as if by hand, and tell what was written.

    Raises UsageError, and then nothing was done.
    """
    state = debug_run.state
    told = require(require(state.question).unsettled)
    debug_run.open_worktree()
    if answer.option == ev.OTHER:
        _make(debug_run, told.edits)
        return answer
    value = given_value(answer.text, told, debug_run.id)
    path = _file_of_tests(debug_run)
    try:
        text = decoded(path, (debug_run.worktree / path).read_bytes())
        of_unittest = require(state.kept).command.runner is Runner.UNITTEST
        test = value_test(path, text, told, value, of_unittest=of_unittest)
    except (OSError, ValueError, SyntaxError) as error:
        raise _unwritten(debug_run, f"no test can be added to {path}: {error}") from error
    undo = () if value == told.gives else told.undo
    _make(debug_run, (*undo, test.edit) if test.edit else undo)
    kept = debug_run.repository.ref(debug_run.id, manual_edits_ref(state))
    return replace(answer, text=value, commit=kept or "", test=f"{path}::{test.name}")


def _file_of_tests(debug_run: DebugRun) -> str:
    """Return the file of the first test that is red."""
    state = debug_run.state
    files = debug_run.repository.files(state.head)
    tests = (red.id for red in state.red if not is_example(red.id, red.error))
    places = (place_of(test, files) for test in tests)
    path = next((place[0] for place in places if place), "")
    if not path.endswith(".py"):
        raise _unwritten(debug_run, "the file of the failing tests is not known")
    return path


def _make(debug_run: DebugRun, edits: tuple[Edit, ...]) -> None:
    try:
        carry_out(debug_run.worktree, edits)
    except AgentFailed as error:
        raise _unwritten(debug_run, error.message) from error
    keep_manual_edits(debug_run)


def _unwritten(debug_run: DebugRun, why: str) -> UsageError:
    return UsageError(
        f"what you decided cannot be written down: {why}",
        hint=f"Do it by hand in your own tree, then `clew resume {debug_run.id}`.",
    )
