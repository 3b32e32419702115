"""How sure a diagnosis is, where several changes pass."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from clew.documents.views import IterationView
from clew.evidence.explain.certainty import (
    BY_CHANCE,
    MAKESHIFT,
    apart,
    confidence_of,
    left_unused,
    not_kept,
    rivals,
    taken_away,
    undecided,
    unsettled,
)
from clew.probe.search.ranking import PENALTY
from clew.words.facts import Candidate, Category, Edit, Findings, Parting
from failurekit import failed, run

if TYPE_CHECKING:
    from clew.evidence.explain.scene import Scene


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


NOWHERE = SimpleNamespace(sources={})  # a scene without a file
BEST = change("drop `1`")
TRIED = IterationView(
    number=1, result="FAILED", edits=(Edit(path="s.py", line=1, current="x", should_be="y"),),
    red_before=1, red_after=0,
)  # fmt: skip
EMPTY = change(
    "replace `xs` by `xs[1:]`",
    Parting(call="mean([])", best="raises ZeroDivisionError", this="0.0"),
)


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


def test_what_is_gone_with_a_change_is_named() -> None:
    """It was put back as it was before somebody added more; a name that stays is not gone."""
    edits = (
        Edit(path="a.py", line=1, current="def clear():\n    pass\n\ndef kept():", should_be=""),
        Edit(path="a.py", line=9, current="class Old:\n    x", should_be="def kept(a):\n    x"),
    )
    said = "The change takes `clear` and `Old` away: see that nobody wants them any more."
    assert said == taken_away(replace(BEST, edits=edits))
    assert "" == taken_away(BEST)
    told = confidence_of(cast("Scene", NOWHERE), (replace(BEST, edits=edits, turns_green=("t",)),))
    assert ("medium", said) == told


@pytest.mark.parametrize(
    ("history", "refused", "besides"),
    [
        ((), 0, ""),
        ((), 1, " and can be kept"),
        ((TRIED,), 0, " but that of iteration 1, which was not kept"),
        ((TRIED, replace(TRIED, number=2)), 0, " but those of iterations 1 and 2, which were not"),
        ((replace(TRIED, progress=True),), 0, ""),
        ((replace(TRIED, red_after=1),), 0, ""),
        ((replace(TRIED, edits=BEST.edits),), 0, ""),
    ],
)
def test_others_that_pass_and_are_no_candidates_are_no_secret(
    history: tuple[IterationView, ...], refused: int, besides: str
) -> None:
    """An earlier iteration tried them, or they give a test's answer away."""
    best = replace(BEST, turns_green=("t", "u"))

    told = not_kept(best, Findings(candidates=(best,), refused=refused), history)
    _, reason = confidence_of(cast("Scene", NOWHERE), (best,), told)

    assert reason.startswith(f"No other change was found that passes{besides}")
    assert "and can be kept" in reason or not refused


def test_a_change_that_was_seen_and_cannot_be_kept_is_not_denied() -> None:
    """Some may turn the red test green and break another, or were tried before."""
    scene = SimpleNamespace(
        run=run(), category=Category.TASK_SPEC_ERROR, sources={}, path="", suspects=()
    )

    low, reason = confidence_of(cast("Scene", scene), ())

    assert low == "low"
    assert reason.startswith("No change is known that turns a red test green and can be kept. Next")


def test_what_nobody_asks_for_any_more_is_named() -> None:
    """Where older code comes back, what it is now may hold the fault, and keeps it."""
    text = (
        "def count(n):\n    return n\n\ndef paginate(n):\n    pages = count(n)\n    return pages\n"
    )
    edit = Edit(path="p.py", line=5, current="count(n)", should_be="max(1, -(-n // 10))")
    back = replace(BEST, family="history", edits=(edit,))
    said = "Nothing else in its file asks for `count`, which stays as it is."
    assert said == left_unused(back, {"p.py": text})
    assert "" == left_unused(back, {"p.py": text + "\n\nprint(count(3))\n"})
    assert "" == left_unused(back, {})
    gone = replace(edit, current="def count(n):\n    return n\n", should_be="")
    assert "" == left_unused(replace(back, edits=(gone,)), {"p.py": text})


MEAN = change(
    "replace `+` by `|`", Parting(call="mean([1, 2])", best="1.5", this="1.0", module="stats")
)


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
    assert undecided((BEST, equal)).endswith("by `/`. A test by value cannot tell these apart.")
    assert undecided((BEST, equal, MEAN)).endswith("A test of that call would settle it.")


def test_a_call_is_shown_whole_where_a_test_of_it_would_settle_it() -> None:
    """Somebody is to write it; of one that the search cut nobody can."""
    long, cut = f"mean([{', '.join(['1'] * 80)}])", "mean(['aaa…'])"
    whole, torn = (
        undecided((BEST, change("drop `2`", Parting(call=call, best="1", this="0"))))
        for call in (long, cut)
    )

    assert long in whole
    assert whole.endswith(". A test of that call would settle it.")
    assert torn.endswith(": drop `2`. A test that tells them apart would settle it.")


