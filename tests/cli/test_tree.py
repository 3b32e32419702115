"""Sessions that began others, as people see them."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from clew.cli.tree import in_tree
from clew.journal.streams import ListedSession

AT = datetime(2026, 3, 1, tzinfo=UTC)


def listed(session: str, parent: str = "") -> ListedSession:
    return ListedSession(
        session=session, created=AT, updated=AT, status="running", goal="g", parent=parent
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
