"""How sure a diagnosis is, where several changes pass."""

from __future__ import annotations

from clew.evidence.explain.certainty import apart
from clew.words.facts import Candidate, Edit, Parting


def change(description: str, parting: Parting | None = None, *, complete: bool = True) -> Candidate:
    return Candidate(
        description=description,
        family="arithmetic",
        path="stats.py",
        line=2,
        edits=(Edit(path="stats.py", line=2, current="a", should_be="b"),),
        complete=complete,
        inputs=39,
        parting=parting,
    )


BEST = change("drop `1`")
EMPTY = change(
    "replace `xs` by `xs[1:]`",
    Parting(call="mean([])", best="raises ZeroDivisionError", this="0.0"),
)


def test_an_input_shows_where_two_changes_part() -> None:
    assert (
        "`mean([])` raises ZeroDivisionError with this change, and gives `0.0` with: replace"
        in (apart(BEST, (BEST, EMPTY)))
    )


def test_the_other_change_is_held_against_the_first() -> None:
    assert (
        "`mean([])` gives `0.0` with this change, and raises ZeroDivisionError with: drop `1`"
        == apart(EMPTY, (BEST, EMPTY))
    )


def test_what_was_not_compared_has_no_input() -> None:
    assert apart(BEST, (BEST, change("drop `2`"))) == ""
    assert apart(BEST, (BEST,)) == ""