def test_what_cannot_be_told_by_what_is_shown_is_not_said_to_be_settled_by_a_test() -> None:
    """Two objects that look alike, which no literal equals."""
    alike = change("drop `2`", Parting(call="f()", best="<Meter>", this="<Meter>"))

    assert undecided((BEST, alike)).endswith("A test by value cannot tell these apart.")


def test_a_change_that_was_not_compared_is_named() -> None:
    """No call is known that shows what it does otherwise."""
    settles = "drop `2`; a test that tells them apart would settle it."
    others = (change("drop `2`"), change("drop `3`"))
    assert undecided((BEST, *others)).endswith(f"behave differently elsewhere, such as: {settles}")
    assert undecided((BEST, others[0])).endswith(f"behaves differently elsewhere: {settles}")


def test_a_change_elsewhere_is_told_with_its_place() -> None:
    """What it exchanges may stand in several lines of the file."""
    below = replace(change("replace `0` by `1`"), line=9)

    assert "differently elsewhere: replace `0` by `1` at stats.py:9; a" in undecided((BEST, below))


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


def test_an_odd_change_that_another_makes_up_for_is_never_more_than_a_guess() -> None:
    """A second failing test that asks for both is another matter."""
    scene = cast("Scene", SimpleNamespace(sources={}, category=None))
    pair = replace(BEST, family=MAKESHIFT, turns_green=("a",))
    level, reason = confidence_of(scene, (pair,))
    assert "low" == level
    assert reason.endswith("Only one failing test speaks for them.")
    level, reason = confidence_of(scene, (pair, replace(MEAN, turns_green=("a",))))
    assert "low" == level
    assert "A test of that call would settle it." in reason
    assert "low" == confidence_of(scene, (replace(pair, complete=False, still_red=("b",)),))[0]
    assert "medium" == confidence_of(scene, (replace(pair, turns_green=("a", "b")),))[0]


ONE = "t.py::test_a"
SHORT = "def test_a():\n    assert mean([1]) == 1\n"
LONG = SHORT + "    assert mean([1, 3]) == 2\n    assert mean([1, 3, 5]) == 3\n"


@pytest.mark.parametrize(
    ("family", "rival", "test", "level"),
    [
        ("arithmetic", "comparison", SHORT, "low"),
        ("arithmetic", "expression", SHORT, "medium"),  # the other one may pass by chance
        ("expression", "expression", SHORT, "low"),
        ("expression", None, SHORT, "low"),
        ("arithmetic", None, SHORT, "medium"),
        ("history", "comparison", SHORT, "medium"),  # it stood its own tests
        ("arithmetic", "comparison", LONG, "medium"),
        ("arithmetic", "comparison", "", "medium"),
    ],
)
def test_one_short_test_does_not_decide_between_several_changes(
    family: str, rival: str | None, test: str, level: str
) -> None:
    """Of ten projects by an outsider five were mended wrongly, all on the word of such a test."""
    scene = SimpleNamespace(
        sources={"t.py": test}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best = replace(BEST, family=family, turns_green=(ONE,))
    others = (replace(MEAN, family=rival, turns_green=(ONE,)),) if rival else ()

    told, reason = confidence_of(cast("Scene", scene), (best, *others))

    assert level == told
    assert ("with one check, speaks for the change" in reason) == (level == "low")


def test_of_several_changes_each_has_its_own_test() -> None:
    scene = SimpleNamespace(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best = replace(BEST, turns_green=(ONE,), still_red=("t.py::test_b",), complete=False)
    rival = replace(MEAN, turns_green=(ONE,))

    assert "medium" == confidence_of(cast("Scene", scene), (best, rival))[0]


def test_older_code_that_takes_away_what_came_since_is_a_guess() -> None:
    scene = cast("Scene", SimpleNamespace(sources={}, category=None))
    level, reason = confidence_of(scene, (replace(BEST, family="older code"),))
    assert "low" == level
    assert "has not what came since" in reason


def test_a_condition_that_decides_nothing_any_more_is_told() -> None:
    scene = cast("Scene", SimpleNamespace(sources={}, category=None))
    level, reason = confidence_of(scene, (replace(BEST, family="one way"),))
    assert "low" == level
    assert "they all take it the same way" in reason


def test_kinds_that_pass_by_chance_are_those_that_are_ranked_behind() -> None:
    """Several changes joined are judged by what each of them is."""
    behind = {family for family, less in PENALTY.items() if less >= 0.2}

    assert behind - {"joined"} == BY_CHANCE
    assert MAKESHIFT in behind
