"""What a debug session asks a person, in Clew's own words, with what others say below them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from clew.flows.investigation.decisions import asking
from clew.flows.investigation.events import DebugAsked, TestSeen, TestWritten, Topic
from clew.flows.investigation.states import DebugState
from clew.journal.flow import Record
from clew.words.debug_sessions import CurrentFocus, Resolution
from clew.words.investigations import CheckpointReached, Inconclusive, RootCause
from clew.words.printable import printable
from clew.words.records import AgentFailure, ChildEnded
from debugplay import DebugPlay
from filling import filled

FORGED = "it is so\nforged\u2028forged\rforged"


def told_forgeries() -> DebugState:
    """Return a state in which agents, tests and a person said this."""
    state = DebugPlay().run().state
    failed, ended = filled(AgentFailure, FORGED), filled(ChildEnded, FORGED)
    return replace(
        state,
        opened=replace(state.session, trigger=FORGED),
        cause=filled(RootCause, FORGED),
        complaint=FORGED,
        given_up=replace(failed, agent="one", kind="error"),
        focus=filled(CurrentFocus, FORGED),
        test=filled(TestWritten, FORGED),
        rejected=replace(ended, child="off-fix", status="terminated"),
        resolution=filled(Resolution, FORGED),
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda state: asking.ask_about_checkpoint(state, filled(CheckpointReached, FORGED)),
        lambda state: asking.ask_about_inconclusive(state, filled(Inconclusive, FORGED)),
        asking.ask_about_fix,
        lambda state: asking.ask_about_bounds(state, Topic.CIRCLES, "it goes in circles"),
        asking.ask_about_agents,
        asking.ask_about_test,
        lambda state: asking.ask_about_red(state, filled(TestSeen, FORGED)),
        asking.ask_about_rejection,
        asking.ask_to_verify,
    ],
)
def test_no_line_of_an_agent_stands_where_clew_s_own_do(
    ask: Callable[[DebugState], Record],
) -> None:
    """However many lines it says, and whatever ends them."""
    asked = ask(told_forgeries()).event
    assert isinstance(asked, DebugAsked)
    lines = printable(asked.text).split("\n")
    assert [] == [line for line in lines if line.startswith("forged")]
    assert "forged" in asked.text


def test_who_verifies_a_fix_is_told_how_sure_it_is() -> None:
    """It may be one of several that the tests let pass; those words are data, too."""
    sure = ChildEnded(child="off-fix", status="green", result={"sure": f"medium: {FORGED}"})
    asked = asking.ask_to_verify(replace(told_forgeries(), fix=sure)).event
    assert isinstance(asked, DebugAsked)
    assert "\nHow sure: medium: " in asked.text
    assert [] == [line for line in asked.text.split("\n") if line.startswith("forged")]


def test_who_verifies_a_fix_is_told_what_a_person_settled_of_it() -> None:
    """It is proven but for that; those words are data, too."""
    doubted = ChildEnded(child="off-fix", status="green", result={"doubts": [FORGED]})
    asked = asking.ask_to_verify(replace(told_forgeries(), fix=doubted)).event
    assert isinstance(asked, DebugAsked)
    assert asked.text.startswith("Fixed, and proven, except that a person settled the doubt.\n")
    assert "\nThe proof doubts: it is so" in asked.text
    assert [] == [line for line in asked.text.split("\n") if line.startswith("forged")]


def test_who_verifies_a_fix_is_told_what_its_tests_leave_open() -> None:
    """It is proven all the same; those words are data, too."""
    weak = ChildEnded(child="off-fix", status="green", result={"weak": [FORGED]})
    asked = asking.ask_to_verify(replace(told_forgeries(), fix=weak)).event
    assert isinstance(asked, DebugAsked)
    assert asked.text.startswith("Fixed, and proven.\n")
    assert "\nWeakly tested: it is so" in asked.text
    assert [] == [line for line in asked.text.split("\n") if line.startswith("forged")]


def test_who_confirms_a_test_reads_it_and_is_told_where_all_of_it_is() -> None:
    """It is in no tree of theirs yet."""
    seen = TestSeen(tests=("t.py::a",), written="+def a():\n+    no", place="/state/worktree/t.py")
    asked = asking.ask_about_red(told_forgeries(), seen).event
    assert isinstance(asked, DebugAsked)
    assert "\n  +def a():\n  +    no\nAll of it: /state/worktree/t.py\n" in asked.text
