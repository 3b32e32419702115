"""Sessions that began others, as people see them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.cli.tree import in_tree, show_waiting, waiting_below
from clew.journal.streams import ListedSession

if TYPE_CHECKING:
    from clew.api import ProjectSessions

AT = datetime(2026, 3, 1, tzinfo=UTC)


def listed(session: str, parent: str = "", status: str = "running") -> ListedSession:
    return ListedSession(
        session=session, created=AT, updated=AT, status=status, goal="g", parent=parent
    )


def test_children_stand_below_their_parent_in_the_order_of_their_beginning() -> None:
    """Newest first is for sessions that a person began."""
    newest_first = (
        listed("fix"),
        listed("second", "plan"),
        listed("deep", "first"),
        listed("first", "plan"),
        listed("plan"),
    )
    assert ["fix", "plan", "├─ first", "│  └─ deep", "└─ second"] == [
        branch + one.session for branch, one in in_tree(newest_first)
    ]


def test_a_child_whose_parent_is_not_there_stands_by_itself() -> None:
    """A list that lost a row hides no other."""
    assert ["child"] == [
        branch + one.session for branch, one in in_tree(iter([listed("child", "gone")]))
    ]


@given(st.lists(st.integers(0, 20), max_size=20))
def test_every_session_stands_in_the_tree_once(parents: list[int]) -> None:
    """Whoever its parent is, as long as that one began before it."""
    sessions = [listed(str(n), str(p) if p < n else "") for n, p in enumerate(parents)][::-1]
    assert sorted(o.session for o in sessions) == sorted(o.session for _, o in in_tree(sessions))


class Listing:
    """A plan with a question two levels below, and another plan's."""

    def listing(self) -> tuple[ListedSession, ...]:
        return (
            listed("p1-fix1", "p1", "waiting"),
            listed("q1", "other", "waiting"),
            listed("p2", "plan", "completed"),
            listed("p1", "plan"),
            listed("other"),
            listed("plan"),
        )


@pytest.mark.parametrize(("session", "below"), [("plan", ["p1-fix1"]), ("p2", [])])
def test_questions_below_are_those_of_a_session_alone(session: str, below: list[str]) -> None:
    """However deep they are."""
    assert below == [one.session for one in waiting_below(Listing().listing(), session)]


def test_a_question_below_comes_with_what_to_type(capsys: pytest.CaptureFixture[str]) -> None:
    """Where its answers stand, and how the session goes on then; nothing where nobody asks."""
    sessions = cast("ProjectSessions", Listing())
    show_waiting(sessions, "p2")
    show_waiting(sessions, "plan")
    typed = ["its answers:  clew status p1-fix1", "then go on:   clew resume plan"]
    assert typed == capsys.readouterr().out.splitlines()
