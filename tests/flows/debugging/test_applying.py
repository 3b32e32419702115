"""What a commit of a fix says in its first line."""

from __future__ import annotations

import pytest

from clew.flows.debugging.applying import _settled, _subject


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        ([], "fix: what was mended by hand"),
        (["replace `<=` by `<`"], "fix: replace `<=` by `<`"),
        (["replace `<=` by `<`", "add `:`", "drop `1`"], "fix: replace `<=` by `<` and 2 more"),
    ],
)
def test_the_first_line_tells_how_many_changes_there_are(changes: list[str], subject: str) -> None:
    assert subject == _subject(changes)


def test_a_long_first_line_tells_it_as_well() -> None:
    subject = _subject(["a" * 80, "b"])
    assert (65, True) == (len(subject), subject.endswith(" and 1 more"))


@pytest.mark.parametrize("open_", ["1 more test is red; it", "12 more tests are red; they"])
def test_a_commit_does_not_say_that_tests_are_red_which_it_mends(open_: str) -> None:
    cause = "`f` gives 1, and 3 of 4 red tests pass."
    assert cause == _settled(f"{cause} {open_} may have the same cause or another one.")
