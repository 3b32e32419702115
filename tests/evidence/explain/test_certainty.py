"""How sure a diagnosis is, where several changes pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from candidatekit import BEST, MEAN, bare_scene
from clew.documents.views import IterationView
from clew.evidence.explain.certainty import (
    confidence_of,
    left_unused,
    not_kept,
    taken_away,
)
from clew.evidence.explain.guesses import BY_CHANCE, MAKESHIFT
from clew.probe.search.ranking import PENALTY
from clew.probe.search.relations import BETWEEN
from clew.probe.search.witnesses import AND_NOW
from clew.words.facts import CandidatePart, Category, Edit, Findings
from failurekit import failed, run

if TYPE_CHECKING:
    from clew.evidence.explain.scene import Scene

NOWHERE = bare_scene(sources={})  # a scene without a file
NOWHERE_RED = bare_scene(sources={}, category=Category.TEST_FAILURE, run=run())
TRIED = IterationView(
    number=1, result="FAILED", edits=(Edit(path="s.py", line=1, current="x", should_be="y"),),
    red_before=1, red_after=0,
)  # fmt: skip


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

    assert reason.startswith(
        f"No other change that behaves otherwise was found that passes{besides}"
    )
    assert "and can be kept" in reason or not refused


def test_a_change_that_was_seen_and_cannot_be_kept_is_not_denied() -> None:
    """Some may turn the red test green and break another, or were tried before."""
    scene = bare_scene(
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


def test_a_method_of_another_object_is_not_what_the_file_defines() -> None:
    """`self.kept.get` is that of a dict; and a function that is changed does not stay as it is."""
    text = "class Store:\n    def get(self, key):\n        return {}\n"
    words = "self.kept.get(key) or None"
    edit = Edit(path="s.py", line=3, current=words, should_be="self.kept[key]")
    back = replace(BEST, family="history", edits=(edit,))
    assert "" == left_unused(back, {"s.py": text.format(words)})
    other = text.format("1") + f"\n    def first(self, key):\n        return {words}\n"
    assert "" == left_unused(replace(back, edits=(replace(edit, line=6),)), {"s.py": other})
    again = replace(edit, current="self.get(key - 1)", should_be="1")
    itself = text.format("self.get(key - 1)")
    assert "" == left_unused(replace(back, edits=(again,)), {"s.py": itself})
    asks = other.replace(words, "self.get(key - 1)")
    edits = (replace(again, line=6),)
    assert "`get`" in left_unused(replace(back, edits=edits), {"s.py": asks})


def test_an_odd_change_that_another_makes_up_for_is_never_more_than_a_guess() -> None:
    """A second failing test that asks for both is another matter."""
    scene = cast("Scene", bare_scene(sources={}, category=None))
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
    scene = bare_scene(sources={"t.py": test}, category=Category.TEST_FAILURE, run=run(failed(ONE)))
    best = replace(BEST, family=family, turns_green=(ONE,), score=BEST.score + 0.02)
    others = (replace(MEAN, family=rival, turns_green=(ONE,)),) if rival else ()

    told, reason = confidence_of(cast("Scene", scene), (best, *others))

    assert level == told
    assert ("with one check, speaks for the change" in reason) == (level == "low")


@pytest.mark.parametrize(
    ("score", "tests", "level"), [(1.1, 5, "low"), (1.1, 6, "medium"), (1.2, 5, "medium")]
)
def test_two_odd_changes_that_few_tests_ask_for_are_a_guess(
    score: float, tests: int, level: str
) -> None:
    """There are so many pairs that some pass by chance."""
    scene = bare_scene(sources={"t.py": LONG}, category=Category.TEST_FAILURE)
    asked = tuple(f"t.py::test_{number}" for number in range(tests))
    pair = replace(BEST, family="two edits", turns_green=asked, score=score)
    told, reason = confidence_of(cast("Scene", scene), (pair,))
    assert (level, level == "low") == (told, "of so many pairs" in reason)


@pytest.mark.parametrize(
    ("likelier", "family", "witness", "level"),
    [
        (0.0, "arithmetic", "", "low"),
        (0.02, "arithmetic", "", "medium"),
        (0.0, "history", "", "medium"),
        (0.0, "arithmetic", "the example in the docstring", "medium"),
    ],
)
def test_of_two_that_are_as_likely_neither_is_more_than_a_guess(
    likelier: float, family: str, witness: str, level: str
) -> None:
    """However many tests ask: of three such on the development sets none was right."""
    scene = bare_scene(sources={"t.py": LONG}, category=Category.TEST_FAILURE)
    tests = (ONE, "t.py::test_b", "t.py::test_c")
    rival = replace(MEAN, turns_green=tests)
    score = rival.score + likelier
    best = replace(BEST, family=family, turns_green=tests, score=score, witness=witness)

    told, reason = confidence_of(cast("Scene", scene), (best, rival))

    assert level == told
    assert reason.startswith("Another change is as likely as this one") is (level == "low")


def test_a_plain_change_speaks_for_itself() -> None:
    """Natural, and at a line that only the failing test runs."""
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best, rival = (replace(each, turns_green=(ONE,)) for each in (BEST, MEAN))

    assert "medium" == confidence_of(cast("Scene", scene), (replace(best, score=1.3), rival))[0]
    assert "low" == confidence_of(cast("Scene", scene), (replace(best, score=1.1), rival))[0]


@pytest.mark.parametrize(
    ("family", "score", "level"),
    [
        ("constant", 1.299, "low"),
        ("constant", 1.25, "medium"),
        ("insert", 1.299, "medium"),  # it may pass by chance
    ],
)
def test_no_change_is_plain_beside_another_that_is_as_plain(
    family: str, score: float, level: str
) -> None:
    """One check asked for `price - 1`, and for another number: which of them is chance."""
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best = replace(BEST, score=1.3, turns_green=(ONE,))
    rival = replace(MEAN, family=family, score=score, turns_green=(ONE,))

    assert level == confidence_of(cast("Scene", scene), (best, rival))[0]
    alike = replace(rival, parting=None)  # no call is known on which they part
    assert "medium" == confidence_of(cast("Scene", scene), (best, alike))[0]


@pytest.mark.parametrize(
    ("description", "test", "level"),
    [
        ("replace `>` by `<=`", SHORT, "low"),
        ("negate `is_open(day)`", SHORT, "low"),
        ("replace `>` by `>=`", SHORT, "medium"),  # a limit moves by one
        ("replace `>` by `<=`", LONG, "medium"),
    ],
)
def test_a_condition_that_is_turned_round_for_one_short_test_is_a_guess(
    description: str, test: str, level: str
) -> None:
    """A thermostat that never turned off passed the one log that was tested."""
    scene = bare_scene(sources={"t.py": test}, category=Category.TEST_FAILURE, run=run(failed(ONE)))
    best = replace(BEST, description=description, score=1.33, turns_green=(ONE,))

    told, reason = confidence_of(cast("Scene", scene), (best,))

    assert level == told
    assert ("of this kind (turned condition) often passes by chance" in reason) is (level == "low")


def test_what_breaks_a_call_that_older_code_answers_as_todays_does_is_a_guess() -> None:
    scene = bare_scene(sources={"t.py": LONG}, category=Category.TEST_FAILURE, run=run(failed(ONE)))
    words = f"{AND_NOW.format('a1b2')}: `short('o')` gives `'o'`"
    best = replace(BEST, score=1.33, turns_green=(ONE, "t.py::test_b"), against=words)

    level, reason = confidence_of(cast("Scene", scene), (best,))

    assert "low" == level
    assert reason.startswith("The change breaks a call that gives the same today as before")
    assert words in reason


def test_what_more_than_a_test_speaks_for_is_no_guess() -> None:
    """The code before a commit gave the same on another input."""
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best, rival = (replace(each, score=1.1, turns_green=(ONE,)) for each in (BEST, MEAN))
    told = replace(best, witness="the code before a1b2: `mean([1])` gives `1`")

    assert "low" == confidence_of(cast("Scene", scene), (best, rival))[0]
    level, reason = confidence_of(cast("Scene", scene), (told, rival))
    assert "medium" == level
    assert "this speaks for the change: the code before a1b2: `mean([1])` gives `1`." in reason


def test_what_speaks_against_a_change_is_told_and_makes_no_other_one_sure() -> None:
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best, rival = (replace(each, score=1.1, turns_green=(ONE,)) for each in (BEST, MEAN))
    words = "`mean` stayed within the numbers of its list on 9 inputs before"
    doubted = replace(rival, against=words)

    assert "low" == confidence_of(cast("Scene", scene), (best, doubted))[0]
    told = confidence_of(cast("Scene", scene), (doubted, best))[1]
    assert f"Besides the tests, this speaks against the change: {words}." in told


def test_a_change_with_which_an_ordinary_call_raises_is_a_guess() -> None:
    """However many tests ask for it: no better one was found."""
    words = BETWEEN.format("latest", 63) + ": `latest([3])` does not any more"
    best = replace(BEST, turns_green=("a", "b", "c"), against=words)

    level, reason = confidence_of(cast("Scene", NOWHERE), (best,))

    assert "low" == level
    assert "a call raises an error that gave a value" in reason
    assert f"this speaks against the change: {words}." in reason


@pytest.mark.parametrize(
    ("family", "score", "sure"),
    [("wrap", 1.1, "low"), ("wrap", 1.3, "medium"), ("constant", 1.1, "medium")],
)
def test_a_part_that_one_would_ask_about_alone_is_asked_about_beside_others(
    family: str, score: float, sure: str
) -> None:
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    part = CandidatePart(
        description="replace `item` by `key`", path="cart.py", line=8,
        turns_green=(ONE,), family=family, score=score,
    )  # fmt: skip
    other = replace(part, family="constant", score=1.3, turns_green=("t.py::test_b",))
    best = replace(BEST, score=1.3, turns_green=(ONE, "t.py::test_b"), parts=(part, other))

    level, reason = confidence_of(cast("Scene", scene), (best,))

    assert sure == level
    said = "speaks for one of the changes (replace `item` by `key`, cart.py:8), and a change of"
    assert (said in reason) is (sure == "low")


def test_what_goes_around_a_function_that_others_call_is_a_guess() -> None:
    """One of two callers was put back, and the other one stays wrong."""
    level, reason = confidence_of(cast("Scene", NOWHERE), (replace(BEST, family="way around"),))

    assert "low" == level
    assert "goes around a function that others still call" in reason


def test_of_several_changes_each_has_its_own_test() -> None:
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best = replace(BEST, turns_green=(ONE,), still_red=("t.py::test_b",), complete=False)
    rival = replace(MEAN, turns_green=(ONE,))

    assert "medium" == confidence_of(cast("Scene", scene), (best, rival))[0]


@pytest.mark.parametrize(
    ("family", "score", "level"),
    [("wrap", 0.9, "low"), ("wrap", 1.0, "medium"), ("arithmetic", 0.9, "medium")],
)
def test_a_part_that_may_pass_by_chance_is_a_guess(family: str, score: float, level: str) -> None:
    """Half of the tests are green, which is a quarter of the score."""
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    best = replace(BEST, turns_green=(ONE,), still_red=("t.py::test_b",), complete=False)
    part = replace(best, family=family, score=score)

    assert level == confidence_of(cast("Scene", scene), (part,))[0]


@pytest.mark.parametrize(("score", "level"), [(1.0, "low"), (1.1, "medium")])
def test_several_changes_that_are_seldom_written_are_a_guess(score: float, level: str) -> None:
    """Another one passes in the place of one of them, and one check alone asks for it."""
    scene = bare_scene(
        sources={"t.py": SHORT}, category=Category.TEST_FAILURE, run=run(failed(ONE))
    )
    parts = tuple(
        CandidatePart(description="", path="a.py", line=1, turns_green=tests)
        for tests in ((ONE,), ("t.py::test_b", "t.py::test_c"))
    )
    told = replace(BEST, turns_green=(ONE, "t.py::test_b", "t.py::test_c"), parts=parts)
    best, rival = replace(told, family="joined", score=score), replace(told, score=0.9)

    found, reason = confidence_of(cast("Scene", scene), (best, rival))
    assert level == found
    assert ("speaks for a part of the change" in reason) is (level == "low")


@pytest.mark.parametrize(
    ("current", "should_be", "level"),
    [
        ("return total", "return total + fee", "high"),
        ("return total > most", "return total >= most", "high"),
        ("return match(text.lower(), most)", "return '@' in text", "medium"),
    ],
)
def test_what_takes_newer_code_back_is_not_rated_high(
    current: str, should_be: str, level: str
) -> None:
    edit = Edit(path="a.py", line=1, current=current, should_be=should_be)
    back = replace(BEST, family="history", edits=(edit,), turns_green=("t", "u"))

    found, reason = confidence_of(cast("Scene", NOWHERE_RED), (back,))

    assert level == found
    assert ("takes code away that came since" in reason) is (level == "medium")


def test_older_code_that_takes_away_what_came_since_is_a_guess() -> None:
    scene = cast("Scene", bare_scene(sources={}, category=None))
    level, reason = confidence_of(scene, (replace(BEST, family="older code"),))
    assert "low" == level
    assert "has not what came since" in reason


@pytest.mark.parametrize(
    ("family", "score", "should_be", "level"),
    [
        ("history", 1.6, "rate = 7\nreturn net + half", "low"),  # it keeps `half`
        ("history", 1.6, "rate = 7\nreturn", "medium"),  # it takes more away, and not less
        ("constant", 1.3, "rate = 7\nreturn net + half", "low"),
        ("constant", 1.1, "rate = 7\nreturn net + half", "medium"),  # seldom written there
        ("constant", 1.3, "rate = 8\nreturn net + half", "medium"),  # another change, not less
        ("history", 1.6, "return net + half", "medium"),
        ("wrap", 1.3, "rate = 7\nreturn net + half", "medium"),  # may pass by chance
    ],
)
def test_a_put_back_that_undoes_more_than_it_must_is_asked_about(
    family: str, score: float, should_be: str, level: str
) -> None:
    scene = bare_scene(sources={"t.py": LONG}, category=Category.TEST_FAILURE, run=run(failed(ONE)))
    edit = Edit(path="vat.py", line=6, current="rate = 19\nreturn net + half", should_be="")
    best, rival = (
        replace(each, turns_green=(ONE, "t.py::test_b"), family=kind, score=sure, edits=(change,))
        for each, kind, sure, change in (
            (BEST, "history", 1.62, replace(edit, should_be="rate = 7\nreturn net")),
            (MEAN, family, score, replace(edit, should_be=should_be)),
        )
    )

    told, reason = confidence_of(cast("Scene", scene), (best, rival))

    assert level == told
    assert ("keeps more of what came since the code that is put back" in reason) is (level == "low")
    if level == "low":
        assert "low" != confidence_of(cast("Scene", scene), (best, replace(rival, parting=None)))[0]


def test_a_condition_that_decides_nothing_any_more_is_told() -> None:
    scene = cast("Scene", bare_scene(sources={}, category=None))
    level, reason = confidence_of(scene, (replace(BEST, family="one way"),))
    assert "low" == level
    assert "they all take it the same way" in reason


def test_kinds_that_pass_by_chance_are_those_that_are_ranked_behind() -> None:
    """Several changes joined are judged by what each of them is."""
    behind = {family for family, less in PENALTY.items() if less >= 0.2}

    assert behind - {"joined"} == BY_CHANCE
    assert MAKESHIFT in behind


@pytest.mark.parametrize(
    ("should_be", "level"),
    [
        ("return quoted(each.text for each in kept(rows) if each)", "low"),
        ("return found(rows)", "medium"),  # it takes as much away
    ],
)
def test_a_put_back_with_words_of_today_counts_what_it_takes_away(
    should_be: str, level: str
) -> None:
    """A word that goes at one place and comes at another is no less of a change."""
    scene = bare_scene(sources={"t.py": LONG}, category=Category.TEST_FAILURE, run=run(failed(ONE)))
    current = "return quoted(each.text for each in kept(rows))"
    edit = Edit(path="vat.py", line=6, current=current, should_be="return join(rows) if rows")
    best, rival = (
        replace(each, turns_green=(ONE, "t.py::test_b"), family="history", edits=(change,))
        for each, change in ((BEST, edit), (MEAN, replace(edit, should_be=should_be)))
    )

    assert level == confidence_of(cast("Scene", scene), (best, rival))[0]
