"""Where other changes that pass part from the best one, and what a person is asked."""

from __future__ import annotations

from msgspec.structs import replace

from candidatekit import BEST, MEAN, change
from clew.evidence.explain.rivals import apart, rivals, undecided, unsettled
from clew.words.facts import Candidate, Edit, Parting

EMPTY = change(
    "replace `xs` by `xs[1:]`",
    Parting(call="mean([])", best="raises ZeroDivisionError", this="0.0"),
)

BY_VALUE = "By the value of that call no test can tell these apart."


def test_an_input_shows_where_two_changes_part() -> None:
    assert (
        "`mean([])` raises ZeroDivisionError with this change, and gives `0.0` with: replace"
        in (apart(BEST, (BEST, EMPTY)))
    )


def test_two_long_values_are_shown_from_where_they_part() -> None:
    """Paths of the search's own folder, as a rule: cut at their ends they would be the same."""
    long = "PosixPath('/" + "a" * 130 + "/b/"
    parted = change("drop `2`", Parting(call="f()", best=f"{long}one')", this=f"{long}two')"))
    said = apart(BEST, (BEST, parted))
    assert f"gives `…{'a' * 17}/b/one')` with this change, and gives `…{'a' * 17}/b/two')`" in said


def test_the_other_change_is_held_against_the_first() -> None:
    assert (
        "`mean([])` gives `0.0` with this change, and raises ZeroDivisionError with: drop `1`"
        == apart(EMPTY, (BEST, EMPTY))
    )


def test_what_was_not_compared_has_no_input() -> None:
    assert apart(BEST, (BEST, change("drop `2`"))) == ""
    assert apart(BEST, (BEST,)) == ""


def test_a_person_is_asked_for_the_value_that_is_easiest_to_know() -> None:
    """Of several that part from the best, by a call that gives values and a test can make."""
    told = unsettled((BEST, EMPTY, MEAN))

    assert told
    assert ("mean([1, 2])", "stats", "1.5", "1.0") == (
        *(told.call, told.module),
        *(told.gives, told.other_gives),
    )
    assert ("replace `+` by `|`", MEAN.edits) == (told.other, told.edits)


def test_values_that_are_equal_are_asked_for_last_and_no_test_is_said_to_settle_them() -> None:
    """A test that `count([])` gives `0` passes with `0.0` as well."""
    equal = change("replace `+` by `/`", Parting(call="count([])", best="0", this="0.0"))

    told = unsettled((BEST, equal, EMPTY))
    assert told
    assert "mean([])" == told.call
    assert undecided((BEST, equal)).endswith(
        "by `/`. By the value of that call no test can tell these apart."
    )
    assert undecided((BEST, equal, MEAN)).endswith("A test of that call would settle it.")


def test_what_shows_an_address_is_not_said_to_be_settled_by_a_test_of_the_call() -> None:
    """Nobody can write such a value; what stands in quotes is text."""
    plain = Parting(call="f()", best="'<a>'", this="1", module="m")
    asked = undecided((BEST, change("drop `2`", plain)))
    unmade = undecided((BEST, change("drop `2`", replace(plain, call="A.f(A(n=1))", module=""))))
    lost = undecided(
        (BEST, change("drop `2`", Parting(call="f()", best="{<it>: 2}", this="1", module="m")))
    )

    assert asked.endswith(". A test of that call would settle it.")
    assert unmade.endswith(". A test that tells them apart would settle it.")
    assert lost.endswith(". A test that tells them apart would settle it.")


def test_a_call_is_shown_whole_where_a_test_of_it_would_settle_it() -> None:
    """Somebody is to write it; of one that the search cut nobody can."""
    long, cut = f"mean([{', '.join(['1'] * 80)}])", "mean(['aaa…'])"
    whole, torn = (
        undecided((BEST, change("drop `2`", Parting(call=call, best="1", this="0", module="m"))))
        for call in (long, cut)
    )

    assert long in whole
    assert whole.endswith(". A test of that call would settle it.")
    assert torn.endswith(": drop `2`. A test that tells them apart would settle it.")


def test_what_cannot_be_told_by_what_is_shown_is_not_said_to_be_settled_by_a_test() -> None:
    """Two objects that look alike, which no literal equals."""
    alike = change("drop `2`", Parting(call="f()", best="<Meter>", this="<Meter>"))

    assert undecided((BEST, alike)).endswith(
        "By the value of that call no test can tell these apart."
    )


def test_a_change_that_was_not_compared_is_named() -> None:
    """No call is known that shows what it does otherwise."""
    settles = "drop `2`; a test that tells them apart would settle it."
    others = (change("drop `2`"), change("drop `3`"))
    part = "no call was found on which they part"
    assert undecided((BEST, *others)).endswith(f"{part}, such as: {settles}")
    assert undecided((BEST, others[0])).endswith(f"{part}: {settles}")


def test_a_change_elsewhere_is_told_with_its_place() -> None:
    """What it exchanges may stand in several lines of the file."""
    below = replace(change("replace `0` by `1`"), line=9)

    assert "on which they part: replace `0` by `1` at stats.py:9; a" in undecided((BEST, below))


def test_a_change_of_the_same_name_is_told_by_its_place_or_its_code() -> None:
    edit = Edit(path="stats.py", line=2, current="a", should_be="b + c")
    parting = Parting(call="mean([])", best="1", this="0")
    beside = replace(change(BEST.description, parting), edits=(edit,))
    below = replace(beside, line=9)

    for other, named in ((beside, ", which makes it `b + c`"), (below, " at stats.py:9")):
        said = undecided((BEST, other))
        assert f"gives `0` with: drop `1`{named}. A test" in said
        assert apart(BEST, (BEST, other)) in said
        told = unsettled((BEST, other))
        assert told
        assert f"drop `1`{named}" == told.other


def test_nobody_is_asked_where_no_change_mends_it_all_or_only_one_does() -> None:
    assert unsettled(()) is None
    assert unsettled((BEST,)) is None
    assert unsettled((change("drop `2`", complete=False), MEAN)) is None


def test_a_change_of_which_no_call_is_known_can_be_taken_as_well() -> None:
    """Only where none is known to part from the best."""
    told = unsettled((BEST, change("drop `2`"), change("drop `3`")))
    assert told
    assert ("drop `2`", "", change("drop `2`").edits) == (told.other, told.call, told.edits)
    known = unsettled((BEST, change("drop `2`"), MEAN))
    assert known
    assert MEAN.edits == known.edits


def test_of_a_part_others_are_known_that_mend_the_same() -> None:
    """They may be settled by what is mended after it, so they are kept with it."""

    def partial(each: Candidate, *green: str) -> Candidate:
        return replace(each, complete=False, turns_green=green)

    best, same, less = partial(BEST, "a", "b"), partial(MEAN, "a", "b"), partial(EMPTY, "a")
    (told,) = rivals((best, less, same))
    assert (MEAN.edits, "mean([1, 2])") == (told.edits, told.call)
    said = undecided((best, less, same))
    assert said.startswith("1 other change turns the same tests green and behaves differently")
    assert () == rivals((best, less))
    assert () == rivals((BEST, MEAN))  # all is mended: a person is asked at once
