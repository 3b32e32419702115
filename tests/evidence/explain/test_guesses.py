"""Changes that are a guess beside others, or while other tests are red."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from candidatekit import BEST, bare_scene
from clew.evidence.explain.certainty import confidence_of
from clew.evidence.explain.guesses import guessed
from clew.words.facts import Candidate, Edit, Reach

if TYPE_CHECKING:
    from clew.evidence.explain.scene import Scene

ASSIGNED = replace(
    BEST,
    description="assign instead of `+=`",
    turns_green=("a", "b"),
    edits=(Edit(path="w.py", line=9, current="self.n += s", should_be="self.n = s"),),
)


def reset(text: str) -> Candidate:
    edit = Edit(path="w.py", line=4, current="self.on = True", should_be=f"self.on = True\n{text}")
    return replace(BEST, description="insert", turns_green=("a", "b"), edits=(edit,))


@pytest.mark.parametrize(
    ("text", "level"),
    [("self.n = 0", "low"), ("self.m = 0", "medium"), ("other.self.n = 0", "medium")],
)
def test_what_gives_up_a_sum_is_a_guess_where_another_begins_it_anew(text: str, level: str) -> None:
    """No test adds to it twice in a row, and with both changes all tests pass."""
    scene = cast("Scene", bare_scene(sources={}, category=None))

    told, reason = confidence_of(scene, (ASSIGNED, reset(text)))

    assert level == told
    assert ("nothing is added to `self.n` any more" in reason) is (level == "low")
    assert "" == guessed(scene, (reset(text), ASSIGNED))


def seen(*groups: tuple[tuple[int, ...], tuple[int, ...]], path: str = "votes.py") -> Scene:
    reach = Reach(path=path, tests=("a", "b"), groups=groups)
    ran = SimpleNamespace(red=())
    return cast("Scene", bare_scene(sources={}, category=None, reach=(reach,), run=ran))


TURNED = replace(
    BEST,
    description="replace `>` by `<`",
    turns_green=("a",),
    still_red=("b",),
    complete=False,
)
TOGETHER = seen(((8, 9), (0, 1)), ((15,), (0,)))


@pytest.mark.parametrize(
    ("words", "scene", "turned"),
    [
        ("replace `>` by `<`", TOGETHER, True),
        ("replace `==` by `!=`", TOGETHER, True),
        ("negate `ready`", TOGETHER, True),
        ("drop `not`", TOGETHER, True),
        ("replace `>` by `>=`", TOGETHER, False),  # a bound that is moved is no condition turned
        ("replace `+` by `-`", TOGETHER, False),
        ("replace `>` by `<`", seen(((8, 9), (1,)), ((15,), (0,))), False),  # two faults
        ("replace `>` by `<`", seen(((8, 9), (0, 1)), path="test_votes.py"), False),
    ],
)
def test_a_condition_turned_round_is_a_guess_while_the_code_it_asks_is_in_doubt(
    words: str, scene: Scene, *, turned: bool
) -> None:
    """`count > len(votes) / 2` was right, and `count` was not."""
    change = replace(TURNED, description=words)

    assert turned == bool(guessed(scene, (change,)))
    assert ("low" if turned else "medium") == confidence_of(scene, (change,))[0]


def test_what_several_tests_ask_for_is_turned_rightly() -> None:
    assert "" == guessed(TOGETHER, (replace(TURNED, turns_green=("a", "c")),))
    assert "" == guessed(TOGETHER, (replace(TURNED, complete=True, still_red=()),))


@pytest.mark.parametrize(
    ("comes", "expected"),
    [
        ("sorted(self.rows, key=best)", "low"),
        ("sorted(rows, key=best)", "high"),
        ("sorted(value for _, value in rows)", "high"),
        ("sorted(value for name, value in rows)", "high"),
    ],
)
def test_what_is_put_back_and_reads_less_than_today_is_a_guess(comes: str, expected: str) -> None:
    """The line that chooses some of the elements stays, and nothing asks for what it chose."""
    goes = "list(reversed(sorted(rows)))"
    now = f"def ranking(self):\n    rows = [r for r in self.rows if r.on]\n    return {goes}\n"
    edit = Edit(path="a.py", line=3, current=goes, should_be=comes)
    best = replace(BEST, family="history", turns_green=("a", "b"), edits=(edit,))
    scene = cast("Scene", bare_scene(sources={"a.py": now}, category=None))

    level, why = confidence_of(scene, (best,))

    assert expected == level
    assert ("nothing reads `rows` any more" in why) is (expected == "low")


@pytest.mark.parametrize(("comes", "expected"), [("return cost(n)", "low"), ("", "high")])
def test_what_is_put_back_and_leaves_a_private_attribute_unread_is_a_guess(
    comes: str, expected: str
) -> None:
    """It was there to keep something, and nothing is kept any more."""
    goes = "return self._kept.setdefault(n, cost(n))"
    now = f"def __init__(self):\n    self._kept = {{}}\n\ndef f(self, n):\n    {goes}\n"
    edit = Edit(path="a.py", line=5, current=goes, should_be=comes or goes.replace("n,", "n + 1,"))
    best = replace(BEST, family="history", turns_green=("a", "b"), edits=(edit,))
    scene = cast("Scene", bare_scene(sources={"a.py": now}, category=None))

    level, why = confidence_of(scene, (best,))

    assert expected == level
    assert ("nothing reads `self._kept` any more" in why) is (expected == "low")


ADDS = "def add(day, shut, late):\n    return step(day, late)\n"


@pytest.mark.parametrize(("comes", "told"), [("step(day, shut)", True), ("step(late, day)", False)])
def test_a_change_that_reads_a_parameter_no_more_is_a_guess(comes: str, told: bool) -> None:  # noqa: FBT001 -- a case's own
    """One that nothing read before does not count."""
    edit = Edit(path="a.py", line=2, current="step(day, late)", should_be=comes)
    scene = cast("Scene", bare_scene(sources={"a.py": ADDS}))

    said = guessed(scene, (replace(BEST, path="a.py", edits=(edit,)),))

    assert told is ("nothing reads `late` of `add` any more" in said)
