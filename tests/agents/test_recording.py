"""What the calls of a session came to, written down."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from clew.agents.recording import change
from clew.agents.replies import edits
from clew.words.edits import apply

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n", "d\u2028"]), max_size=8)


@given(LINES, LINES, st.sampled_from(["", "end"]))
@example(["c\r\n"], ["c\r\n", "a\n"], "end")
def test_one_change_makes_the_new_text_of_the_old(
    before: list[str], after: list[str], end: str
) -> None:
    """Whatever lines were added, removed or replaced; a file that was not there is made."""
    old, new = "".join(before) + end, "".join(after)
    made = change("a.py", old or None, new)
    assert {"a.py": new} == apply({"a.py": old} if old else {}, edits((made,)))
