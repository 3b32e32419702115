"""What history and runs side by side say is true, and a root cause where one change brought it."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from clew.agents.replies import InvestigateReply
from clew.analysis.partings import FollowedCall, ValueParting, WayParting
from clew.flows.investigation.decisions.explaining import unexplained
from clew.flows.investigation.decisions.looking_back import (
    History,
    HistoryEnd,
    LookedBack,
    told_with,
)
from clew.flows.investigation.events import Reproduced
from clew.words.investigations import Investigation, Returned
from debugplay import DebugPlay, cause

CALL = FollowedCall(
    number=1, path="shop/total.py", function="total", line=4, given={"x": "1"}, gave="6"
)
PARTED = ValueParting(works=CALL, fails=replace(CALL, gave="5"))
BROUGHT = History(
    end=HistoryEnd.FOUND,
    shown="`python -m shop 1`",
    tried=5,
    commit="b" * 40,
    good="a" * 40,
    subject="Round faster",
    files=("shop/total.py",),
)


def open_ended() -> Investigation:
    seen = Reproduced(command="shop 1", commit="c", exit_code=1, runs=3, failed=3)
    state = replace(DebugPlay().run().state, reproduced=seen)
    return unexplained(state, None, "tests: none found")


def test_the_change_that_brought_it_is_a_root_cause() -> None:
    """With the function whose values part there; its reasoning lacks nothing."""
    told = told_with(open_ended(), LookedBack(history=BROUGHT, values=PARTED), ("t.py::test_a",))
    assert told.root_cause
    assert Returned.ROOT_CAUSE_FOUND is told.returned
    assert () == told.root_cause.reasoning.lacking
    assert (
        "it came with commit bbbbbbbbbbbb (Round faster): since then `total` in shop/total.py:4"
        " gave 5 where it gave 6, given the same: total(x=1)" == told.root_cause.root_cause
    )
    assert ("t.py::test_a",) == told.root_cause.failing_tests
    assert "the values first part in total" in [each.implication for each in told.evidence]
    assert ["it depends on this machine and its environment, not on the code"] == [
        each.hypothesis for each in told.eliminated
    ]


def test_a_change_that_a_person_ruled_out_is_not_named_again() -> None:
    """It stays an entry: that it is the first to show it is true."""
    said = told_with(open_ended(), LookedBack(history=BROUGHT)).root_cause
    assert said
    told = told_with(open_ended(), LookedBack(history=BROUGHT), out=(said.root_cause,))
    assert Returned.INCONCLUSIVE is told.returned
    assert "Round faster" in told.evidence[-1].found


def test_uncommitted_changes_may_be_what_brought_it() -> None:
    told = told_with(
        open_ended(),
        LookedBack(history=replace(BROUGHT, end=HistoryEnd.UNCOMMITTED, subject="")),
    )
    assert told.root_cause
    assert "it came with your uncommitted changes" == told.root_cause.root_cause


def test_what_is_first_seen_with_the_fix_of_the_session_is_not_blamed_on_it() -> None:
    """What it mended may have hidden it; a repair that is found says so, and no more."""
    seen = LookedBack(history=replace(BROUGHT, end=HistoryEnd.FIXED, subject=""), values=PARTED)
    told = told_with(open_ended(), seen)
    assert (Returned.INCONCLUSIVE, ()) == (told.returned, told.eliminated)
    assert "that fix brought it, or what it mended had hidden it" == told.evidence[-2].implication
    repaired = told_with(msgspec.convert(cause()["says"], InvestigateReply).told, seen)
    assert repaired.root_cause
    assert (
        "total takes one off. It is first seen with the fix of this session, which may only have"
        " uncovered it." == repaired.root_cause.root_cause
    )


def test_a_cause_that_was_found_says_since_when() -> None:
    """A repair is the better cause; nothing else of it changes."""
    told = msgspec.convert(cause()["says"], InvestigateReply).told
    after = told_with(told, LookedBack(history=BROUGHT))
    assert after.root_cause
    assert (
        "total takes one off. It came with commit bbbbbbbbbbbb (Round faster)."
        == after.root_cause.root_cause
    )
    assert told.focus == after.focus


@pytest.mark.parametrize("end", [HistoryEnd.ALWAYS, HistoryEnd.AMONG, HistoryEnd.OUT_OF_TIME])
def test_a_history_that_brought_nothing_is_no_cause(end: HistoryEnd) -> None:
    """What it showed is an entry; where every commit shows it, a change is ruled out."""
    told = told_with(open_ended(), LookedBack(history=replace(BROUGHT, end=end)))
    assert Returned.INCONCLUSIVE is told.returned
    assert "ran `python -m shop 1` on 5 commits" == told.evidence[-1].checked
    assert (end is HistoryEnd.ALWAYS) is bool(told.eliminated)


def test_a_change_of_nothing_but_papers_brought_nothing() -> None:
    told = told_with(open_ended(), LookedBack(history=replace(BROUGHT, files=())))
    assert Returned.INCONCLUSIVE is told.returned


def test_where_ways_part_and_where_it_raised_remains() -> None:
    """The input that works is named; the innermost function of the project that raised is first."""
    ways = WayParting(fails=CALL, line=5, works_to=7, fails_to=0)
    raised = replace(CALL, function="cents", at=9, gave="", raised="ValueError: ()")
    seen = LookedBack(ways=ways, working="`python -m shop 2`", calls=(raised, CALL))
    told = told_with(open_ended(), seen)
    assert told.inconclusive
    assert ("shop/total.py:9 in cents", "shop/total.py:5 in total") == told.inconclusive.remaining
    assert (
        "in total(x=1) both run alike up to shop/total.py:5; then what works goes on at line 7,"
        " and what fails returns" == told.evidence[0].found
    )
    assert "cents(x=1) raised ValueError: ()" == told.evidence[1].found


def test_the_same_lines_leave_the_values() -> None:
    told = told_with(open_ended(), LookedBack(alike=True, working="`python -m shop 2`"))
    assert "it depends on a value, and not on which way is gone" == told.evidence[0].implication
